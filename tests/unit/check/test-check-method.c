/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The standard method on samples made here, against what was planted. */
#include "check/class.h"
#include "check/comparison.h"
#include "check/method.h"
#include "num-check.h"
#include "num/random.h"
#include "unit.h"

#define FUNCTIONS 12
#define RUNS_MAX  20

/* A program of functions with shares 1/2, 1/4, …; times of runs are log-normal, and now and then a
 * run is disturbed. */
struct lab {
	struct rarog_comparison comparison;
	struct rarog_row rows[FUNCTIONS];
	double values[2][FUNCTIONS][RAROG_MEASURES][RUNS_MAX];
	double totals[2][RUNS_MAX];
	char names[FUNCTIONS][8];
};

static void lab_build(struct lab *lab, size_t runs)
{
	struct rarog_comparison *c = &lab->comparison;

	memset(lab, 0, sizeof(*lab));
	c->has_times = true;
	c->n = FUNCTIONS;
	c->rows = lab->rows;
	for (size_t side = 0; side < 2; side++) {
		assert_int_equal(rarog_side_init(&c->sides[side], side ? "b" : "a", NULL), 0);
		for (size_t run = 0; run < runs; run++) { /* by turns */
			const struct rarog_side_run made = { .started_ns = 1 + 2 * run + side };

			assert_int_equal(rarog_vec_push(&c->sides[side].runs, made), 0);
		}
		c->total_ns[side] = lab->totals[side];
		for (size_t i = 0; i < FUNCTIONS; i++) {
			snprintf(lab->names[i], sizeof(lab->names[i]), "f%zu", i);
			lab->rows[i].form[side].mangled = lab->rows[i].form[side].name =
				lab->names[i];
			for (size_t m = 0; m < RAROG_MEASURES; m++)
				lab->rows[i].values[side][m] = lab->values[side][i][m];
		}
	}
}

static void lab_release(struct lab *lab)
{
	rarog_side_release(&lab->comparison.sides[0]);
	rarog_side_release(&lab->comparison.sides[1]);
}

/* @slower: function f2, which takes an eighth of the run, takes so much more in the target. */
static void lab_run(struct lab *lab, struct rarog_random *random, double noise, double slower)
{
	struct rarog_comparison *c = &lab->comparison;
	double whole[2][RUNS_MAX];

	for (size_t side = 0; side < 2; side++)
		for (size_t run = 0; run < c->sides[side].runs.n; run++) {
			double machine = exp(noise * rarog_random_normal(random));

			if (rarog_random_uniform(random) < 0.05)
				machine *= 1.3;
			lab->totals[side][run] = 0;
			for (size_t i = 0; i < FUNCTIONS; i++) {
				double ns = 1e8 / (double)(2U << i) * machine *
					    exp(noise * rarog_random_normal(random));

				ns *= side && i == 2 ? 1 + slower : 1;
				lab->values[side][i][RAROG_MEASURE_EXCLUSIVE][run] = ns;
				lab->values[side][i][RAROG_MEASURE_PROBED][run] = ns;
				lab->values[side][i][RAROG_MEASURE_CALLS][run] = 10;
				lab->totals[side][run] += ns;
			}
			whole[side][run] = lab->totals[side][run];
		}
	for (size_t side = 0; side < 2; side++) {
		c->sides[side].wall_ns.n = c->sides[side].cpu_ns.n = 0;
		for (size_t run = 0; run < c->sides[side].runs.n; run++) {
			rarog_vec_push(&c->sides[side].wall_ns, whole[side][run]);
			rarog_vec_push(&c->sides[side].cpu_ns, whole[side][run]);
		}
	}
	for (size_t i = 0; i < FUNCTIONS; i++)
		lab->rows[i].share = 1 / (double)(2U << i);
}

