/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of calls and of an imported document, models that come along, thinning. */
#include <stdio.h>
#include <unistd.h>

#include "binary/value-path.h"
#include "import/perun-curves.h"
#include "model/points-arguments.h"
#include "model/points.h"
#include "num-check.h"
#include "profile/writer.h"
#include "unit.h"

#define LOCATIONS 4

struct seen {
	struct rarog_points points[LOCATIONS];
	struct rarog_models models[LOCATIONS];
	char names[LOCATIONS][16]; /* of x */
};

static void seen_release(struct seen *seen)
{
	for (size_t i = 0; i < LOCATIONS; i++) {
		rarog_points_release(&seen->points[i]);
		rarog_models_release(&seen->models[i]);
	}
}

static int see_point(void *arg, uint32_t location, double x, double y)
{
	struct seen *seen = arg;

	assert_true(location < LOCATIONS);
	return rarog_points_add(&seen->points[location], x, y);
}

static int see_model(void *arg, uint32_t location, struct rarog_model *take_model)
{
	struct seen *seen = arg;

	assert_true(location < LOCATIONS);
	seen->models[location].v[seen->models[location].n++] = *take_model;
	return 0;
}

static int see_name(void *arg, uint32_t location, const char *x)
{
	struct seen *seen = arg;

	assert_true(location < LOCATIONS);
	assert_int_equal(seen->points[location].seen, 0); /* before the points */
	snprintf(seen->names[location], sizeof(seen->names[location]), "%s", x);
	return 0;
}

static void read_points(const char *path, struct seen *seen)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_points_sink sink = {
		.point = see_point, .model = see_model, .named = see_name, .arg = seen
	};

	assert_int_equal(rarog_profile_open(path, &profile), 0);
	assert_int_equal(rarog_points_read(profile, &sink), 0);
}

static void temporary(char path[static 64])
{
	memcpy(path, "/tmp/rarog-points-XXXXXX", sizeof("/tmp/rarog-points-XXXXXX"));
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
}

/* --- calls --- */

#define ENTER(location) (RAROG_OP_ENTRY + (location))

static void add_block(struct rarog_profile_writer *w, uint32_t strand, size_t n,
		      const uint32_t op[], const uint64_t delta[], size_t n_open,
		      const uint32_t open[])
{
	const struct rarog_calls calls = {
		.strand = strand, .n = n, .op = op, .delta = delta, .n_open = n_open, .open = open
	};

	assert_int_equal(rarog_profile_add_calls(w, &calls), 0);
}

static struct rarog_profile_writer *begin_profile(const char *path)
{
	static const char *const names[LOCATIONS] = { "main", "f", "g", "h" };
	struct rarog_profile_writer *w = NULL;
	const struct rarog_clock clock = { .hz = 500000000 }; /* a tick is 2 ns */
	const struct rarog_process process = { .parent = RAROG_NONE, .command = "x" };

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	rarog_profile_set_clock(w, &clock);
	assert_int_equal(rarog_profile_set_header(w, "{}"), 0);
	assert_true(rarog_profile_add_process(w, &process) >= 0);
	for (uint32_t i = 0; i < 2; i++) {
		const struct rarog_strand strand = { .tid = i + 1 };

		assert_int_equal(rarog_profile_add_strand(w, &strand), i);
	}
	for (size_t i = 0; i < LOCATIONS; i++) {
		const struct rarog_location location = { .binary = RAROG_NONE, .name = names[i] };

		assert_int_equal(rarog_profile_add_location(w, &location), (long)i);
	}
	return w;
}

/* main { f 10, f 20 (waited 5 for rarog), g { f 30 } 40 } closed at the end; f 7 in a second strand
 */
