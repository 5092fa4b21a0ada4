/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "check/history.h"
#include "num-check.h"
#include "num/random.h"
#include "unit.h"

#define VERSIONS 700
#define ROWS     12

static const struct rarog_history_options options = { 0.02, 0.005, 0.05 };

/* What function @row takes in version @v: number 3 gets slower at 200, 5 at 600, 7 has more calls
 * from 650 on, 9 takes next to nothing and doubles. */
static double time_of(struct rarog_random *random, size_t row, size_t v)
{
	double base = row == 9 ? 10 : 1e5 * (double)(row + 1);

	if ((row == 3 && v >= 200) || (row == 5 && v >= 600))
		base *= 1.2;
	if (row == 9 && v >= 300)
		base *= 2;
	return base * (1 + 0.02 * rarog_random_normal(random));
}

static void add_row(struct rarog_history_group *group, struct rarog_random *random, size_t row,
		    size_t v)
{
	char name[16];
	double time = time_of(random, row, v);
	struct rarog_history_row *found;

	snprintf(name, sizeof(name), "f%zu", row);
	found = rarog_history_row(group, "prog", name, 0);
	assert_non_null(found);
	assert_int_equal(rarog_series_add(&found->series[0], (uint32_t)v, time), 0);
	assert_int_equal(
		rarog_series_add(&found->series[1], (uint32_t)v, row == 7 && v >= 650 ? 150 : 100),
		0);
	group->totals.v[group->totals.n - 1].value += time;
}

static void grow(struct rarog_history *history, struct rarog_random *random, size_t n)
{
	static const struct rarog_hash job = { { 1 } }, class = { { 2 } };
	struct rarog_history_group *group = rarog_history_group(history, &job, &class, "");

	assert_non_null(group);
	if (!group->job)
		group->job = strdup("./prog (trace)");
	while (history->versions.n < n) {
		size_t v = history->versions.n;
		char *name = rarog_asprintf("%040zx", v);

		assert_int_equal(rarog_vec_push(&history->versions, name), 0);
		assert_int_equal(rarog_vec_push(&group->totals,
						(struct rarog_series_value){ 0, (uint32_t)v }),
				 0);
		for (size_t row = 0; row < ROWS; row++)
			add_row(group, random, row, v);
	}
	free(history->tip);
	history->tip = strdup("tip");
}

static void assert_same(const struct rarog_history_changes *a,
			const struct rarog_history_changes *b)
{
	assert_int_equal(a->list.n, b->list.n);
	for (size_t i = 0; i < a->list.n; i++) {
		assert_string_equal(a->list.v[i].row->name, b->list.v[i].row->name);
		assert_int_equal(a->list.v[i].metric, b->list.v[i].metric);
		assert_int_equal(a->list.v[i].shift.version, b->list.v[i].shift.version);
		assert_int_equal(a->list.v[i].shift.previous, b->list.v[i].shift.previous);
		assert_int_equal(a->list.v[i].shift.until, b->list.v[i].shift.until);
		assert_int_equal(a->list.v[i].shift.shape, b->list.v[i].shift.shape);
		assert_int_equal(a->list.v[i].shift.steps, b->list.v[i].shift.steps);
		assert_int_equal(a->list.v[i].shift.runs, b->list.v[i].shift.runs);
		assert_int_equal(a->list.v[i].shift.is_kept, b->list.v[i].shift.is_kept);
		assert_true(a->list.v[i].shift.before == b->list.v[i].shift.before);
		assert_true(a->list.v[i].shift.after == b->list.v[i].shift.after);
		assert_true(a->list.v[i].shift.p == b->list.v[i].shift.p);
		assert_close(a->list.v[i].q, b->list.v[i].q, 1e-12);
	}
}