static void judge(struct lab *lab, struct rarog_verdict *verdict)
{
	double thresholds[RAROG_THRESHOLDS_MAX];

	rarog_threshold_standards(&rarog_check_runs, thresholds);
	assert_int_equal(rarog_check_runs.run(&lab->comparison, thresholds, verdict), 0);
	rarog_verdict_finish(verdict);
}

/* f2 is called @more times as often in the target, and each call has cost @probe_ns more. */
static void add_probes(struct lab *lab, double calls, double more, double probe_ns)
{
	for (size_t side = 0; side < 2; side++)
		for (size_t run = 0; run < lab->comparison.sides[side].runs.n; run++)
			lab->values[side][2][RAROG_MEASURE_PROBED][run] +=
				calls * (side ? more : 1) * probe_ns;
}

static const struct rarog_change *find(const struct rarog_verdict *verdict, const char *name)
{
	for (size_t i = 0; i < verdict->changes.n; i++)
		if (strcmp(verdict->changes.v[i].location, name) == 0)
			return &verdict->changes.v[i];
	return NULL;
}

/* What a probe costs is known as a bound only. f2 takes 12.5 ms. Of 1 million calls in or below it
 * 2 million became, and 5 ns were taken off for each: that it is 20 % faster now would be 12.5 ->
 * 10 ms, of 17.5 -> 20 ms that were measured. With as many calls as before, or where both are
 * slower, it is sure. */
TEST(what_probes_may_have_cost_is_not_sure)
{
	static const struct {
		double slower, calls, more;
		enum rarog_class class;
	} cases[] = {
		{ -0.2, 1e6, 2, RAROG_CLASS_UNKNOWN },
		{ -0.2, 1e6, 1, RAROG_CLASS_OPTIMIZATION },
		{ 0.2, 1e6, 2, RAROG_CLASS_DEGRADATION },
		{ 0.2, 1e6, 0.5, RAROG_CLASS_UNKNOWN }, /* 17.5 -> 17.5 */
		{ 0, 1e6, 2, RAROG_CLASS_UNKNOWN },     /* 17.5 -> 22.5 */
		{ 0, 1e6, 1, RAROG_CLASS_NO_CHANGE },
	};

	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(9);
		rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
		rarog_cleanup(lab_release) struct lab lab;
		const struct rarog_change *change;

		lab_build(&lab, 12);
		lab_run(&lab, random, 0.003, cases[i].slower);
		add_probes(&lab, cases[i].calls, cases[i].more, 5);
		judge(&lab, &verdict);
		change = find(&verdict, "f2");
		assert_non_null(change);
		assert_int_equal(change->class, cases[i].class);
		assert_int_equal(change->is_by_probes, cases[i].class == RAROG_CLASS_UNKNOWN);
	}
}

TEST(nothing_changed_is_no_alarm)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(7);
	rarog_cleanup(lab_release) struct lab lab;
	size_t alarms = 0, maybes = 0;

	lab_build(&lab, 10);
	for (unsigned i = 0; i < 100; i++) {
		rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };

		lab_run(&lab, random, 0.03, 0);
		judge(&lab, &verdict);
		alarms += verdict.finding == RAROG_FINDING_DEGRADATION;
		maybes += verdict.finding == RAROG_FINDING_MAYBE;
	}
	assert_int_equal(alarms, 0);
	assert_true(maybes <= 1);
}

TEST(what_was_planted_is_found)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(8);
	rarog_cleanup(lab_release) struct lab lab;
	size_t found = 0, first = 0;

	lab_build(&lab, 15);
	for (unsigned i = 0; i < 40; i++) {
		rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
		size_t k = 0;

		lab_run(&lab, random, 0.02, 0.2); /* 2.5 % of the whole */
		judge(&lab, &verdict);
		found += verdict.finding == RAROG_FINDING_DEGRADATION;
		while (k < verdict.changes.n && *verdict.changes.v[k].location == '\0')
			k++;
		first += k < verdict.changes.n &&
			 strcmp(verdict.changes.v[k].location, "f2") == 0 &&
			 rarog_class_is_degradation(verdict.changes.v[k].class);
	}
	assert_true(found >= 39);
	assert_true(first >= 39);
}