static void write_calls(const char *path, void (*add_values)(struct rarog_profile_writer *w))
{
	static const uint32_t first[] = { ENTER(0),      ENTER(1),        RAROG_OP_RETURN, ENTER(1),
					  RAROG_OP_WAIT, RAROG_OP_RETURN, ENTER(2) };
	static const uint64_t first_delta[] = { 1, 4, 10, 1, 5, 20, 0 };
	static const uint32_t second[] = { ENTER(1), RAROG_OP_RETURN };
	static const uint64_t second_delta[] = { 3, 7 };
	static const uint32_t third[] = { ENTER(1), RAROG_OP_RETURN, RAROG_OP_RETURN,
					  RAROG_OP_CLOSED };
	static const uint64_t third_delta[] = { 5, 30, 5, 100 };
	static const uint32_t open[] = { 0, 2 };
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w =
		begin_profile(path);

	if (add_values)
		add_values(w);
	add_block(w, 0, 7, first, first_delta, 0, NULL);
	add_block(w, 1, 2, second, second_delta, 0, NULL);
	add_block(w, 0, 4, third, third_delta, 2, open);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
}

TEST(calls)
{
	/* ns, by number of the call in its strand */
	static const double x[] = { 1, 1, 2, 3 }, y[] = { 14, 20, 40, 60 };
	rarog_cleanup(seen_release) struct seen seen = { 0 };
	char path[64];

	temporary(path);
	write_calls(path, NULL);
	read_points(path, &seen);
	unlink(path);
	assert_int_equal(seen.points[0].n, 0); /* main did not end by itself */
	assert_int_equal(seen.points[2].n, 1);
	assert_close(seen.points[2].y[0], 80, 0);
	assert_int_equal(seen.points[1].n, 4);
	assert_int_equal(rarog_points_sort(&seen.points[1]), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_close(seen.points[1].x[i], x[i], 0);
		assert_close(seen.points[1].y[i], y[i], 0);
	}
}

/* f(list, n, m) returns 1, g returns its size */
static void add_values(struct rarog_profile_writer *w)
{
	static const struct rarog_argument arguments[] = {
		{ 1, "return", "int", RAROG_VALUE_SIGNED, true },
		{ 1, "list", "struct list *", RAROG_VALUE_POINTER, false },
		{ 1, "n", "int", RAROG_VALUE_SIGNED, false },
		{ 1, "m", "int", RAROG_VALUE_SIGNED, false },
		{ 2, "return", "long", RAROG_VALUE_SIGNED, true },
	};
	static const struct rarog_call_value values[] = {
		{ 0, 0, 1, 1 },    { 0, 0, 2, 1 },  { 0, 0, 3, 1 },   { 0, 1, 1, 1 },
		{ 1, 0, 1, 4096 }, { 2, 0, 1, 5 },  { 2, 0, 2, 300 }, { 2, 0, 3, 7 },
		{ 2, 1, 1, 2 },    { 3, 0, 1, 11 }, { 4, 0, 1, 9 },
	};

	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
		assert_int_equal(rarog_profile_add_argument(w, &arguments[i]), (long)i);
	assert_int_equal(rarog_profile_add_values(w, sizeof(values) / sizeof(*values), values), 0);
}

/* The same calls: an argument is x, no pointer, no result where there is an argument. */
TEST(calls_with_values)
{
	static const double x[] = { 2, 5, 7, 300 }, y[] = { 14, 20, 60, 40 };
	rarog_cleanup(seen_release) struct seen seen = { 0 };
	char path[64];

	temporary(path);
	write_calls(path, add_values);
	read_points(path, &seen);
	unlink(path);
	assert_string_equal(seen.names[0], "");
	assert_string_equal(seen.names[1], "n");
	assert_int_equal(seen.points[1].n, 4);
	assert_int_equal(rarog_points_sort(&seen.points[1]), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_close(seen.points[1].x[i], x[i], 0);
		assert_close(seen.points[1].y[i], y[i], 0);
	}
	assert_string_equal(seen.names[2], "return");
	assert_int_equal(seen.points[2].n, 1);
	assert_close(seen.points[2].x[0], 9, 0);
	assert_close(seen.points[2].y[0], 80, 0);
}

