/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num-check.h"
#include "num-series.h"
#include "num/changes.h"
#include "num/division.h"
#include "num/spikes.h"
#include "unit.h"

#define N 16

/* Oracle: residual sum of squares about the best level or line, by the definition. Fewer than six
 * values have no slope. */
static double part_cost(const double *x, double phi, bool is_sloped, size_t first, size_t end)
{
	double n = (double)(end - first) - 1, mz = 0, mt = 0, zz = 0, tz = 0, tt = 0;

	for (size_t t = first + 1; t < end; t++) {
		mz += (x[t] - phi * x[t - 1]) / n;
		mt += (double)t / n;
	}
	for (size_t t = first + 1; t < end; t++) {
		double z = x[t] - phi * x[t - 1] - mz, u = (double)t - mt;

		zz += z * z;
		tz += u * z;
		tt += u * u;
	}
	return zz - (is_sloped && end - first >= 6 ? tz * tz / tt : 0);
}

/* Cost of the division whose changes are the bits of @set; INFINITY if a part is too short. */
static double division_cost(const double *x, double phi, bool is_sloped, unsigned set,
			    double penalty)
{
	size_t first = 0;
	double total = 0;

	for (size_t i = 1; i <= N; i++) {
		if (i < N && !(set >> i & 1))
			continue;
		if (i - first < 3)
			return INFINITY;
		total += part_cost(x, phi, is_sloped, first, i) + (first ? penalty : 0);
		first = i;
	}
	return total;
}

static double least_cost(const double *x, double phi, bool is_sloped, double penalty)
{
	double best = INFINITY;

	for (unsigned set = 0; set < 1U << N; set += 2)
		best = fmin(best, division_cost(x, phi, is_sloped, set, penalty));
	return best;
}

static void every_place(struct rarog_division_search *search)
{
	search->n_candidates = 0;
	for (size_t t = 0; t <= N; t++)
		search->candidates[search->n_candidates++] = t;
}

TEST(division_is_the_best_of_all)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(41);
	rarog_cleanup(rarog_whitened_release) struct rarog_whitened w = { 0 };
	rarog_cleanup(rarog_division_search_release) struct rarog_division_search search;
	double x[N];
	size_t at[N];
	struct rarog_division found = { .at = at };

	assert_int_equal(rarog_whitened_init(&w, N), 0);
	assert_int_equal(rarog_division_search_init(&search, N), 0);
	every_place(&search);
	for (int round = 0; round < 60; round++) {
		double phi = 0.4 * (round % 3), penalty = round % 5 ? 3 : 0.3;
		bool is_sloped = round % 2;
		unsigned set = 0;

		ar1_series(random, N, 0, x);
		add_step(N, x, 4 + rarog_random_below(random, 9), 3);
		rarog_whitened_set(&w, x, phi, is_sloped);
		rarog_division_best(&w, &search, penalty, &found);
		for (size_t i = 0; i < found.n_at; i++)
			set |= 1U << at[i];
		double cost = division_cost(x, phi, is_sloped, set, penalty);

		assert_close(cost, least_cost(x, phi, is_sloped, penalty), 1e-9);
		assert_close(found.rss + penalty * (double)found.n_at, cost, 1e-9);
	}
}

TEST(changes_are_among_the_candidates)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(42);
	double x[500];
	size_t near = 0;

	for (int round = 0; round < 100; round++) {
		rarog_cleanup(rarog_division_search_release) struct rarog_division_search s;
		size_t at = 10 + rarog_random_below(random, 480);

		ar1_series(random, 500, 0, x);
		add_step(500, x, at, 4);
		assert_int_equal(rarog_division_search_init(&s, 500), 0);
		rarog_division_candidates(500, x, &s);
		assert_true(s.n_candidates <= RAROG_DIVISION_CANDIDATES + 2);
		assert_int_equal(s.candidates[0], 0);
		assert_int_equal(s.candidates[s.n_candidates - 1], 500);
		for (size_t i = 0, seen = 0; i < s.n_candidates; i++)
			if (!seen && s.candidates[i] + 3 >= at && s.candidates[i] <= at + 3)
				near += seen = 1;
	}
	assert_int_equal(near, 100);
}

