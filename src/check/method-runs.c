/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The standard method: runs against runs. The whole program by its untraced runs, every function
 * that takes part enough by its exclusive time, numbers of calls exactly where they do not vary.
 * A change must be significant among all tests made, and larger than what matters.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "check/describe.h"
#include "check/effect.h"
#include "check/method.h"
#include "check/two-sides.h"
#include "num/multiple.h"
#include "num/permutation.h"
#include "num/quantile.h"

enum {
	ALPHA,
	SMALLEST_EFFECT,
	SEVERE_EFFECT,
	LEAST_SHARE,
};

static const struct rarog_threshold thresholds[] = {
	[ALPHA] = { "alpha", 0.01, 1e-6, 0.5,
		    "part of the changes reported that may be false alarms" },
	[SMALLEST_EFFECT] = { "smallest-effect", 0.02, 0, 10,
			      "relative change that is too small to matter" },
	[SEVERE_EFFECT] = { "severe-effect", 0.25, 0, 100, "relative change that is severe" },
	[LEAST_SHARE] = { "least-share", 0.005, 0, 1,
			  "part of all time from which on a function is tested" },
	{ .name = NULL },
};

#define LEVEL      0.95 /* of intervals */
#define LEAST_DRAW 9999
#define SEED       1

struct judge {
	const struct rarog_comparison *comparison;
	const double *limits;
	struct rarog_effect effect;
	struct rarog_verdict *verdict;
	struct rarog_random *random;
	/* Of the tests that are made together: */
	size_t draws;
	bool is_paired;
	bool are_too_few; /* for anything to be significant; pairs may still show that nothing is */
};

/* --- one change --- */

/* What may happen to the whole run if the worst end of the interval is true. */
static bool may_matter(const struct rarog_change *change, double share, double effect)
{
	return isnan(change->high) || fmax(change->high, -change->low) * share > effect;
}

static int compare_values(struct judge *judge, size_t nx, const double x[], size_t ny,
			  const double y[], struct rarog_change *change)
{
	struct rarog_two_sides two;
	int r = rarog_two_sides(nx, x, ny, y, judge->is_paired, LEVEL, judge->draws, judge->random,
				&two);

	if (r < 0)
		return r;
	change->baseline = two.baseline;
	change->target = two.target;
	change->relative = two.relative;
	change->low = two.low;
	change->high = two.high;
	change->p = two.p;
	return 0;
}

/* --- several, tested together: they are the last of the verdict's changes --- */

static int adjust(struct judge *judge, size_t first, size_t runs)
{
	struct rarog_change *changes = judge->verdict->changes.v + first;
	size_t n = judge->verdict->changes.n - first;
	rarog_cleanup(rarog_freep) double *q = calloc(n + 1, sizeof(*q));
	int r;

	if (!q)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		q[i] = changes[i].p;
	r = rarog_multiple_adjust(RAROG_MULTIPLE_BH, n, q, q);
	for (size_t i = 0; r == 0 && i < n; i++) {
		changes[i].q = q[i];
		changes[i].class =
			rarog_effect_class(&judge->effect, changes[i].relative, changes[i].low,
					   changes[i].high, q[i] <= judge->limits[ALPHA]);
		rarog_change_say(&changes[i].reason,
				 rarog_effect_reason(&judge->effect, &changes[i], runs));
	}
	return r;
}

/* @is_all: of those that are tested together, else those that nothing is known of. */
static int give_up(struct judge *judge, size_t first, size_t nx, size_t ny, bool is_all)
{
	struct rarog_verdict *verdict = judge->verdict;
	size_t tests = verdict->changes.n - first;
	size_t least =
		rarog_permutation_least_runs(judge->limits[ALPHA], tests, 1, judge->is_paired);

	for (size_t i = first; i < verdict->changes.n; i++) {
		if (!is_all && verdict->changes.v[i].class != RAROG_CLASS_UNKNOWN)
			continue;
		verdict->runs_needed = least > verdict->runs_needed ? least : verdict->runs_needed;
		verdict->changes.v[i].class = RAROG_CLASS_UNKNOWN;
		rarog_change_say(&verdict->changes.v[i].reason,
				 rarog_asprintf("too few runs: %zu and %zu, %zu each are needed",
						nx, ny, least));
	}
	return 0;
}