/* Two calls of f and two of g, without durations. f's @kind says whether "instructions" and
 * "blocks" are what its calls cost; g has a value of such a name and no cost. */
static void write_values(const char *path, enum rarog_value_kind kind)
{
	const struct rarog_argument arguments[] = {
		{ 1, "n", "int", RAROG_VALUE_SIGNED, false },
		{ 1, "instructions", "of the call", kind, true },
		{ 2, "instructions", "int", RAROG_VALUE_SIGNED, false },
		{ 2, "return", "int", RAROG_VALUE_SIGNED, true },
		{ 1, "blocks", "of the call", kind, true },
	};
	static const struct rarog_call_value values[] = {
		{ 0, 0, 1, 5 }, { 0, 0, 2, 7 }, { 1, 0, 1, 50 }, { 1, 0, 2, 70 }, { 2, 0, 1, 1 },
		{ 2, 0, 2, 2 }, { 3, 0, 1, 3 }, { 3, 0, 2, 4 },  { 4, 0, 1, 6 },  { 4, 0, 2, 8 },
	};
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w =
		begin_profile(path);

	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
		assert_int_equal(rarog_profile_add_argument(w, &arguments[i]), (long)i);
	assert_int_equal(rarog_profile_add_values(w, sizeof(values) / sizeof(*values), values), 0);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
}

static void read_values(enum rarog_value_kind kind, const char *cost,
			struct rarog_argument_points *ret_points)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	char path[64];

	temporary(path);
	write_values(path, kind);
	assert_int_equal(rarog_profile_open(path, &profile), 0);
	assert_int_equal(rarog_argument_points_read(profile, cost, false, ret_points), 0);
	unlink(path);
}

/* A value of the program's may have the name of the cost. */
TEST(values_with_costs)
{
	static const double x[] = { 5, 7 }, y[] = { 50, 70, 6, 8 };
	struct rarog_argument_points points;
	for (size_t cost = 0; cost < 2; cost++) {
		read_values(RAROG_VALUE_COST, cost ? "blocks" : NULL, &points);
		assert_int_equal(points.n, 5);
		assert_int_equal(points.of[0].n, 2);
		for (size_t i = 0; i < 2; i++) {
			assert_close(points.of[0].x[i], x[i], 0);
			assert_close(points.of[0].y[i], y[2 * cost + i], 0);
		}
		for (size_t i = 1; i < 5; i++)
			assert_int_equal(points.of[i].n, 0);
		rarog_argument_points_release(&points);
	}
	read_values(RAROG_VALUE_SIGNED, NULL, &points);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(points.of[i].n, 0);
	rarog_argument_points_release(&points);
}

/* --- an imported document --- */