/* f1 waits, by chance by 20 % more or less: @before and @now, ns. */
static void let_wait(struct lab *lab, struct rarog_random *random, double before, double now)
{
	struct rarog_comparison *c = &lab->comparison;

	lab_run(lab, random, 0.02, 0);
	c->is_cpu_time = c->has_waiting = true;
	for (size_t side = 0; side < 2; side++) {
		c->waiting_ns[side] = lab->values[side][1][RAROG_MEASURE_WAITING];
		for (size_t run = 0; run < c->sides[side].runs.n; run++)
			c->waiting_ns[side][run] =
				(side ? now : before) * exp(0.2 * rarog_random_normal(random));
	}
	lab->rows[1].waiting_share = before + now > 0 ? 0.1 : 0;
}

static const struct rarog_change *waiting_of(const struct rarog_verdict *verdict)
{
	for (size_t i = 0; i < verdict->changes.n; i++)
		if (verdict->changes.v[i].metric == &rarog_metric_waiting)
			return &verdict->changes.v[i];
	return NULL;
}

TEST(longer_waiting_is_found)
{
	static const struct {
		double before, now; /* a run computes 1e8 ns */
		enum rarog_class class;
	} cases[] = {
		{ 2e7, 6e7, RAROG_CLASS_SEVERE_DEGRADATION },
		{ 6e7, 2e7, RAROG_CLASS_SEVERE_OPTIMIZATION },
		{ 0, 4e7, RAROG_CLASS_SEVERE_DEGRADATION },
		{ 4e7, 0, RAROG_CLASS_SEVERE_OPTIMIZATION },
		{ 1e5, 4e5, RAROG_CLASS_NO_CHANGE }, /* four times as much of next to nothing */
		{ 0, 4e5, RAROG_CLASS_NO_CHANGE },
	};
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(13);
	rarog_cleanup(lab_release) struct lab lab;

	lab_build(&lab, 15);
	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
		const struct rarog_change *change;

		let_wait(&lab, random, cases[i].before, cases[i].now);
		judge(&lab, &verdict);
		change = waiting_of(&verdict);
		assert_non_null(change);
		assert_string_equal(change->location, "f1");
		assert_int_equal(change->class, cases[i].class);
		assert_int_equal(isnan(change->relative), cases[i].before == 0);
		assert_true(change->impact * (cases[i].now - cases[i].before) > 0);
		if (cases[i].before == 0 || cases[i].now == 0)
			assert_true((change->target > 0 ? change->baseline : change->target) == 0);
	}
}

/* In four of ten runs it waited before: that it always does now is no certain change of the run. */
TEST(waiting_now_and_then_is_said)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(16);
	rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
	rarog_cleanup(lab_release) struct lab lab;
	const struct rarog_change *change;

	lab_build(&lab, 10);
	let_wait(&lab, random, 4e7, 4e7);
	for (size_t run = 4; run < 10; run++)
		lab.comparison.waiting_ns[0][run] = 0;
	judge(&lab, &verdict);
	change = waiting_of(&verdict);
	assert_non_null(change);
	assert_false(rarog_class_is_degradation(change->class));
	assert_non_null(strstr(change->reason, "it waited in 4 of 10 runs before"));
}

/* A function that is new has taken the waiting over from another: the whole knows better. */
TEST(waiting_of_a_new_function_is_no_degradation)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(17);
	rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
	rarog_cleanup(lab_release) struct lab lab;

	lab_build(&lab, 15);
	let_wait(&lab, random, 0, 4e7);
	for (size_t run = 0; run < 15; run++)
		lab.values[0][1][RAROG_MEASURE_CALLS][run] = 0;
	judge(&lab, &verdict);
	assert_int_equal(waiting_of(&verdict)->class, RAROG_CLASS_NOT_IN_BASELINE);
}