TEST(spikes_go_and_steps_stay)
{
	static const double x[] = {
		0, .1, 0, 9, 0, -.1, 0, .1, 5, 5.1, 5, 4.9, 5, -7, -6, 5, 5.1, 9
	};
	static const double expected[] = { 0,   .1, 0,   0, 0, -.1, 0, .1,  5,
					   5.1, 5,  4.9, 5, 5, 5,   5, 5.1, 5 };
	double level[18];

	rarog_spikes_level(18, x, 0.1, level);
	for (size_t i = 0; i < 18; i++)
		assert_between(level[i], expected[i] - 0.11, expected[i] + 0.11);
}

/* Three values that agree are a level; three that are wild each in its way are none. */
TEST(three_in_a_row_are_a_level)
{
	static const double x[] = { 0, .1, 0, .1, 0, 9,  9.1, 9,  0, .1,
				    0, .1, 0, 9,  5, 20, 0,   .1, 0, .1 };
	double level[20];

	rarog_spikes_level(20, x, 0.1, level);
	for (size_t i = 5; i < 8; i++)
		assert_close(level[i], x[i], 1e-12);
	for (size_t i = 13; i < 16; i++)
		assert_between(level[i], -0.01, 0.11);
}

/* --- series as they come --- */

struct count {
	size_t alarms, found, extra;
};

/* @rounds series with a step of @height at n/2 (0: none); spikes in @spikes of 100 values. */
static struct count try(uint64_t seed, size_t n, double phi, double height, double drift,
			unsigned spikes, size_t rounds)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(seed);
	struct count c = { 0 };
	double x[300];

	for (size_t round = 0; round < rounds; round++) {
		rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };
		size_t hits = 0;

		ar1_series(random, n, phi, x);
		add_step(n, x, n / 2, height);
		for (size_t i = 0; i < n; i++)
			x[i] += 1e6 + drift * (double)i / (double)n +
				(rarog_random_below(random, 100) < spikes ? 12 : 0);
		assert_int_equal(rarog_changes_find(n, x, &changes), 0);
		for (size_t i = 0; i < changes.list.n; i++)
			hits += changes.list.v[i].at + 3 >= n / 2 &&
				changes.list.v[i].at <= n / 2 + 3;
		c.alarms += changes.list.n > 0;
		c.found += hits > 0;
		c.extra += changes.list.n - hits;
	}
	return c;
}

TEST(flat_series_give_no_alarm)
{
	assert_at_most_rate(try(51, 200, 0, 0, 0, 0, 200).alarms, 200, 0.005);
	assert_at_most_rate(try(52, 40, 0, 0, 0, 0, 200).alarms, 200, 0.01);
	assert_at_most_rate(try(53, 12, 0, 0, 0, 0, 200).alarms, 200, 0.01);
	assert_at_most_rate(try(54, 200, 0.6, 0, 0, 0, 100).alarms, 100, 0.01);
	assert_at_most_rate(try(55, 200, 0, 0, 8, 0, 100).alarms, 100, 0.01);
	assert_at_most_rate(try(56, 200, 0, 0, 0, 4, 100).alarms, 100, 0.01);
}

TEST(steps_are_found)
{
	static const struct {
		double phi, height, drift;
		unsigned spikes;
	} kinds[] = { { 0, 3, 0, 0 }, { 0.5, 5, 0, 0 }, { 0, 4, 5, 0 }, { 0, 3, 0, 4 } };

	for (size_t k = 0; k < 4; k++) {
		struct count c = try(60 + k, 120, kinds[k].phi, kinds[k].height, kinds[k].drift,
				     kinds[k].spikes, 100);

		assert_true(c.found >= 93);
		assert_true(c.extra <= 5);
	}
}

/* Steps as users see them a few commits later. */
TEST(five_values_are_enough)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(70);
	size_t found = 0;
	double x[60];

	for (int round = 0; round < 50; round++) {
		rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };

		ar1_series(random, 60, 0, x);
		add_step(60, x, 55, 6);
		assert_int_equal(rarog_changes_find(60, x, &changes), 0);
		found += changes.list.n == 1 && changes.list.v[0].at == 55;
	}
	assert_true(found >= 45);
}

/* A rise of @rise deviations over all of it; 1 it is found as one drift and nothing else, from end
 * to end and so large; 0 no drift is. */