static int conclude(struct judge *judge, size_t first, size_t nx, size_t ny)
{
	size_t tests = judge->verdict->changes.n - first;
	int r;

	if (tests == 0)
		return 0;
	if (judge->are_too_few && !judge->is_paired)
		return give_up(judge, first, nx, ny, true);
	r = adjust(judge, first, nx < ny ? nx : ny);
	return r == 0 && judge->are_too_few ? give_up(judge, first, nx, ny, false) : r;
}

/* How @tests comparisons are made; by numbers of runs alone, so that the choice favours nothing.
 * Pairs take out what the machine did meanwhile, but need more runs until any p can be small
 * enough; too few of either tell nothing. @are_pairs: rather pairs too few for that than none,
 * their intervals are worth it. */
static void prepare(struct judge *judge, size_t nx, size_t ny, size_t tests, bool are_pairs)
{
	size_t least =
		2 * rarog_permutation_least_draws(judge->limits[ALPHA], tests ? tests : 1, 1);
	double wanted = judge->limits[ALPHA] / (double)(tests ? tests : 1);
	double paired = judge->comparison->is_paired && nx == ny
				? rarog_two_sides_least_p(nx, ny, true)
				: INFINITY;

	judge->draws = least > LEAST_DRAW ? least : LEAST_DRAW;
	judge->is_paired = paired <= (are_pairs ? fmax(wanted, 1 - LEVEL) : wanted);
	judge->are_too_few = judge->is_paired ? paired > wanted
					      : rarog_two_sides_least_p(nx, ny, false) > wanted;
}

/* --- the whole program --- */

static int compare_program(struct judge *judge, const struct rarog_metric *metric, size_t nx,
			   const double x[], size_t ny, const double y[])
{
	struct rarog_change change = RAROG_CHANGE_INIT;
	int r;

	change.metric = metric;
	change.method = rarog_check_runs.name;
	r = nx && ny ? compare_values(judge, nx, x, ny, y, &change) : 0;
	change.impact = change.target / change.baseline - 1;
	return r < 0 ? r : rarog_verdict_add(judge->verdict, &change);
}

/* The time of traced runs without what their probes cost: no verdict, but better than nothing. */
static int traced_times(const struct rarog_side *side, bool is_cpu, double ret_ns[])
{
	size_t n = 0;

	for (size_t i = 0; i < side->runs.n; i++) {
		const struct rarog_side_run *run = &side->runs.v[i];
		double ns = (is_cpu ? run->cpu_ns : run->wall_ns) - run->calls * run->probe_ns;

		if (!isnan(ns))
			ret_ns[n++] = fmax(ns, 0);
	}
	return (int)n;
}

static int guess_program(struct judge *judge, bool is_cpu)
{
	const struct rarog_side *sides = judge->comparison->sides;
	rarog_cleanup(rarog_freep) double *x = calloc(sides[0].runs.n, sizeof(*x));
	rarog_cleanup(rarog_freep) double *y = calloc(sides[1].runs.n, sizeof(*y));
	struct rarog_change change = RAROG_CHANGE_INIT;
	double relative;

	if (!x || !y)
		return rarog_oom();
	change.class = RAROG_CLASS_UNKNOWN;
	change.metric = is_cpu ? &rarog_metric_cpu : &rarog_metric_wall;
	change.method = rarog_check_runs.name;
	change.reason = "no verdict: there are no runs without probes; this is of traced runs, "
			"less the cost of their probes";
	if (rarog_median((size_t)traced_times(&sides[0], is_cpu, x), x, &change.baseline) < 0 ||
	    rarog_median((size_t)traced_times(&sides[1], is_cpu, y), y, &change.target) < 0) {
		rarog_error_clear();
		change.baseline = change.target = NAN;
		change.reason = "no verdict: there are no runs without probes";
	}
	relative = change.target / change.baseline - 1;
	change.relative = isfinite(relative) ? relative : NAN;
	return rarog_verdict_add(judge->verdict, &change);
}