TEST(waiting_as_ever_is_no_alarm)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(14);
	rarog_cleanup(lab_release) struct lab lab;
	size_t alarms = 0;

	lab_build(&lab, 10);
	for (unsigned i = 0; i < 200; i++) {
		rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };

		let_wait(&lab, random, 3e7, 3e7);
		judge(&lab, &verdict);
		alarms += rarog_class_is_degradation(waiting_of(&verdict)->class);
	}
	assert_true(alarms <= 2);
}

/* Several threads wait for each other; nothing is said of it. */
TEST(waiting_of_several_threads_is_not_judged)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(15);
	rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
	rarog_cleanup(lab_release) struct lab lab;

	lab_build(&lab, 15);
	let_wait(&lab, random, 2e7, 6e7);
	lab.comparison.has_waiting = false;
	judge(&lab, &verdict);
	assert_null(waiting_of(&verdict));
}

/* A round hits both versions alike (by 10 %), and each of them by @noise. */
static void make_rounds(struct lab *lab, struct rarog_random *random, double noise, double slower)
{
	struct rarog_comparison *c = &lab->comparison;

	lab_run(lab, random, 0.02, slower * 8);
	c->is_paired = true;
	for (size_t side = 0; side < 2; side++)
		c->sides[side].pairs.n = 0;
	for (size_t run = 0; run < c->sides[0].runs.n; run++) {
		double machine = 1e8 * exp(0.1 * rarog_random_normal(random));

		for (size_t side = 0; side < 2; side++) {
			struct rarog_side *s = &c->sides[side];
			double ns = machine * exp(noise * rarog_random_normal(random));

			ns *= side ? 1 + slower : 1;
			s->wall_ns.v[run] = s->cpu_ns.v[run] = ns;
			rarog_vec_push(&s->pairs, (struct rarog_side_pairs){ .value = run });
		}
	}
}

struct tally {
	size_t none;             /* equal versions that are said to be equal */
	size_t found, undecided; /* of the slower ones */
	size_t wanting_nine;     /* of the slower ones: runs are said to be needed */
};

/* Verdicts on a hundred equal pairs of versions, and on as many of which one is slower. */
static struct tally judge_rounds(size_t rounds, uint64_t seed, double noise, double slower)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(seed);
	rarog_cleanup(lab_release) struct lab lab;
	struct tally tally = { 0 };

	lab_build(&lab, rounds);
	for (unsigned i = 0; i < 100; i++) {
		rarog_cleanup(rarog_verdict_release) struct rarog_verdict same = { 0 };
		rarog_cleanup(rarog_verdict_release) struct rarog_verdict worse = { 0 };

		make_rounds(&lab, random, noise, 0);
		judge(&lab, &same);
		tally.none += same.finding == RAROG_FINDING_NONE;
		make_rounds(&lab, random, noise, slower);
		judge(&lab, &worse);
		tally.found += worse.finding == RAROG_FINDING_DEGRADATION;
		tally.undecided += worse.finding == RAROG_FINDING_INCONCLUSIVE;
		tally.wanting_nine += worse.runs_needed == 9;
	}
	return tally;
}

/* With six rounds pairs can show that nothing changed, and never that something did. */
TEST(six_rounds_may_show_that_nothing_changed)
{
	const struct tally tally = judge_rounds(6, 11, 0.004, 0.05);

	assert_true(tally.none >= 95);
	assert_int_equal(tally.undecided, 100);
	assert_int_equal(tally.wanting_nine, 100);
}

TEST(rounds_show_what_runs_do_not)
{
	const struct tally tally = judge_rounds(12, 12, 0.007, 0.04);

	assert_int_equal(tally.none, 100);
	assert_true(tally.found >= 98);
}

