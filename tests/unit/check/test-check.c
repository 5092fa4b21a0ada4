/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of two samples, and of findings: against enumeration and SciPy. */
#include "check/class.h"
#include "check/comparison.h"
#include "check/effect.h"
#include "check/function-name.h"
#include "check/two-sides.h"
#include "num-check.h"
#include "num/quantile.h"
#include "num/random.h"
#include "unit.h"

/* --- two samples --- */

static double rank_in(size_t n, const double pool[], double value)
{
	double below = 0, equal = 0;

	for (size_t i = 0; i < n; i++) {
		below += pool[i] < value;
		equal += pool[i] == value;
	}
	return below + (equal + 1) / 2;
}

/* Oracle: all labellings by bit masks, sum of the ranks of one side against its mean. */
static double by_masks(unsigned nx, const double *x, unsigned ny, const double *y)
{
	double pool[16], mean = nx * (nx + ny + 1) / 2.0, observed = 0;
	unsigned far = 0, all = 0;

	memcpy(pool, x, nx * sizeof(*x));
	memcpy(pool + nx, y, ny * sizeof(*y));
	for (unsigned i = 0; i < nx; i++)
		observed += rank_in(nx + ny, pool, x[i]);
	for (unsigned set = 0; set < 1U << (nx + ny); set++) {
		double sum = 0;

		if ((unsigned)__builtin_popcount(set) != nx)
			continue;
		for (unsigned i = 0; i < nx + ny; i++)
			sum += set >> i & 1 ? rank_in(nx + ny, pool, pool[i]) : 0;
		all++;
		far += fabs(sum - mean) > fabs(observed - mean) - 1e-9;
	}
	return far / (double)all;
}

TEST(p_is_that_of_enumeration)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(5);
	double x[6], y[6];

	for (unsigned round = 0; round < 30; round++) {
		unsigned nx = 3 + round % 4, ny = 3 + round / 4 % 4;
		struct rarog_two_sides two;

		/* every third round with ties */
		for (unsigned i = 0; i < 6; i++) {
			double a = 100 + 10 * rarog_random_normal(random),
			       b = 108 + 10 * rarog_random_normal(random);

			x[i] = round % 3 ? a : rint(a / 10);
			y[i] = round % 3 ? b : rint(b / 10);
		}
		assert_int_equal(rarog_two_sides(nx, x, ny, y, false, 0.8, 0, NULL, &two), 0);
		assert_close(two.p, by_masks(nx, x, ny, y), 1e-12);
	}
}

/* Oracle: signs of all pairs, by masks. */
static double by_signs(unsigned n, const double *x, const double *y)
{
	double size[16], observed = 0;
	unsigned far = 0;

	for (unsigned i = 0; i < n; i++)
		size[i] = fabs(log(y[i]) - log(x[i]));
	for (unsigned i = 0; i < n; i++)
		observed += copysign(rank_in(n, size, size[i]), y[i] - x[i]);
	for (unsigned set = 0; set < 1U << n; set++) {
		double sum = 0;

		for (unsigned i = 0; i < n; i++)
			sum += rank_in(n, size, size[i]) * (set >> i & 1 ? 1 : -1);
		far += fabs(sum) > fabs(observed) - 1e-9;
	}
	return far / (double)(1U << n);
}

TEST(pairs_are_those_of_enumeration)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(6);
	double x[10], y[10];

	for (unsigned round = 0; round < 10; round++) {
		struct rarog_two_sides two;

		for (unsigned i = 0; i < 10; i++) {
			x[i] = 100 + 30 * rarog_random_uniform(random); /* a drift hits both */
			y[i] = x[i] * (1.03 + 0.02 * rarog_random_normal(random));
		}
		assert_int_equal(rarog_two_sides(10, x, 10, y, true, 0.95, 0, NULL, &two), 0);
		assert_close(two.p, by_signs(10, x, y), 1e-12);
	}
}