TEST(the_three_changes_are_found)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(7);
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	struct rarog_history_changes changes = { 0 };

	grow(&history, random, VERSIONS);
	assert_int_equal(rarog_history_find(&history, &options, &changes), 0);
	assert_int_equal(changes.list.n, 3);
	assert_string_equal(changes.list.v[0].row->name, "f7");
	assert_int_equal(changes.list.v[0].metric, RAROG_SERIES_CALLS);
	assert_int_equal(changes.list.v[0].shift.version, 650);
	assert_int_equal(changes.list.v[0].shift.previous, 649);
	assert_close(changes.list.v[0].relative, 0.5, 1e-12);
	assert_string_equal(changes.list.v[1].row->name, "f5");
	assert_between(changes.list.v[1].shift.version, 599, 601);
	assert_between(changes.list.v[1].relative, 0.18, 0.22);
	assert_string_equal(changes.list.v[2].row->name, "f3");
	assert_between(changes.list.v[2].shift.version, 199, 201);
	assert_between(changes.list.v[2].relative, 0.18, 0.22);
	rarog_vec_release(&changes.list);
}

static char *file_name(void)
{
	static char name[64];

	snprintf(name, sizeof(name), "/tmp/test-history-%d", (int)getpid());
	return name;
}

/* Saved after some versions, read and gone on with: as at once. */
TEST(going_on_from_a_file_is_the_same)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *one = rarog_random_new(8);
	rarog_cleanup(rarog_random_freep) struct rarog_random *other = rarog_random_new(8);
	rarog_cleanup(rarog_history_release) struct rarog_history whole = { 0 }, part = { 0 };
	struct rarog_history_changes a = { 0 }, b = { 0 };

	grow(&whole, one, VERSIONS);
	for (size_t n = 50; n <= VERSIONS; n += 130) {
		rarog_cleanup(rarog_history_release) struct rarog_history again = { 0 };

		grow(&part, other, n);
		assert_int_equal(rarog_history_save(&part, file_name()), 0);
		assert_int_equal(rarog_history_load(file_name(), &again), 1);
		rarog_history_release(&part);
		part = rarog_take_struct(again);
		assert_int_equal(part.versions.n, n);
		assert_string_equal(part.tip, "tip");
	}
	assert_int_equal(part.versions.n, VERSIONS);
	assert_int_equal(rarog_history_find(&whole, &options, &a), 0);
	assert_int_equal(rarog_history_find(&part, &options, &b), 0);
	assert_same(&a, &b);
	rarog_vec_release(&a.list);
	rarog_vec_release(&b.list);
	unlink(file_name());
}

TEST(damaged_files_are_none)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(9);
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct rarog_history none = { 0 };
	size_t n;

	grow(&history, random, 40);
	assert_int_equal(rarog_history_save(&history, file_name()), 0);
	assert_int_equal(rarog_file_read(file_name(), 1 << 24, &bytes, &n), 0);
	for (int round = 0; round < 200; round++) {
		FILE *f = fopen(file_name(), "w");
		size_t at = rarog_random_below(random, n), length = round % 2 ? n : at;

		bytes[at] ^= 16;
		assert_int_equal(fwrite(bytes, 1, length, f), length);
		fclose(f);
		bytes[at] ^= 16;
		assert_int_equal(rarog_history_load(file_name(), &none), 0);
	}
	unlink(file_name());
	assert_int_equal(rarog_history_load(file_name(), &none), 0);
}

/* Numbers of calls that move from run to run are no changes. */
TEST(restless_calls_are_noise)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(10);
	rarog_cleanup(
		rarog_series_release) struct rarog_series series = { .metric = RAROG_SERIES_CALLS };
	struct rarog_shifts shifts = { 0 };

	for (uint32_t v = 0; v < 100; v++)
		assert_int_equal(rarog_series_add(&series, v,
						  1000 + (double)rarog_random_below(random, 9) +
							  (v >= 60 ? 20 : 0)),
				 0);
	assert_false(rarog_series_is_exact(&series));
	assert_int_equal(rarog_series_shifts(&series, &shifts), 0);
	assert_int_equal(shifts.list.n, 1);
	assert_int_equal(shifts.list.v[0].version, 60);
	assert_between(shifts.list.v[0].after - shifts.list.v[0].before, 17, 23);
	rarog_vec_release(&shifts.list);
}

static size_t count_shifts(const struct rarog_series *series)
{
	struct rarog_shifts shifts = { 0 };
	size_t n;

	assert_int_equal(rarog_series_shifts(series, &shifts), 0);
	n = shifts.list.n;
	rarog_vec_release(&shifts.list);
	return n;
}