static int find_drift(struct rarog_random *random, double phi, double rise)
{
	rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };
	double x[120];

	ar1_series(random, 120, phi, x);
	for (size_t i = 0; i < 120; i++)
		x[i] += 500 + rise * (double)i / 119;
	assert_int_equal(rarog_changes_find(120, x, &changes), 0);
	if (changes.drifts.n == 0)
		return 0;
	return changes.list.n == 0 && changes.drifts.n == 1 && changes.drifts.v[0].first == 0 &&
			       changes.drifts.v[0].end == 120 &&
			       fabs(changes.drifts.v[0].after - changes.drifts.v[0].before - rise) <
				       1.5
		       ? 1
		       : 2;
}

TEST(a_steady_drift_is_found_as_such)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(71);
	size_t up = 0, down = 0, flat = 0, memory = 0;

	for (int round = 0; round < 100; round++) {
		up += find_drift(random, 0, 5) == 1;
		down += find_drift(random, 0, -5) == 1;
		flat += find_drift(random, 0, 0) != 0;
		memory += find_drift(random, 0.6, 0) != 0;
	}
	assert_true(up >= 95);
	assert_true(down >= 95);
	assert_true(flat <= 2);
	assert_true(memory <= 2);
}

/* Four stairs of four values: each is too short for a step, and together they are no nothing. */
TEST(short_stairs_are_a_drift_at_least)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(68);
	size_t told = 0, flat = 0;

	for (size_t round = 0; round < 200; round++) {
		double height = round % 2 ? 0 : 5;
		rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };
		double x[16];

		for (size_t i = 0; i < 16; i++)
			x[i] = 100 + height * (double)(i / 4) + rarog_random_normal(random);
		assert_int_equal(rarog_changes_find(16, x, &changes), 0);
		*(height > 0 ? &told : &flat) += changes.list.n + changes.drifts.n > 0;
	}
	assert_true(told >= 75);
	assert_true(flat <= 3);
}

TEST(units_and_offsets_do_not_matter)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(71);
	rarog_cleanup(rarog_changes_release) struct rarog_changes a = { 0 }, b = { 0 };
	double x[150], y[150];

	ar1_series(random, 150, 0.3, x);
	add_step(150, x, 50, 5);
	add_step(150, x, 110, -7);
	for (size_t i = 0; i < 150; i++)
		y[i] = 1e9 + 1e-2 * x[i];
	assert_int_equal(rarog_changes_find(150, x, &a), 0);
	assert_int_equal(rarog_changes_find(150, y, &b), 0);
	assert_int_equal(a.list.n, 2);
	assert_int_equal(b.list.n, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(a.list.v[i].at, b.list.v[i].at);
		assert_true(a.list.v[i].p < 1e-6);
	}
}

/* --- what was sure stays; regressions that are mended --- */

/* As reported, in ms: two steps of a half. */
TEST(a_change_does_not_vanish_because_a_newer_one_arrives)
{
	static const double x[] = { 2.00, 2.02, 1.98, 2.01, 1.99, 2.00, 2.02, 1.99, 2.01,
				    1.98, 3.00, 3.03, 2.97, 3.01, 2.99, 3.00, 3.03, 2.98,
				    3.02, 2.97, 4.50, 4.54, 4.46, 4.52, 4.49 };

	for (size_t n = 15; n <= 25; n++) {
		rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };

		assert_int_equal(rarog_changes_find(n, x, &changes), 0);
		assert_true(changes.list.n >= (n < 25 ? 1 : 2));
		assert_true(changes.list.n <= 2);
		assert_int_equal(changes.list.v[0].at, 10);
		if (changes.list.n > 1)
			assert_int_equal(changes.list.v[1].at, 20);
	}
}

/* As measured, in units of 10 µs: a function became a fifth slower in the last three versions. A
 * machine that is slower for three commits shortly before, or a wild value among the new ones,
 * hides that no more. */