TEST(no_variance_and_no_runs)
{
	static const double same[] = { 7, 7, 7, 7, 7, 7 }, more[] = { 8, 8, 8, 8, 8, 8 };
	static const double zeros[6];
	struct rarog_two_sides two;

	assert_int_equal(rarog_two_sides(6, same, 6, same, false, 0.95, 0, NULL, &two), 0);
	assert_close(two.p, 1, 0);
	assert_true(two.low == 0 && two.high == 0 && two.relative == 0);
	assert_int_equal(rarog_two_sides(6, same, 6, more, false, 0.95, 0, NULL, &two), 0);
	assert_close(two.p, 2.0 / 924, 1e-12);
	assert_close(two.relative, 1.0 / 7, 1e-12);
	assert_int_equal(rarog_two_sides(1, same, 1, more, false, 0.95, 0, NULL, &two), 0);
	assert_true(isnan(two.low)); /* no interval from one run */
	assert_int_equal(rarog_two_sides(6, zeros, 6, more, false, 0.95, 0, NULL, &two), -EDOM);
	assert_int_equal(rarog_two_sides(0, same, 6, more, false, 0.95, 0, NULL, &two), -EDOM);
	assert_close(rarog_two_sides_least_p(6, 6, false), 2.0 / 924, 1e-9);
	assert_close(rarog_two_sides_least_p(8, 8, true), 2.0 / 256, 1e-12);
}

/* Pairs that say 1 to 2 % more, of sides whose medians say less. */
TEST(what_is_said_of_two_sides_agrees)
{
	static const double x[] = { 100, 110, 120, 130, 140, 150, 160, 170 };
	static const double more[] = { 1.02, 1.01, 1.02, 0.93, 0.94, 1.02, 1.01, 1.02 };
	struct rarog_two_sides two;
	double y[8], medians[2];

	for (size_t i = 0; i < 8; i++)
		y[i] = x[i] * more[i];
	assert_int_equal(rarog_two_sides(8, x, 8, y, true, 0.95, 0, NULL, &two), 0);
	assert_int_equal(rarog_median(8, x, &medians[0]), 0);
	assert_int_equal(rarog_median(8, y, &medians[1]), 0);
	assert_true(medians[1] < medians[0] && two.relative > 0); /* that is the point */
	assert_close(two.target / two.baseline, 1 + two.relative, 1e-12);
	assert_close(two.target * two.baseline, medians[0] * medians[1], 1e-6);
}

/* Nothing takes less than no time. */
TEST(no_interval_reaches_below_nothing)
{
	static const double x[] = { 10, 11, 0, 9, 30, 12, 8, 25, 11, 10 };
	static const double y[] = { 2, 0, 0, 9, 1, 0, 3, 0, 40, 0 };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(8);
	struct rarog_two_sides two;

	for (int is_paired = 0; is_paired < 2; is_paired++) {
		assert_int_equal(rarog_two_sides(10, x, 10, y, is_paired, 0.95, 9999, random, &two),
				 0);
		assert_true(two.low >= -1 && two.low <= two.relative && two.relative <= two.high);
		assert_true(two.baseline > 0 && two.target > 0);
		assert_close(two.target / two.baseline, 1 + two.relative, 1e-12);
	}
}

/* One run of which nothing is left moves no estimate of the others. */
TEST(one_zero_among_many)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(7);
	struct rarog_two_sides with, without;
	double x[20], y[20];

	for (size_t i = 0; i < 20; i++) {
		x[i] = 100 + 2 * rarog_random_normal(random);
		y[i] = x[i] * (1.1 + 0.01 * rarog_random_normal(random));
	}
	assert_int_equal(rarog_two_sides(20, x, 20, y, true, 0.95, 9999, random, &without), 0);
	y[7] = 0;
	assert_int_equal(rarog_two_sides(20, x, 20, y, true, 0.95, 9999, random, &with), 0);
	assert_close(with.relative, without.relative, 0.05);
	assert_true(with.low > 0.08 && with.high < 0.12);
}

/* --- runs at once --- */

static int add_pair(struct rarog_side sides[2], size_t n, const double x[], const double y[])
{
	const double *const ns[2] = { x, y };
	int r = 0;

	for (size_t side = 0; side < 2; side++) {
		struct rarog_side *s = &sides[side];
		struct rarog_side_pairs pairs = { s->wall_ns.n, s->pair_wall_ns.n, n };

		for (size_t i = 0; i < n; i++) {
			r |= rarog_vec_push(&s->pair_wall_ns, ns[side][i]);
			r |= rarog_vec_push(&s->pair_cpu_ns, 2 * ns[side][i]);
		}
		r |= rarog_vec_push(&s->pairs, pairs);
		r |= rarog_vec_push(&s->wall_ns, ns[side][n / 2]);
		r |= rarog_vec_push(&s->cpu_ns, 2 * ns[side][n / 2]);
	}
	return r;
}