/* Seven changes in 15 versions of one run each, then none any more, however many follow. */
TEST(equal_versions_do_not_hide_exact_changes)
{
	rarog_cleanup(rarog_series_release) struct rarog_series series = {
		.metric = RAROG_SERIES_INSTRUCTIONS
	};

	for (uint32_t v = 0; v < 15; v++)
		assert_int_equal(rarog_series_add(&series, v, 1000 + 100 * (v / 2)), 0);
	assert_int_equal(count_shifts(&series), 7);
	for (uint32_t v = 15; v < 90; v++) {
		assert_int_equal(rarog_series_add(&series, v, 1700), 0);
		assert_int_equal(count_shifts(&series), 7);
	}
}

/* Every version changes the count. */
TEST(a_version_of_one_run_does_not_hide_what_others_agreed_on)
{
	rarog_cleanup(rarog_series_release) struct rarog_series series = {
		.metric = RAROG_SERIES_INSTRUCTIONS
	};

	for (uint32_t v = 0; v < 30; v++)
		assert_int_equal(v == 20 ? rarog_series_add(&series, v, 1000 + v)
					 : rarog_series_add_several(&series, v, 1000 + v, true),
				 0);
	assert_true(rarog_series_is_exact(&series));
	assert_int_equal(count_shifts(&series), 29);
	assert_int_equal(rarog_series_add_several(&series, 30, 1030, false), 0);
	assert_false(rarog_series_is_exact(&series));
}

/* The shift that begins in @version; asserts that there is one. */
static struct rarog_shift shift_in(const struct rarog_series *series, uint32_t version)
{
	struct rarog_shift found = { 0 };
	struct rarog_shifts shifts = { 0 };
	size_t n = 0;

	assert_int_equal(rarog_series_shifts(series, &shifts), 0);
	for (size_t i = 0; i < shifts.list.n; i++)
		if (shifts.list.v[i].version == version) {
			found = shifts.list.v[i];
			n++;
		}
	assert_int_equal(n, 1);
	rarog_vec_release(&shifts.list);
	return found;
}

/* One run a version: 1000, from version 10 on 1200, from version 20 on by chance. */
TEST(what_was_certain_of_counts_stays_when_they_begin_to_vary)
{
	static const enum rarog_series_metric metrics[] = { RAROG_SERIES_INSTRUCTIONS,
							    RAROG_SERIES_CALLS };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(14);

	for (size_t i = 0; i < RAROG_COUNT(metrics); i++) {
		rarog_cleanup(
			rarog_series_release) struct rarog_series series = { .metric = metrics[i] };

		for (uint32_t v = 0; v < 700; v++) {
			double value = v < 10   ? 1000
				       : v < 20 ? 1200
						: 1200 + (double)rarog_random_below(random, 50);

			assert_int_equal(rarog_series_add(&series, v, value), 0);
			if (v < 10)
				continue;
			assert_true(shift_in(&series, 10).p == 0);
			assert_int_equal(shift_in(&series, 10).runs, RAROG_SHIFT_RUNS);
			assert_true(count_shifts(&series) <= (v < 50 ? v : 4));
		}
		assert_false(rarog_series_is_exact(&series));
	}
}

TEST(a_count_that_one_run_tells_is_weak_until_others_agree)
{
	static const double value[] = { 1000, 1000, 1100, 1100, 1100, 1300 };
	rarog_cleanup(rarog_series_release) struct rarog_series series = {
		.metric = RAROG_SERIES_INSTRUCTIONS
	};

	for (uint32_t v = 0; v < RAROG_COUNT(value); v++) {
		assert_int_equal(rarog_series_add(&series, v, value[v]), 0);
		if (v >= 2)
			assert_int_equal(shift_in(&series, 2).runs, v == 2 ? 3 : 4);
	}
	assert_int_equal(shift_in(&series, 5).runs, RAROG_SHIFT_RUNS);
	rarog_series_release(&series);
	/* two runs each that agree */
	series = (struct rarog_series){ .metric = RAROG_SERIES_INSTRUCTIONS };
	assert_int_equal(rarog_series_add_several(&series, 0, 1000, true), 0);
	assert_int_equal(rarog_series_add_several(&series, 1, 1100, true), 0);
	assert_int_equal(shift_in(&series, 1).runs, RAROG_SHIFT_RUNS);
}