TEST(the_newest_step_is_found_beside_wild_values)
{
	static const double after_wild[] = { 194, 192, 196, 195, 193, 196, 192, 194, 192, 197,
					     196, 196, 197, 209, 195, 192, 193, 197, 198, 194,
					     196, 197, 195, 197, 196, 196, 196, 195, 195, 196,
					     200, 196, 200, 195, 196, 197, 196, 197, 197, 194,
					     198, 196, 198, 199, 212, 205, 195, 235, 238, 237 };
	static const double with_wild[] = { 195, 195, 196, 195, 198, 195, 196, 205,
					    196, 195, 197, 197, 197, 200, 195, 203,
					    198, 195, 196, 195, 197, 232, 235, 260 };
	rarog_cleanup(rarog_changes_release) struct rarog_changes a = { 0 }, b = { 0 };

	assert_int_equal(rarog_changes_find(50, after_wild, &a), 0);
	assert_int_equal(a.list.n, 1);
	assert_int_equal(a.list.v[0].at, 47);
	assert_int_equal(rarog_changes_find(24, with_wild, &b), 0);
	assert_int_equal(b.list.n, 1);
	assert_int_equal(b.list.v[0].at, 21);
}

/* For four commits all took twice as long, in the last of them half of the time; then a fifth more
 * for the newest three. What follows the value that has neither level hid that in half of them. */
TEST(the_newest_step_is_found_after_a_spell)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(74);
	static const double spell[] = { 2688, 2550, 2661, 2111 };
	size_t found = 0;

	for (int round = 0; round < 100; round++) {
		rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };
		double x[275];

		ar1_series(random, 275, 0.9, x);
		for (size_t i = 0; i < 275; i++)
			x[i] = 1100 + 16 * x[i] + 12 * rarog_random_normal(random);
		memcpy(x + 250, spell, sizeof(spell));
		for (size_t i = 272; i < 275; i++)
			x[i] *= 1.2;
		assert_int_equal(rarog_changes_find(275, x, &changes), 0);
		found += changes.list.n > 0 && changes.list.v[changes.list.n - 1].at == 272;
	}
	assert_true(found >= 95);
}

/* Levels of at least @least values and @height deviations, upwards or in both directions; returns
 * the number of changes. */
static size_t staircase(struct rarog_random *random, size_t n, size_t least, bool is_rising,
			double *x, size_t *at)
{
	size_t steps = 0;

	ar1_series(random, n, 0, x);
	for (size_t i = least + rarog_random_below(random, 8); i + 5 <= n;
	     i += least + rarog_random_below(random, 8)) {
		double height = 10 + (double)rarog_random_below(random, 40);

		add_step(n, x, i, is_rising || rarog_random_below(random, 3) ? height : -height);
		at[steps++] = i;
	}
	return steps;
}

static bool is_among(const struct rarog_changes *changes, size_t at)
{
	for (size_t i = 0; i < changes->list.n; i++)
		if (changes->list.v[i].at + 2 >= at && changes->list.v[i].at <= at + 2)
			return true;
	return false;
}

/* Value by value: of all changes seen with one value less, how many are still seen? */
TEST(what_was_sure_stays)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(80);
	size_t seen = 0, gone = 0, steps = 0, found = 0, at[60];
	double x[60];

	for (int round = 0; round < 60; round++) {
		struct rarog_changes last = { 0 };
		size_t n_at = staircase(random, 60, 6, round % 2, x, at);

		for (size_t n = 8; n <= 60; n++) {
			struct rarog_changes now = { 0 };

			assert_int_equal(rarog_changes_find(n, x, &now), 0);
			seen += last.list.n;
			for (size_t i = 0; i < last.list.n; i++)
				gone += !is_among(&now, last.list.v[i].at);
			rarog_changes_release(&last);
			last = now;
		}
		steps += n_at;
		for (size_t i = 0; i < n_at; i++)
			found += is_among(&last, at[i]);
		rarog_changes_release(&last);
	}
	assert_true(seen > 5000);
	assert_true(gone * 200 < seen);
	assert_true(found * 100 >= steps * 98);
}

/* Noise of 1 %, slower by @percent for @length commits from number 30 on: told as up and down? */
static size_t up_and_down(struct rarog_random *random, double percent, size_t length)
{
	size_t told = 0;
	double x[60];

	for (int round = 0; round < 50; round++) {
		rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };

		ar1_series(random, 60, 0, x);
		for (size_t i = 0; i < 60; i++)
			x[i] = (100 + x[i]) * (i >= 30 && i < 30 + length ? 1 + percent / 100 : 1);
		assert_int_equal(rarog_changes_find(60, x, &changes), 0);
		told += changes.list.n == 2 && is_among(&changes, 30) &&
			is_among(&changes, 30 + length);
	}
	return told;
}