/* The second pair met a machine half as fast, the third one something that hit one of the two. */
TEST(a_round_is_the_median_of_its_pairs)
{
	static const double x[] = { 100, 200, 300 }, y[] = { 110, 220, 300 };
	static const double u[] = { 50, 60 }, v[] = { 100, 120 };
	struct rarog_side sides[2] = { 0 };

	assert_int_equal(add_pair(sides, 3, x, y), 0);
	assert_int_equal(add_pair(sides, 2, u, v), 0);
	rarog_sides_pair(sides);
	assert_close(sides[1].wall_ns.v[0] / sides[0].wall_ns.v[0], 1.1, 1e-12);
	assert_close(sides[1].cpu_ns.v[0] / sides[0].cpu_ns.v[0], 1.1, 1e-12);
	assert_close(sides[1].wall_ns.v[0] * sides[0].wall_ns.v[0], 200 * 220, 1e-6);
	assert_close(sides[1].wall_ns.v[1] / sides[0].wall_ns.v[1], 2, 1e-12);
	rarog_side_release(&sides[0]);
	rarog_side_release(&sides[1]);
}

TEST(all_pairs_of_a_round_count)
{
	struct rarog_side sides[2] = { 0 };
	double x[150], y[150];

	for (size_t i = 0; i < 150; i++) {
		x[i] = 100;
		y[i] = i < 70 ? 100 : 120;
	}
	assert_int_equal(add_pair(sides, 150, x, y), 0);
	rarog_sides_pair(sides);
	assert_close(sides[1].wall_ns.v[0] / sides[0].wall_ns.v[0], 1.2, 1e-12);
	rarog_side_release(&sides[0]);
	rarog_side_release(&sides[1]);
}

/* --- findings --- */

/* Of a program's instructions and those of one of its functions. */
TEST(instructions_of_the_program_decide)
{
	static const struct {
		enum rarog_class program, function;
		enum rarog_finding finding;
	} rows[] = {
		{ RAROG_CLASS_NO_CHANGE, RAROG_CLASS_MAYBE_OPTIMIZATION, RAROG_FINDING_NONE },
		{ RAROG_CLASS_NO_CHANGE, RAROG_CLASS_OPTIMIZATION, RAROG_FINDING_NONE },
		{ RAROG_CLASS_NO_CHANGE, RAROG_CLASS_MAYBE_DEGRADATION, RAROG_FINDING_NONE },
		{ RAROG_CLASS_OPTIMIZATION, RAROG_CLASS_MAYBE_DEGRADATION,
		  RAROG_FINDING_IMPROVEMENT },
		{ RAROG_CLASS_DEGRADATION, RAROG_CLASS_MAYBE_OPTIMIZATION,
		  RAROG_FINDING_DEGRADATION },
		{ RAROG_CLASS_MAYBE_DEGRADATION, RAROG_CLASS_DEGRADATION,
		  RAROG_FINDING_DEGRADATION },
		{ RAROG_CLASS_MAYBE_DEGRADATION, RAROG_CLASS_OPTIMIZATION, RAROG_FINDING_MAYBE },
		{ RAROG_CLASS_MAYBE_OPTIMIZATION, RAROG_CLASS_OPTIMIZATION,
		  RAROG_FINDING_IMPROVEMENT },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++) {
		rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
		struct rarog_change change = RAROG_CHANGE_INIT;

		change.metric = &rarog_metric_instructions;
		change.class = rows[i].program;
		assert_int_equal(rarog_verdict_add(&verdict, &change), 0);
		change.location = "f";
		change.row = 0;
		change.class = rows[i].function;
		assert_int_equal(rarog_verdict_add(&verdict, &change), 0);
		rarog_verdict_finish(&verdict);
		assert_int_equal(verdict.finding, rows[i].finding);
	}
}

/* Times of functions are evidence of their own. */
TEST(times_of_functions_count)
{
	rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };
	struct rarog_change change = RAROG_CHANGE_INIT;

	change.metric = &rarog_metric_wall;
	change.class = RAROG_CLASS_NO_CHANGE;
	assert_int_equal(rarog_verdict_add(&verdict, &change), 0);
	change.metric = &rarog_metric_exclusive;
	change.location = "f";
	change.row = 0;
	change.class = RAROG_CLASS_DEGRADATION;
	assert_int_equal(rarog_verdict_add(&verdict, &change), 0);
	rarog_verdict_finish(&verdict);
	assert_int_equal(verdict.finding, RAROG_FINDING_DEGRADATION);
}

/* What matters most is the first that is shown: a function that came with a tenth of the run's
 * instructions is not after one that executes a thousandth more. */