/* Return: 1 decided, 0 not, negative on failure. @ret_is_measured: there are untraced runs. */
static int judge_program(struct judge *judge, bool *ret_is_measured)
{
	const struct rarog_side *x = &judge->comparison->sides[RAROG_BASELINE];
	const struct rarog_side *y = &judge->comparison->sides[RAROG_TARGET];
	size_t first = judge->verdict->changes.n;
	int r;

	*ret_is_measured = x->wall_ns.n > 0 && y->wall_ns.n > 0;
	if (!*ret_is_measured) {
		r = guess_program(judge, false);
		return r < 0 ? r : guess_program(judge, true);
	}
	prepare(judge, x->wall_ns.n, y->wall_ns.n, 2, x->pairs.n == x->wall_ns.n);
	r = compare_program(judge, &rarog_metric_wall, x->wall_ns.n, x->wall_ns.v, y->wall_ns.n,
			    y->wall_ns.v);
	if (r == 0 && x->cpu_ns.n > 0 && y->cpu_ns.n > 0)
		r = compare_program(judge, &rarog_metric_cpu, x->cpu_ns.n, x->cpu_ns.v, y->cpu_ns.n,
				    y->cpu_ns.v);
	if (r == 0)
		r = conclude(judge, first, x->wall_ns.n, y->wall_ns.n);
	for (size_t i = first; r == 0 && i < judge->verdict->changes.n; i++)
		if (judge->verdict->changes.v[i].class == RAROG_CLASS_UNKNOWN)
			return 0;
	return r < 0 ? r : 1;
}

/* --- functions --- */

static bool is_all_zero(size_t n, const double v[])
{
	for (size_t i = 0; i < n; i++)
		if (v[i] != 0)
			return false;
	return true;
}

static double run_time(const struct rarog_comparison *c)
{
	double ns;

	if (rarog_median(c->sides[RAROG_BASELINE].runs.n, c->total_ns[RAROG_BASELINE], &ns) == 0)
		return ns;
	rarog_error_clear();
	return NAN;
}

static struct rarog_change change_of(const struct rarog_comparison *c, size_t row,
				     const struct rarog_metric *metric)
{
	struct rarog_change change = RAROG_CHANGE_INIT;

	rarog_describe_row(c, row, &change);
	change.metric = metric;
	change.method = rarog_check_runs.name;
	return change;
}

/* One that only one version called; 1 it was, 0 it is in both. */
static int judge_coming(struct judge *judge, size_t row, enum rarog_measure measure,
			const struct rarog_metric *metric)
{
	const struct rarog_comparison *c = judge->comparison;
	const struct rarog_row *of = &c->rows[row];
	struct rarog_change change = change_of(c, row, metric);
	bool is_gone = is_all_zero(c->sides[RAROG_TARGET].runs.n,
				   of->values[RAROG_TARGET][RAROG_MEASURE_CALLS]);
	bool is_new = is_all_zero(c->sides[RAROG_BASELINE].runs.n,
				  of->values[RAROG_BASELINE][RAROG_MEASURE_CALLS]);
	enum rarog_side_index side = is_gone ? RAROG_BASELINE : RAROG_TARGET;
	double ns;
	int r;

	if (!is_gone && !is_new)
		return 0;
	if (is_gone && is_new)
		return 1;
	r = rarog_median(c->sides[side].runs.n, of->values[side][measure], &ns);
	if (r < 0)
		return r;
	change.class = is_gone ? RAROG_CLASS_NOT_IN_TARGET : RAROG_CLASS_NOT_IN_BASELINE;
	change.baseline = is_gone ? ns : 0;
	change.target = is_gone ? 0 : ns;
	change.impact = (change.target - change.baseline) / run_time(c);
	change.reason =
		of->form[!side].mangled ? "it is in both versions, but called in one only" : NULL;
	r = rarog_verdict_add(judge->verdict, &change);
	return r < 0 ? r : 1;
}

static bool is_tested(const struct judge *judge, const struct rarog_row *row)
{
	return !row->is_folded && row->share > 0 && row->share >= judge->limits[LEAST_SHARE];
}