static const char document[] =
	"{\"header\":{\"type\":\"mixed\",\"cmd\":\"x\",\"workload\":\"w\",\"units\":{\"mixed(d)\":"
	"\"us\"}},\"collector_info\":{\"name\":\"complexity\",\"params\":{}},\"resources\":{\"f#"
	"0\":"
	"{\"amount\":[3,1,2.5],\"structure-unit-size\":[30,10,20]},\"g#0\":{\"amount\":[7]},\"h#"
	"0\":{\"amount\":[5]},\"h#1\":{\"amount\":[6]}},"
	"\"resource_type_map\":{\"f#0\":{\"uid\":\"f\",\"type\":\"mixed\",\"subtype\":\"d\"},"
	"\"h#0\":{\"uid\":\"h\",\"type\":\"mixed\",\"workload\":\"10\"},"
	"\"h#1\":{\"uid\":\"h\",\"type\":\"mixed\",\"workload\":20.5},"
	"\"g#0\":{\"uid\":\"g\",\"type\":\"mixed\",\"subtype\":\"d\"}},\"models\":["
	"{\"uid\":\"f\",\"model\":\"linear\",\"r_square\":0.9,\"x_start\":1,\"x_end\":9,\"coeffs\":"
	"[{\"name\":\"b1\",\"value\":3},{\"name\":\"b0\",\"value\":2}]},"
	"{\"uid\":\"g\",\"model\":\"power\",\"r_square\":0.5,\"x_start\":0,\"x_end\":9,\"coeffs\":"
	"[{\"name\":\"b0\",\"value\":2},{\"name\":\"b1\",\"value\":3}]},"
	"{\"uid\":\"g\",\"model\":\"regressogram\",\"r_square\":0.5,\"x_start\":0,\"x_end\":8,"
	"\"bucket_stats\":[1,2,3,6]},"
	"{\"uid\":\"g\",\"model\":\"moving_average\",\"r_square\":0.5,\"x_start\":0,\"x_end\":9,"
	"\"bucket_stats\":[1,2,3,6]},"
	"{\"uid\":\"g\",\"model\":\"kernel_regression\",\"r_square\":1,\"x_start\":0,\"x_end\":9},"
	"{\"uid\":\"nobody\",\"model\":\"linear\",\"r_square\":1,\"x_start\":0,\"x_end\":9,"
	"\"coeffs\":[{\"name\":\"b0\",\"value\":2},{\"name\":\"b1\",\"value\":3}]},"
	"{\"uid\":\"f\",\"model\":\"linear\",\"r_square\":NaN,\"x_start\":0,\"x_end\":9,"
	"\"coeffs\":[{\"name\":\"b7\",\"value\":2}]}]}";

static void import(const char *path, const char *text)
{
	rarog_cleanup(rarog_perun_freep) struct rarog_perun *perun = NULL;
	const struct rarog_perun_options options = { 0 };
	struct rarog_perun_result result;

	assert_int_equal(rarog_perun_parse("document", strlen(text), text, &perun), 0);
	assert_int_equal(rarog_perun_write(perun, &options, path, &result), 0);
}

static size_t location_named(const char *path, const char *name)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_location *locations;

	assert_int_equal(rarog_profile_open(path, &profile), 0);
	long n = rarog_profile_locations(profile, &locations);

	for (long i = 0; i < n; i++)
		if (strcmp(locations[i].name, name) == 0)
			return (size_t)i;
	fail_msg("no location %s", name);
	return 0;
}

TEST(imported)
{
	rarog_cleanup(seen_release) struct seen seen = { 0 };
	const struct rarog_model *model;
	double mean = 0;
	char path[64];

	temporary(path);
	import(path, document);
	read_points(path, &seen);
	size_t f = location_named(path, "f"), g = location_named(path, "g");
	size_t h = location_named(path, "h");

	unlink(path);
	assert_int_equal(seen.points[f].n, 3);
	assert_int_equal(rarog_points_sort(&seen.points[f]), 0);
	assert_close(seen.points[f].x[1], 20, 0);
	assert_close(seen.points[f].y[1], 2500, 1e-12); /* ns */
	assert_int_equal(seen.points[g].n, 0);
	assert_int_equal(seen.points[h].n, 2);
	assert_close(seen.points[h].x[0], 10, 0);
	assert_close(seen.points[h].x[1], 20.5, 0);
	assert_int_equal(seen.models[f].n, 1);
	assert_close(rarog_model_value(&seen.models[f].v[0], 5), 17000, 1e-12);
	assert_int_equal(seen.models[g].n, 3);
	model = rarog_models_find(&seen.models[g], "power");
	assert_close(rarog_model_value(model, 2), 16000, 1e-12);
	assert_close(rarog_model_value(model, 0), 0, 0);
	model = rarog_models_find(&seen.models[g], "regressogram");
	assert_close(rarog_model_value(model, 7.9), 6000, 1e-12);
	assert_int_equal(rarog_model_mean(model, 0, 8, &mean), 0);
	assert_close(mean, 3000, 1e-12);
	model = rarog_models_find(&seen.models[g], "moving-average");
	assert_close(rarog_model_value(model, 7.5), 4500, 1e-12);
}