TEST(regressions_of_a_few_commits_go_up_and_down)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(81);

	for (size_t length = 3; length <= 6; length++) {
		assert_true(up_and_down(random, 50, length) >= 48);
		assert_true(up_and_down(random, 10, length) >= 40);
		assert_true(up_and_down(random, -30, length) >= 48);
	}
	assert_int_equal(up_and_down(random, 50, 1), 0);
	assert_int_equal(up_and_down(random, 50, 2), 0);
}

/* --- long series --- */

static void long_series(struct rarog_random *random, size_t n, double *x, size_t every)
{
	ar1_series(random, n, 0.2, x);
	for (size_t at = every; at < n; at += every)
		add_step(n, x, at, at / every % 3 ? 5 : -10);
}

TEST(long_series_are_scanned)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(72);
	rarog_cleanup(rarog_change_scan_release) struct rarog_change_scan scan = { 0 };
	rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };
	static double x[10000];
	size_t found = 0;

	long_series(random, 10000, x, 170);
	assert_int_equal(rarog_change_scan(10000, 0, x, &scan, &changes), 0);
	for (size_t at = 170, i = 0; at < 10000; at += 170) {
		while (i < changes.list.n && changes.list.v[i].at + 3 < at)
			i++;
		found += i < changes.list.n && changes.list.v[i].at <= at + 3;
	}
	assert_int_equal(found, 58);
	assert_true(changes.list.n <= 61);
}

/* Value by value, with only what the scan still needs: the same as at once. */
TEST(going_on_is_the_same)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(73);
	rarog_cleanup(rarog_change_scan_release) struct rarog_change_scan steps = { 0 };
	static double x[1400];

	long_series(random, 1400, x, 310);
	for (size_t n = 1; n <= 1400; n += n % 97 + 1) {
		rarog_cleanup(rarog_change_scan_release) struct rarog_change_scan scan = { 0 };
		rarog_cleanup(rarog_changes_release) struct rarog_changes a = { 0 }, b = { 0 };
		size_t first = steps.start;

		assert_int_equal(rarog_change_scan(n, first, x + first, &steps, &a), 0);
		assert_int_equal(rarog_change_scan(n, 0, x, &scan, &b), 0);
		assert_int_equal(a.list.n, b.list.n);
		for (size_t i = 0; i < a.list.n; i++) {
			assert_int_equal(a.list.v[i].at, b.list.v[i].at);
			assert_true(i == 0 || a.list.v[i].at > a.list.v[i - 1].at);
		}
	}
}

TEST(odd_series)
{
	static const double same[40] = { 0 }, bad[9] = { 1, 2, 3, 4, 5, 6, 7, 8, NAN };
	double exact[40], ramp[40];
	struct rarog_change_scan ahead = { .start = 5 };
	struct rarog_changes c = { 0 };

	assert_int_equal(rarog_changes_find(0, NULL, &c), 0);
	assert_int_equal(rarog_changes_find(7, same, &c), 0);
	assert_int_equal(rarog_changes_find(40, same, &c), 0);
	assert_int_equal(c.list.n, 0);
	for (size_t i = 0; i < 40; i++) {
		exact[i] = i < 30 ? 7 : 8;
		ramp[i] = (double)i;
	}
	assert_int_equal(rarog_changes_find(40, ramp, &c), 0);
	assert_int_equal(c.list.n, 0);
	assert_int_equal(rarog_changes_find(40, exact, &c), 0);
	assert_int_equal(c.list.n, 1);
	assert_int_equal(c.list.v[0].at, 30);
	rarog_changes_release(&c);
	assert_refused(rarog_changes_find(9, bad, &c), -EINVAL, "value 9");
	assert_refused(rarog_changes_find(RAROG_CHANGES_WINDOW + 1, same, &c), -EDOM, "at most");
	assert_refused(rarog_change_scan(40, 6, same, &ahead, &c), -EINVAL, "stands at 5");
}