/* One function that takes value[v] in version v, and all the time there is. */
static void one_function(struct rarog_history *history, size_t n, const double value[])
{
	static const struct rarog_hash job = { { 1 } }, class = { { 2 } };
	struct rarog_history_group *group = rarog_history_group(history, &job, &class, "");
	struct rarog_history_row *row = rarog_history_row(group, "prog", "f", 0);

	for (size_t v = 0; v < n; v++) {
		const struct rarog_series_value total = { value[v], (uint32_t)v };

		assert_int_equal(rarog_vec_push(&group->totals, total), 0);
		assert_int_equal(rarog_series_add(&row->series[0], (uint32_t)v, value[v]), 0);
	}
}

/* What the program takes by the clock, 1.2 ms, from version 30 on a third more. */
static void add_wall(struct rarog_history *history, struct rarog_random *random, size_t n)
{
	static const struct rarog_hash job = { { 1 } }, class = { { 2 } };
	struct rarog_history_row *row =
		rarog_history_row(rarog_history_group(history, &job, &class, ""), "", "", 0);

	for (size_t v = 0; v < n; v++)
		assert_int_equal(rarog_series_add(&row->series[0], (uint32_t)v,
						  1.2e6 * (v < 30 ? 1 : 1.33) *
							  (1 + 0.01 * rarog_random_normal(random))),
				 0);
}

/* Of a function that took @before ns, from version 30 on @factor times as much. */
static struct rarog_history_change change_of_wall(double before, double factor)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(13);
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	struct rarog_history_changes changes = { 0 };
	struct rarog_history_change found = { 0 };
	double value[60];

	for (size_t v = 0; v < 60; v++)
		value[v] =
			before * (v < 30 ? 1 : factor) * (1 + 0.01 * rarog_random_normal(random));
	one_function(&history, 60, value);
	add_wall(&history, random, 60);
	assert_int_equal(rarog_history_find(&history, &options, &changes), 0);
	for (size_t i = 0; i < changes.list.n; i++)
		if (changes.list.v[i].metric == RAROG_SERIES_WALL)
			found = changes.list.v[i];
	assert_int_equal(found.shift.version, 30);
	rarog_vec_release(&changes.list);
	return found;
}

TEST(a_program_slower_than_its_functions_is_maybe_the_machine)
{
	struct rarog_history_change change = change_of_wall(1e6, 1);

	assert_true(rarog_history_is_maybe(&change));
	change = change_of_wall(1e6, 1.33);
	assert_false(rarog_history_is_maybe(&change));
}

/* Of a version that consists of two functions. */
static void add_two(struct rarog_history_group *group, uint32_t v, double f, double g)
{
	struct rarog_series_value all = { f + g, v };

	assert_int_equal(rarog_vec_push(&group->totals, all), 0);
	assert_int_equal(rarog_series_add(&rarog_history_row(group, "p", "f", 0)->series[0], v, f),
			 0);
	assert_int_equal(rarog_series_add(&rarog_history_row(group, "p", "g", 0)->series[0], v, g),
			 0);
}

/* f takes a fifth more in versions 30 to 30 + @n, and what g takes is then @factor times as much.
 */
static bool is_maybe_of_two(size_t n, double factor, uint64_t apart_ns)
{
	static const struct rarog_hash job = { { 1 } }, class = { { 2 } };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(15);
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	struct rarog_history_group *group = rarog_history_group(&history, &job, &class, "");
	struct rarog_history_changes changes = { 0 };
	bool is_maybe = false, is_found = false;

	for (uint32_t v = 0; v < 60; v++) {
		bool is_up = v >= 30 && v < 30 + n;
		double f = 1e6 * (is_up ? 1.2 : 1) * (1 + 0.01 * rarog_random_normal(random));
		double g = 2e6 * (is_up ? factor : 1) * (1 + 0.01 * rarog_random_normal(random));
		const struct rarog_history_sitting sitting = { v, 1 + v * apart_ns,
							       2 + v * apart_ns };

		assert_int_equal(rarog_vec_push(&group->sittings, sitting), 0);
		add_two(group, v, f, g);
	}
	assert_int_equal(rarog_history_find(&history, &options, &changes), 0);
	for (size_t i = 0; i < changes.list.n; i++)
		if (changes.list.v[i].shift.version == 30 &&
		    strcmp(changes.list.v[i].row->name, "f") == 0) {
			is_maybe = rarog_history_is_maybe(&changes.list.v[i]);
			is_found = true;
		}
	assert_true(is_found);
	rarog_vec_release(&changes.list);
	return is_maybe;
}