/* --- many points --- */

/* Brute force of what bins are to know: groups of equal x, as the test put them in. */
static void expect_group(const struct rarog_points *points, size_t i, double x, double n, double y)
{
	assert_close(points->x[i], x, 1e-12);
	assert_close(points->w[i], n, 0);
	assert_close(points->y[i], y, 1e-9);
}

/* 100,003 calls; x is 1 but for one in 1,000, which is 10, and three, which are 1e6. */
TEST(rare_x_survive)
{
	rarog_cleanup(rarog_points_release) struct rarog_points points = { 0 };
	double sum[2] = { 0 }, n[2] = { 0 }, mean, least, squares = 0;

	for (size_t i = 0; i < 100000; i++) {
		bool is_rare = i % 1000 == 999;
		double y = (double)(i % 7);

		n[is_rare]++, sum[is_rare] += y;
		assert_int_equal(rarog_points_add(&points, is_rare ? 10 : 1, y), 0);
	}
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(rarog_points_add(&points, 1e6, 500 + (double)i), 0);
	assert_int_equal(rarog_points_sort(&points), 0);
	assert_int_equal(points.seen, 100003);
	assert_int_equal(points.n, 3);
	for (size_t k = 0; k < 2; k++)
		expect_group(&points, k, k ? 10 : 1, n[k], sum[k] / n[k]);
	expect_group(&points, 2, 1e6, 3, 501);
	for (size_t i = 0; i < 100000; i++) {
		mean = sum[i % 1000 == 999] / n[i % 1000 == 999];
		squares += ((double)(i % 7) - mean) * ((double)(i % 7) - mean);
	}
	assert_close(points.within, squares + 2, 1e-9);
	/* medians: of 0 … 6, each as often; of three values the middle one */
	assert_int_equal(rarog_points_settle(&points, &least), 0);
	assert_close(least, 3, 0);
	assert_between(points.y[0], 2, 4);
	assert_close(points.y[2], 501, 0);
}

/* Of a million different x none is left out: weights add up, sums agree, bins are narrow. */
TEST(a_million_different_x)
{
	rarog_cleanup(rarog_points_release) struct rarog_points points = { 0 };
	const size_t n = 1000000;
	double all = 0, sum_x = 0, sum_y = 0;

	for (size_t i = 0; i < n; i++) {
		double x = (double)((i * 7919) % n + 1); /* each once: 7919 is prime */

		assert_int_equal(rarog_points_add(&points, x, 3 * x), 0);
	}
	assert_int_equal(rarog_points_sort(&points), 0);
	assert_between((double)points.n, RAROG_GROUPS_MAX / 4.0, RAROG_GROUPS_MAX);
	for (size_t i = 0; i < points.n; i++) {
		all += points.w[i];
		sum_x += points.w[i] * points.x[i];
		sum_y += points.w[i] * points.y[i];
		assert_close(points.y[i], 3 * points.x[i], 1e-9);
		assert_true(i == 0 || points.x[i] > points.x[i - 1]);
		/* a bin's points are neighbours: as wide as it has points */
		assert_true(points.w[i] <= 1 || points.w[i] < 0.04 * points.x[i]);
	}
	assert_close(all, (double)n, 0);
	assert_close(sum_x, (double)n * ((double)n + 1) / 2, 1e-9);
	assert_close(sum_y, 3 * (double)n * ((double)n + 1) / 2, 1e-9);
	assert_close(points.least, 1, 0);
	assert_close(points.most, (double)n, 0);
}

/* Numbers that differ in their last digits only: a date is no single x. */
TEST(a_narrow_range_far_from_zero)
{
	rarog_cleanup(rarog_points_release) struct rarog_points points = { 0 };

	for (size_t i = 0; i < 100000; i++)
		assert_int_equal(rarog_points_add(&points, 1.7e9 + (double)i, (double)i), 0);
	assert_int_equal(rarog_points_sort(&points), 0);
	assert_between((double)points.n, RAROG_GROUPS_MAX / 4.0, RAROG_GROUPS_MAX);
}