TEST(too_few_runs_are_said)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(9);
	rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
	rarog_cleanup(lab_release) struct lab lab;

	lab_build(&lab, 5);
	lab_run(&lab, random, 0.001, 1);
	judge(&lab, &verdict);
	assert_int_equal(verdict.finding, RAROG_FINDING_INCONCLUSIVE);
	assert_int_equal(verdict.tests, 7);       /* 1/2 … 1/128 of the run */
	assert_int_equal(verdict.runs_needed, 7); /* 2/C(14, 7) = 1/1716 < 0.01/7 < 2/C(12, 6) */
	for (size_t i = 0; i < verdict.changes.n; i++)
		assert_int_equal(verdict.changes.v[i].class, RAROG_CLASS_UNKNOWN);
}

/* Without untraced runs, nothing is said of the whole program, and functions decide. */
TEST(no_untraced_runs)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(10);
	rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
	rarog_cleanup(lab_release) struct lab lab;

	lab_build(&lab, 12);
	lab_run(&lab, random, 0.002, 0.5);
	for (size_t side = 0; side < 2; side++)
		lab.comparison.sides[side].wall_ns.n = lab.comparison.sides[side].cpu_ns.n = 0;
	judge(&lab, &verdict);
	assert_int_equal(verdict.finding, RAROG_FINDING_DEGRADATION);
	assert_int_equal(verdict.changes.v[0].class, RAROG_CLASS_UNKNOWN);
	assert_non_null(strstr(verdict.changes.v[0].reason, "no runs without probes"));
	assert_string_equal(verdict.changes.v[2].location, "f2");
	assert_int_equal(verdict.changes.v[2].class, RAROG_CLASS_SEVERE_DEGRADATION);
}

TEST(counts_are_compared_exactly)
{
	rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
	rarog_cleanup(lab_release) struct lab lab;

	lab_build(&lab, 2);
	lab.comparison.has_times = false;
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < FUNCTIONS; i++)
			for (size_t run = 0; run < 2; run++)
				lab.values[side][i][RAROG_MEASURE_CALLS][run] = 1000;
	lab.values[RAROG_TARGET][3][RAROG_MEASURE_CALLS][0] = 1030;
	lab.values[RAROG_TARGET][3][RAROG_MEASURE_CALLS][1] = 1030;
	lab.values[RAROG_TARGET][4][RAROG_MEASURE_CALLS][0] = 1001; /* not the same every time */
	judge(&lab, &verdict);
	assert_int_equal(verdict.finding, RAROG_FINDING_DEGRADATION);
	assert_string_equal(verdict.changes.v[2].location, "f3");
	assert_int_equal(verdict.changes.v[2].class, RAROG_CLASS_DEGRADATION);
	assert_close(verdict.changes.v[2].relative, 0.03, 1e-12);
	assert_string_equal(verdict.changes.v[3].location, "f4");
	assert_int_equal(verdict.changes.v[3].class, RAROG_CLASS_UNKNOWN);
}

TEST(thresholds_are_checked)
{
	double thresholds[RAROG_THRESHOLDS_MAX];

	rarog_threshold_standards(&rarog_check_runs, thresholds);
	assert_int_equal(rarog_threshold_set(&rarog_check_runs, "alpha=0.05", thresholds), 0);
	assert_close(thresholds[0], 0.05, 0);
	assert_int_equal(rarog_threshold_set(&rarog_check_runs, "alpha=2", thresholds), -EINVAL);
	assert_int_equal(rarog_threshold_set(&rarog_check_runs, "alpha=nan", thresholds), -EINVAL);
	assert_int_equal(rarog_threshold_set(&rarog_check_runs, "alpha", thresholds), -EINVAL);
	assert_int_equal(rarog_threshold_set(&rarog_check_runs, "beta=1", thresholds), -EINVAL);
	assert_ptr_equal(rarog_check_method_find("RUNS"), &rarog_check_runs);
	assert_null(rarog_check_method_find("run"));
}