TEST(instructions_that_came_stand_by_their_number)
{
	static const struct {
		const char *location;
		enum rarog_class class;
		double impact;
	} rows[] = {
		{ "small", RAROG_CLASS_DEGRADATION, 0.001 },
		{ "new", RAROG_CLASS_NOT_IN_BASELINE, 0.089 },
		{ "faster", RAROG_CLASS_OPTIMIZATION, -0.01 },
		{ "gone", RAROG_CLASS_NOT_IN_TARGET, -0.05 },
	};
	static const char *const order[] = { "new", "small", "gone", "faster" };
	rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = { 0 };

	for (size_t i = 0; i < RAROG_COUNT(rows); i++) {
		struct rarog_change change = RAROG_CHANGE_INIT;

		change.metric = &rarog_metric_instructions;
		change.location = rows[i].location;
		change.row = i;
		change.class = rows[i].class;
		change.impact = rows[i].impact;
		assert_int_equal(rarog_verdict_add(&verdict, &change), 0);
	}
	rarog_verdict_finish(&verdict);
	for (size_t i = 0; i < RAROG_COUNT(order); i++)
		assert_string_equal(verdict.changes.v[i].location, order[i]);
}

/* … but what one does more and another less is nothing to a run that is known to be as fast, or
 * faster, or one of both: slower by less than matters at most. */
TEST(work_that_moved_is_not_slower)
{
	static const struct {
		enum rarog_class program;
		double high, less;
		enum rarog_finding finding;
		enum rarog_class cpu;
	} rows[] = {
		{ RAROG_CLASS_NO_CHANGE, 0.01, -0.28, RAROG_FINDING_IMPROVEMENT },
		{ RAROG_CLASS_OPTIMIZATION, -0.03, -0.28, RAROG_FINDING_IMPROVEMENT },
		{ RAROG_CLASS_NO_CHANGE, 0.01, -0.1, RAROG_FINDING_DEGRADATION },
		{ RAROG_CLASS_UNKNOWN, 0.006, -0.28, RAROG_FINDING_IMPROVEMENT },
		{ RAROG_CLASS_UNKNOWN, 0.03, -0.28, RAROG_FINDING_DEGRADATION },
		{ RAROG_CLASS_UNKNOWN, NAN, -0.28, RAROG_FINDING_DEGRADATION },
		{ RAROG_CLASS_UNKNOWN, 0.03, -0.29, RAROG_FINDING_IMPROVEMENT,
		  RAROG_CLASS_NO_CHANGE },
		{ RAROG_CLASS_UNKNOWN, 0.03, -0.2, RAROG_FINDING_DEGRADATION,
		  RAROG_CLASS_NO_CHANGE },
		{ RAROG_CLASS_MAYBE_DEGRADATION, 0.03, -0.29, RAROG_FINDING_DEGRADATION,
		  RAROG_CLASS_NO_CHANGE },
		{ RAROG_CLASS_MAYBE_DEGRADATION, 0.03, -0.28, RAROG_FINDING_DEGRADATION },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++) {
		rarog_cleanup(rarog_verdict_release) struct rarog_verdict verdict = {
			.smallest_effect = 0.02
		};
		struct rarog_change change = RAROG_CHANGE_INIT;

		change.metric = &rarog_metric_wall;
		change.class = rows[i].program;
		change.high = rows[i].high;
		assert_int_equal(rarog_verdict_add(&verdict, &change), 0);
		change.metric = &rarog_metric_cpu;
		change.class = rows[i].cpu;
		if (rows[i].cpu)
			assert_int_equal(rarog_verdict_add(&verdict, &change), 0);
		change.metric = &rarog_metric_exclusive;
		change.location = "f";
		change.row = 0;
		change.class = RAROG_CLASS_SEVERE_DEGRADATION;
		change.impact = 0.3;
		assert_int_equal(rarog_verdict_add(&verdict, &change), 0);
		change.location = "g";
		change.row = 1;
		change.class = RAROG_CLASS_OPTIMIZATION;
		change.impact = rows[i].less;
		assert_int_equal(rarog_verdict_add(&verdict, &change), 0);
		rarog_verdict_finish(&verdict);
		assert_int_equal(verdict.finding, rows[i].finding);
		assert_int_equal(verdict.notes.n, rows[i].finding == RAROG_FINDING_IMPROVEMENT);
	}
}

/* --- sizes and names --- */