/* Negative x, both zeros, and what is no number. */
TEST(x_of_any_sign)
{
	rarog_cleanup(rarog_points_release) struct rarog_points points = { 0 };
	static const double x[] = { 5, -3, 0, -0.0, NAN, INFINITY, -1e300 };

	for (size_t i = 0; i < 7 * 10000; i++)
		assert_int_equal(rarog_points_add(&points, x[i % 7], 1), 0);
	assert_int_equal(rarog_points_sort(&points), 0);
	assert_int_equal(points.left_out, 20000);
	assert_int_equal(points.n, 4);
	assert_close(points.x[0], -1e300, 0);
	assert_close(points.x[1], -3, 0);
	assert_close(points.x[2], 0, 0);
	assert_close(points.w[2], 20000, 0);
	assert_close(points.x[3], 5, 0);
}

/* Points of several runs: as if all had been of one. */
TEST(merged)
{
	rarog_cleanup(rarog_points_release) struct rarog_points one = { 0 }, a = { 0 }, b = { 0 };
	rarog_cleanup(rarog_points_release) struct rarog_points few = { 0 };

	for (size_t i = 0; i < 60000; i++) {
		double x = (double)(i * i % 1001), y = (double)(i % 97);

		assert_int_equal(rarog_points_add(&one, x, y), 0);
		assert_int_equal(rarog_points_add(i % 3 ? &a : i < 300 ? &few : &b, x, y), 0);
	}
	assert_int_equal(rarog_points_merge(&few, &a), 0);
	assert_int_equal(rarog_points_merge(&few, &b), 0);
	assert_int_equal(rarog_points_sort(&one), 0);
	assert_int_equal(rarog_points_sort(&few), 0);
	assert_int_equal(few.seen, one.seen);
	assert_int_equal(few.n, one.n);
	for (size_t i = 0; i < one.n; i++)
		expect_group(&few, i, one.x[i], one.w[i], one.y[i]);
	assert_close(few.within, one.within, 1e-9);
}

/* --- textbook data, where they are --- */

/* Coefficients and R2 that textbooks give for the sets of Perun's tests (Devore, Probability and
 * Statistics, 8th edition, 12.4; mathbits.com; real-statistics.com). R2 of power and exponential is
 * that of logarithms. */
static const struct {
	const char *file, *set, *family;
	double b[3], r2, tolerance;
} textbook[] = {
	{ "linear", "linear::test1", "linear", { 75.212432, -0.20938742 }, 0.791, 1e-4 },
	{ "linear", "linear::test2", "linear", { 8, 2.5 }, 1, 1e-9 },
	{ "quad",
	  "quad::test1",
	  "quadratic",
	  { -21.897744, 14.521171, -0.173714 },
	  0.981224,
	  1e-4 },
	{ "log", "log::test1", "logarithmic", { 6.099, 6.108 }, 0.9863058, 1e-2 },
	{ "log", "log::test2", "logarithmic", { 0, 0.434294482 }, 1, 1e-8 },
	{ "pow", "pow::test1", "power", { 16.6575389, 0.23438143 }, 0.56822483, 1e-4 },
	{ "pow", "pow::test2", "power", { 24.12989312, 0.65949782 }, 0.999992507, 1e-4 },
	{ "pow", "pow::test3", "power", { 3, 3 }, 1, 1e-8 },
	{ "exp", "exp::test1", "exponential", { 0.1377, 1.023778 }, 0.9652, 1e-3 },
	{ "exp", "exp::test2", "exponential", { 14.0513516, 1.016221137 }, 0.88161289, 1e-4 },
	{ "exp", "exp::test3", "exponential", { 1, 2 }, 1, 1e-8 },
	{ "const", "const::test1", "constant", { 3 }, 1, 1e-9 },
	{ "const", "const::test2", "constant", { 5.5 }, 0, 1e-9 },
};