TEST(what_slows_all_functions_for_a_while_is_maybe_the_machine)
{
	const uint64_t hour_ns = 3600000000000;

	assert_false(is_maybe_of_two(6, 1, 1000000000));
	assert_true(is_maybe_of_two(6, 1.1, 1000000000));
	assert_true(is_maybe_of_two(30, 1.1, 1000000000));
	/* no machine is busy for so long */
	assert_false(is_maybe_of_two(30, 1.1, hour_ns));
	assert_true(is_maybe_of_two(6, 1.1, hour_ns));
}

/* f takes a fifth more from version 30 on, g half as much more from version 33 on. */
TEST(what_is_certain_of_one_function_stays_when_another_changes)
{
	static const struct rarog_hash job = { { 1 } }, class = { { 2 } };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(16);
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	struct rarog_history_group *group = rarog_history_group(&history, &job, &class, "");

	for (uint32_t v = 0; v < 80; v++) {
		struct rarog_history_changes changes = { 0 };
		double f = 1e6 * (v >= 30 ? 1.2 : 1) * (1 + 0.01 * rarog_random_normal(random));
		double g = 2e6 * (v >= 33 ? 1.5 : 1) * (1 + 0.01 * rarog_random_normal(random));
		bool is_sure = false;

		add_two(group, v, f, g);
		assert_int_equal(rarog_history_find(&history, &options, &changes), 0);
		for (size_t i = 0; i < changes.list.n; i++)
			is_sure |= changes.list.v[i].shift.version == 30 &&
				   strcmp(changes.list.v[i].row->name, "f") == 0 &&
				   !rarog_history_is_maybe(&changes.list.v[i]);
		assert_true(v < 33 || is_sure);
		rarog_vec_release(&changes.list);
	}
}

TEST(few_functions_do_not_speak_for_the_program)
{
	struct rarog_history_change change = change_of_wall(2e4, 1);

	assert_false(rarog_history_is_maybe(&change));
}

/* Five steps of 1.5 %, none of which matters: together they do. */
TEST(small_steps_are_stairs)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(11);
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	struct rarog_history_changes changes = { 0 };
	double value[150];

	for (size_t v = 0; v < 150; v++)
		value[v] = 1e6 * pow(1.015, (double)(v / 25)) *
			   (1 + 0.004 * rarog_random_normal(random));
	one_function(&history, 150, value);
	assert_int_equal(rarog_history_find(&history, &options, &changes), 0);
	assert_int_equal(changes.list.n, 1);
	assert_int_equal(changes.list.v[0].shift.shape, RAROG_SHIFT_STAIRS);
	assert_int_equal(changes.list.v[0].shift.steps, 5);
	assert_int_equal(changes.list.v[0].shift.version, 25);
	assert_int_equal(changes.list.v[0].shift.until, 125);
	assert_between(changes.list.v[0].relative, pow(1.015, 5) - 1.005, pow(1.015, 5) - 0.995);
	assert_false(rarog_history_is_maybe(&changes.list.v[0]));
	rarog_vec_release(&changes.list);
}

TEST(a_drift_is_maybe)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(12);
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	struct rarog_history_changes changes = { 0 };
	double value[150];

	for (size_t v = 0; v < 150; v++)
		value[v] = 1e6 * (1 + 0.08 * (double)v / 149) *
			   (1 + 0.01 * rarog_random_normal(random));
	one_function(&history, 150, value);
	assert_int_equal(rarog_history_find(&history, &options, &changes), 0);
	assert_int_equal(changes.list.n, 1);
	assert_int_equal(changes.list.v[0].shift.shape, RAROG_SHIFT_DRIFT);
	assert_int_equal(changes.list.v[0].shift.until, 149);
	assert_between(changes.list.v[0].relative, 0.06, 0.10);
	assert_true(rarog_history_is_maybe(&changes.list.v[0]));
	rarog_vec_release(&changes.list);
}