TEST(families_are_names_without_the_compilers_numbers)
{
	static const char *const rows[][2] = {
		{ "main::{lambda()#2}::operator()() const",
		  "main::{lambda()#}::operator()() const" },
		{ "void call<main::{lambda()#12}>(main::{lambda()#12})",
		  "void call<main::{lambda()#}>(main::{lambda()#})" },
		{ "main::$_0::operator()() const", "main::$_::operator()() const" },
		{ "work2", NULL },
		{ "a#b", NULL },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++) {
		rarog_cleanup(rarog_freep) char *family = rarog_name_family(rows[i][0]);

		if (rows[i][1])
			assert_string_equal(family, rows[i][1]);
		else
			assert_null(family);
	}
}

TEST(classes_of_intervals)
{
	static const struct rarog_effect effect = { 0.02, 0.25 };
	static const struct {
		double value, low, high;
		bool is_sure;
		enum rarog_class class;
	} rows[] = {
		{ 0.001, -0.01, 0.012, false, RAROG_CLASS_NO_CHANGE },
		{ 0.015, 0.012, 0.018, true, RAROG_CLASS_NO_CHANGE }, /* sure, but too small */
		{ 0.05, -0.01, 0.11, false, RAROG_CLASS_UNKNOWN },
		{ 0.05, 0.03, 0.07, false, RAROG_CLASS_UNKNOWN }, /* among many: chance */
		{ 0.05, 0.03, 0.07, true, RAROG_CLASS_DEGRADATION },
		{ 0.03, 0.01, 0.05, true, RAROG_CLASS_MAYBE_DEGRADATION },
		{ 0.40, 0.26, 0.55, true, RAROG_CLASS_SEVERE_DEGRADATION },
		{ -0.05, -0.07, -0.03, true, RAROG_CLASS_OPTIMIZATION },
		{ -0.03, -0.05, -0.01, true, RAROG_CLASS_MAYBE_OPTIMIZATION },
		{ -0.30, -0.35, -0.21, true, RAROG_CLASS_SEVERE_OPTIMIZATION },
		{ -0.30, -0.35, -0.19, true, RAROG_CLASS_OPTIMIZATION },
		{ 1, NAN, NAN, true, RAROG_CLASS_UNKNOWN },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++)
		assert_int_equal(rarog_effect_class(&effect, rows[i].value, rows[i].low,
						    rows[i].high, rows[i].is_sure),
				 rows[i].class);
}

/* By hand: with R runs an interval of half width W has W (N/R)^-1/2 after N. It must get shorter
 * than the change (in 99 %), or lie within 2 %. */
TEST(runs_that_would_tell_follow_from_the_interval)
{
	static const struct {
		double relative, low, high;
		const char *end;
	} rows[] = {
		{ 0.1, -0.05, 0.25,
		  "about 39 runs of each would tell" }, /* (1.3 × 0.15/0.1)² × 10 */
		{ 0, -0.05, 0.05, "about 66 runs of each would tell" }, /* (0.05/0.0196)² × 10 */
		{ 0.0199, -0.01, 0.05,
		  "about 39 runs of each would tell" }, /* at the edge itself */
		{ 0.01, -0.9, 0.92, "perhaps more than 1000 runs of each would tell" },
	};
	const struct rarog_effect effect = { 0.02, 0.25 };

	for (size_t i = 0; i < RAROG_COUNT(rows); i++) {
		struct rarog_change change = RAROG_CHANGE_INIT;
		rarog_cleanup(rarog_freep) char *reason = NULL;

		change.relative = rows[i].relative;
		change.low = rows[i].low;
		change.high = rows[i].high;
		reason = rarog_effect_reason(&effect, &change, 10);
		assert_non_null(strstr(reason, rows[i].end));
	}
}

TEST(clones_have_one_name)
{
	static const struct {
		const char *symbol;
		size_t length;
	} rows[] = {
		{ "f", 1 },
		{ "f.constprop.0", 1 },
		{ "f.isra.0.cold", 1 },
		{ "f.part.12", 1 },
		{ "f.lto_priv.3.constprop.1", 1 },
		{ "f.llvm.1234567890", 1 },
		{ "f.own", 5 },
		{ "f.own.part.0", 5 },
		{ ".hidden", 7 },
		{ "", 0 },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++)
		assert_int_equal(rarog_name_length(rows[i].symbol), rows[i].length);
	assert_int_equal(rarog_binary_length("libz.so.1.2.13"), 7);
	assert_int_equal(rarog_binary_length("prog"), 4);
	assert_string_equal(rarog_file_name("/a/b.c"), "b.c");
	assert_string_equal(rarog_file_name(NULL), "");
}