static char *read_file(const char *path)
{
	rarog_cleanup(rarog_fclosep) FILE *file = fopen(path, "re");
	char *text = calloc(1, 1 << 20);

	assert_non_null(text);
	if (!file || fread(text, 1, (1 << 20) - 1, file) == 0)
		fail_msg("%s: cannot read", path);
	return text;
}

struct wanted {
	const char *function;
	struct rarog_points points;
};

static int want_point(void *arg, const struct rarog_perun_point *point)
{
	struct wanted *wanted = arg;

	if (strcmp(point->function, wanted->function) != 0)
		return 0;
	return rarog_points_add(&wanted->points, point->x, point->y / 1e6); /* they say ms */
}

static void fit_set(const char *folder, size_t k)
{
	rarog_cleanup(rarog_perun_freep) struct rarog_perun *perun = NULL;
	rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
	struct wanted wanted = { .function = textbook[k].set };
	char path[4096];

	snprintf(path, sizeof(path),
		 "%s/gpl3-perun-tests/model-datapoints/%s_model_datapoints.perf", folder,
		 textbook[k].file);
	rarog_cleanup(rarog_freep) char *text = read_file(path);

	assert_int_equal(rarog_perun_parse(path, strlen(text), text, &perun), 0);
	assert_int_equal(rarog_perun_points(perun, want_point, &wanted), 0);
	assert_int_equal(rarog_points_sort(&wanted.points), 0);
	assert_int_equal(rarog_model_fit(rarog_model_family(textbook[k].family), wanted.points.n,
					 wanted.points.x, wanted.points.y,
					 &(struct rarog_model_options){ .is_by_logs = true },
					 &model),
			 0);
	rarog_points_release(&wanted.points);
	for (size_t i = 0; i < model.family->n_coefficients; i++)
		if (fabs(model.b[i] - textbook[k].b[i]) > textbook[k].tolerance)
			fail_msg("%s: b%zu = %.9g, expected %.9g", textbook[k].set, i, model.b[i],
				 textbook[k].b[i]);
	double r2 = isfinite(model.r2_logs) ? model.r2_logs : model.r2;

	assert_between(r2, textbook[k].r2 - 1e-3, textbook[k].r2 + 1e-3);
}

TEST(textbooks)
{
	const char *folder = getenv("RAROG_PERUN_PROFILES");

	if (!folder)
		print_message("# textbooks: skipped, RAROG_PERUN_PROFILES names no directory\n");
	for (size_t k = 0; folder && k < RAROG_COUNT(textbook); k++)
		fit_set(folder, k);
}

/* Durations of @n calls that are linear in x, and some during which another program ran. */
static void assert_linear_in_spite(size_t n, size_t of_each_x, size_t every)
{
	struct rarog_points points = { 0 };
	struct rarog_models models;
	double least;

	for (size_t i = 0; i < n; i++) {
		double x = (double)(i / of_each_x), y = 10 * x + 50 + (double)(i % 3);
		assert_int_equal(rarog_points_add(&points, x, i % every == every / 2 ? 1e7 : y), 0);
	}
	assert_int_equal(rarog_points_settle(&points, &least), 0);
	assert_int_equal(rarog_models_fit(points.n, points.x, points.y, NULL, &models), 0);
	assert_int_equal(rarog_model_growth(rarog_models_best(&models, RAROG_MODEL_AICC, true)),
			 RAROG_GROWTH_LINEAR);
	rarog_models_release(&models);
	rarog_points_release(&points);
}

TEST(preempted_calls_do_not_hide_a_growth)
{
	assert_linear_in_spite(10, 1, 10);
	assert_linear_in_spite(30, 1, 15);
	assert_linear_in_spite(200, 1, 40);
	assert_linear_in_spite(1000, 50, 9);
	assert_linear_in_spite(1000, 3, 60);
}