static int judge_coming_functions(struct judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < c->n; i++)
		if (is_tested(judge, &c->rows[i]))
			r = judge_coming(judge, i, RAROG_MEASURE_EXCLUSIVE,
					 &rarog_metric_exclusive);
	return r < 0 ? r : 0;
}

static bool is_in_both(const struct rarog_comparison *c, const struct rarog_row *row,
		       enum rarog_measure measure)
{
	return !is_all_zero(c->sides[RAROG_BASELINE].runs.n,
			    row->values[RAROG_BASELINE][measure]) &&
	       !is_all_zero(c->sides[RAROG_TARGET].runs.n, row->values[RAROG_TARGET][measure]);
}

static size_t count_tests(const struct judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += is_tested(judge, &c->rows[i]) &&
		     is_in_both(c, &c->rows[i], RAROG_MEASURE_EXCLUSIVE);
	return n;
}

static int compare_function(struct judge *judge, size_t row)
{
	const struct rarog_comparison *c = judge->comparison;
	const struct rarog_row *of = &c->rows[row];
	struct rarog_change change = change_of(c, row, &rarog_metric_exclusive);
	int r = compare_values(judge, c->sides[RAROG_BASELINE].runs.n,
			       of->values[RAROG_BASELINE][RAROG_MEASURE_EXCLUSIVE],
			       c->sides[RAROG_TARGET].runs.n,
			       of->values[RAROG_TARGET][RAROG_MEASURE_EXCLUSIVE], &change);

	if (r < 0 && r != -EDOM)
		return r;
	if (r < 0) { /* it hardly ever takes time in the baseline: nothing to divide by */
		rarog_error_clear();
		change.p = 1;
	}
	change.impact = (change.target - change.baseline) / run_time(c);
	return rarog_verdict_add(judge->verdict, &change);
}

/* Return: 1 all that could matter is decided, 0 not, negative on failure. */
static int judge_functions(struct judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t first, tests = count_tests(judge);
	int r = judge_coming_functions(judge);

	first = judge->verdict->changes.n;
	judge->verdict->tests = tests;
	prepare(judge, c->sides[RAROG_BASELINE].runs.n, c->sides[RAROG_TARGET].runs.n, tests,
		false);
	for (size_t i = 0; r == 0 && i < c->n; i++)
		if (is_tested(judge, &c->rows[i]) &&
		    is_in_both(c, &c->rows[i], RAROG_MEASURE_EXCLUSIVE))
			r = compare_function(judge, i);
	if (r == 0)
		r = conclude(judge, first, c->sides[RAROG_BASELINE].runs.n,
			     c->sides[RAROG_TARGET].runs.n);
	for (size_t i = first; r == 0 && i < judge->verdict->changes.n; i++) {
		const struct rarog_change *change = &judge->verdict->changes.v[i];

		if (change->class == RAROG_CLASS_UNKNOWN &&
		    may_matter(change, c->rows[change->row].share, judge->limits[SMALLEST_EFFECT]))
			return 0;
	}
	return r < 0 ? r : tests > 0;
}

/* --- numbers of calls, where there is nothing else --- */

/* The value of all runs, NAN: they differ. */
static double constant_of(size_t n, const double v[])
{
	for (size_t i = 1; i < n; i++)
		if (v[i] != v[0])
			return NAN;
	return v[0];
}

static int compare_count(struct judge *judge, size_t row)
{
	const struct rarog_comparison *c = judge->comparison;
	struct rarog_change change = change_of(c, row, &rarog_metric_calls);
	int r = judge_coming(judge, row, RAROG_MEASURE_CALLS, &rarog_metric_calls);

	if (r != 0)
		return r < 0 ? r : 0;
	change.baseline = constant_of(c->sides[RAROG_BASELINE].runs.n,
				      c->rows[row].values[RAROG_BASELINE][RAROG_MEASURE_CALLS]);
	change.target = constant_of(c->sides[RAROG_TARGET].runs.n,
				    c->rows[row].values[RAROG_TARGET][RAROG_MEASURE_CALLS]);
	change.relative = change.target / change.baseline - 1;
	change.low = change.high = change.relative;
	change.reason = "counted exactly";
	if (isnan(change.relative)) {
		change.class = RAROG_CLASS_UNKNOWN;
		change.reason = "the number of calls is not the same in every run";
	} else {
		change.class = rarog_effect_class(&judge->effect, change.relative, change.low,
						  change.high, true);
	}
	return rarog_verdict_add(judge->verdict, &change);
}

static int judge_counts(struct judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t runs = c->sides[RAROG_BASELINE].runs.n < c->sides[RAROG_TARGET].runs.n
			      ? c->sides[RAROG_BASELINE].runs.n
			      : c->sides[RAROG_TARGET].runs.n;
	int r = rarog_verdict_note(judge->verdict,
				   "only calls were counted: nothing is said of time");

	if (r == 0 && runs < 2)
		r = rarog_verdict_note(judge->verdict,
				       "one run a side: whether the numbers of calls "
				       "are the same in every run is not known");
	for (size_t i = 0; r == 0 && i < c->n; i++)
		if (!c->rows[i].is_folded)
			r = compare_count(judge, i);
	return r;
}

/* --- all --- */

static int note_order(struct judge *judge)
{
	uint64_t first[2] = { UINT64_MAX, UINT64_MAX }, last[2] = { 0, 0 };

	if (judge->comparison->is_paired)
		return 0;
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < judge->comparison->sides[side].runs.n; i++) {
			uint64_t at = judge->comparison->sides[side].runs.v[i].started_ns;

			first[side] = at && at < first[side] ? at : first[side];
			last[side] = at > last[side] ? at : last[side];
		}
	if (last[0] == 0 || last[1] == 0 || (last[0] >= first[1] && last[1] >= first[0]))
		return 0;
	return rarog_verdict_note(judge->verdict,
				  "the versions were measured one after the other: a change of the "
				  "machine in between would look like one of the program");
}

/* Did the program change, and no function that is tested with it? */
static bool is_unexplained(const struct rarog_verdict *verdict)
{
	bool slower = false, faster = false, any_slower = false, any_faster = false;

	for (size_t i = 0; i < verdict->changes.n; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];
		bool is_slower = rarog_class_is_degradation(change->class);
		bool is_faster = rarog_class_is_optimization(change->class);

		slower |= is_slower && !*change->location;
		faster |= is_faster && !*change->location;
		any_slower |= is_slower && *change->location;
		any_faster |= is_faster && *change->location;
	}
	return (slower && !any_slower) || (faster && !any_faster);
}

/* People must know which time they look at where it is not the better one. */
static int note_time(const struct judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t runs = c->sides[RAROG_BASELINE].runs.n + c->sides[RAROG_TARGET].runs.n;

	if (c->is_cpu_time)
		return 0;
	return rarog_verdict_note(judge->verdict,
				  "functions are compared by wall time, which a busy machine "
				  "spoils: %zu of %zu runs have no CPU time",
				  runs - c->runs_with_cpu, runs);
}

static int run(const struct rarog_comparison *comparison, const double limits[],
	       struct rarog_verdict *verdict)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(SEED);
	struct judge judge = {
		.comparison = comparison,
		.limits = limits,
		.effect = { limits[SMALLEST_EFFECT], limits[SEVERE_EFFECT] },
		.verdict = verdict,
		.random = random,
	};
	bool is_measured = false;
	int program, functions, r = random ? 0 : rarog_oom();

	program = r < 0 ? r : judge_program(&judge, &is_measured);
	if (program < 0)
		return program;
	if (!comparison->has_times) {
		verdict->is_open |= is_measured && program == 0;
		return judge_counts(&judge);
	}
	functions = judge_functions(&judge);
	if (functions < 0)
		return functions;
	verdict->is_open |= is_measured ? program == 0 : functions == 0;
	verdict->is_unexplained |= is_unexplained(verdict);
	r = note_time(&judge);
	return r < 0 ? r : note_order(&judge);
}

const struct rarog_check_method rarog_check_runs = {
	.name = "runs",
	.summary = "runs against runs: permutation tests with false-discovery control, intervals",
	.thresholds = thresholds,
	.run = run,
};
