/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num-check.h"
#include "num-series.h"
#include "num/changes.h"
#include "unit.h"

static const struct rarog_edivisive careful = { 0.01, 199, 5, true };

static size_t count(const struct rarog_changes *changes)
{
	return changes->list.n;
}

/* Oracle: least cost over all divisions, by the definition. */
static double part_cost(size_t n, const double *x, bool is_median)
{
	double sorted[12], centre = 0, cost = 0;

	memcpy(sorted, x, n * sizeof(*x));
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && sorted[j - 1] > sorted[j]; j--) {
			double kept = sorted[j];

			sorted[j] = sorted[j - 1];
			sorted[j - 1] = kept;
		}
	for (size_t i = 0; i < n; i++)
		centre += x[i] / (double)n;
	centre = is_median ? sorted[n / 2] : centre;
	for (size_t i = 0; i < n; i++)
		cost += is_median ? fabs(x[i] - centre) : (x[i] - centre) * (x[i] - centre);
	return cost * (is_median ? 4 / sqrt(2 * M_PI) : 1);
}

/* Cost of the division whose changes are the bits of @set; INFINITY if a part is too short. */
static double division_cost(size_t n, const double *x, unsigned set, size_t least, double penalty,
			    bool is_median)
{
	double total = 0;

	for (size_t first = 0, i = 1; i <= n; i++) {
		if (i < n && !(set >> i & 1))
			continue;
		if (i - first < least)
			return INFINITY;
		total += part_cost(i - first, x + first, is_median) + (first ? penalty : 0);
		first = i;
	}
	return total;
}

static unsigned best_division(size_t n, const double *x, size_t least, double penalty, bool median)
{
	double best = INFINITY;
	unsigned result = 0;

	for (unsigned set = 0; set < 1U << n; set += 2) {
		double cost = division_cost(n, x, set, least, penalty, median);

		if (cost < best) {
			best = cost;
			result = set;
		}
	}
	return result;
}

TEST(pelt_is_exact)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(31);
	double x[12];

	for (int round = 0; round < 400; round++) {
		rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };
		double penalty = round % 5 ? 3 : 0.3;
		struct rarog_pelt how = { round % 2, penalty, 1, 1 + (size_t)round / 2 % 4 };
		unsigned set = 0;

		ar1_series(random, 12, 0, x);
		add_step(12, x, 2 + rarog_random_below(random, 9), 3);
		add_step(12, x, 2 + rarog_random_below(random, 9), -6);
		assert_int_equal(rarog_pelt(12, x, &how, &changes), 0);
		for (size_t i = 0; i < count(&changes); i++)
			set |= 1U << changes.list.v[i].at;
		assert_close(
			division_cost(12, x, set, how.least_size, penalty, how.is_median),
			division_cost(12, x,
				      best_division(12, x, how.least_size, penalty, how.is_median),
				      how.least_size, penalty, how.is_median),
			1e-12);
	}
}

/* One step of @height deviations in the middle of 80 values, @outliers of 15 deviations in 100. */
struct outcome {
	size_t alarms, found, exact; /* on flat series; on stepped ones, one change; within 2 */
};

typedef int (*method)(size_t n, const double *x, struct rarog_random *random,
		      struct rarog_changes *changes);

static struct outcome try_method(method find, double height, unsigned outliers, int rounds)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(32);
	struct outcome o = { 0 };
	double x[80];

	for (int round = 0; round < rounds; round++) {
		rarog_cleanup(rarog_changes_release) struct rarog_changes flat = { 0 },
									  step = { 0 };

		ar1_series(random, 80, 0, x);
		for (int i = 0; i < 80; i++)
			x[i] += rarog_random_below(random, 100) < outliers ? 15 : 0;
		assert_int_equal(find(80, x, random, &flat), 0);
		o.alarms += count(&flat) > 0;
		add_step(80, x, 40, height);
		assert_int_equal(find(80, x, random, &step), 0);
		o.found += count(&step) == 1;
		o.exact += count(&step) == 1 && step.list.v[0].at >= 38 && step.list.v[0].at <= 42;
	}
	return o;
}

static int edivisive(size_t n, const double *x, struct rarog_random *random,
		     struct rarog_changes *changes)
{
	return rarog_edivisive(n, x, &careful, random, changes);
}

static int pelt_mean(size_t n, const double *x, struct rarog_random *random,
		     struct rarog_changes *changes)
{
	(void)random;
	return rarog_pelt(n, x, &(struct rarog_pelt){ .least_size = 3 }, changes);
}

static int pelt_median(size_t n, const double *x, struct rarog_random *random,
		       struct rarog_changes *changes)
{
	(void)random;
	return rarog_pelt(n, x, &(struct rarog_pelt){ .is_median = true, .least_size = 3 },
			  changes);
}

TEST(steps_are_found_and_not_invented)
{
	static const method methods[] = { edivisive, pelt_mean, pelt_median };

	for (int k = 0; k < 3; k++) {
		struct outcome clean = try_method(methods[k], 3, 0, 200);

		assert_at_most_rate(clean.alarms, 200, k ? 0.02 : 0.01);
		assert_true(clean.found >= 190);
		assert_true(clean.exact >= 180);
	}
}

TEST(outliers_do_not_matter_to_the_robust)
{
	static const method methods[] = { edivisive, pelt_median };
	struct outcome mean = try_method(pelt_mean, 3, 3, 200);

	for (int k = 0; k < 2; k++) {
		struct outcome wild = try_method(methods[k], 3, 3, 200);

		assert_at_most_rate(wild.alarms, 200, 0.02);
		assert_true(wild.found >= 180);
		assert_true(wild.exact >= 170);
	}
	assert_true(mean.alarms > 20); /* which is why there are robust ones */
}

/* One value in ten is a thousand times as large: ranks see the step, distances only these. */
TEST(ranks_see_through_wild_values)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(35);
	struct rarog_edivisive raw = careful;
	size_t ranked_found = 0, raw_found = 0;
	double x[80];

	raw.is_ranked = false;
	for (int round = 0; round < 40; round++) {
		rarog_cleanup(rarog_changes_release) struct rarog_changes a = { 0 }, b = { 0 };

		ar1_series(random, 80, 0, x);
		add_step(80, x, 40, 4);
		for (int i = 0; i < 80; i++)
			x[i] += rarog_random_below(random, 10) ? 0
							       : 5000 * rarog_random_normal(random);
		assert_int_equal(rarog_edivisive(80, x, &careful, random, &a), 0);
		assert_int_equal(rarog_edivisive(80, x, &raw, random, &b), 0);
		ranked_found += count(&a) == 1;
		raw_found += count(&b) == 1;
	}
	assert_true(ranked_found >= 36);
	assert_true(raw_found <= 10);
}

TEST(several_changes_come_in_order)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(33);
	rarog_cleanup(rarog_changes_release) struct rarog_changes a = { 0 }, b = { 0 };
	static const size_t at[] = { 30, 60, 100 };
	double x[140];

	ar1_series(random, 140, 0, x);
	add_step(140, x, 30, 5);
	add_step(140, x, 60, -8);
	add_step(140, x, 100, 4);
	assert_int_equal(rarog_edivisive(140, x, &careful, random, &a), 0);
	assert_int_equal(pelt_median(140, x, NULL, &b), 0);
	assert_int_equal(count(&a), 3);
	assert_int_equal(count(&b), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_between((double)a.list.v[i].at, (double)at[i] - 2, (double)at[i] + 2);
		assert_between((double)b.list.v[i].at, (double)at[i] - 2, (double)at[i] + 2);
		assert_close(a.list.v[i].p, 0.005, 1e-12); /* 1/200 */
	}
}

TEST(bad_series)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(34);
	static const double same[12] = { 0 }, bad[3] = { 1, 2, NAN };
	static const double counts[12] = { 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8 };
	struct rarog_changes c = { 0 };

	assert_int_equal(rarog_edivisive(0, NULL, &careful, random, &c), 0);
	assert_int_equal(rarog_edivisive(9, counts, &careful, random, &c), 0);
	assert_int_equal(rarog_edivisive(12, same, &careful, random, &c), 0);
	assert_int_equal(rarog_pelt(1, counts, &(struct rarog_pelt){ .least_size = 1 }, &c), 0);
	assert_int_equal(count(&c), 0);
	assert_refused(rarog_edivisive(3, bad, &careful, random, &c), -EINVAL, "value 3");
	assert_refused(rarog_edivisive(12, same, &(struct rarog_edivisive){ 0.01, 99, 1, false },
				       random, &c),
		       -EINVAL, "at least 2");
	assert_refused(
		rarog_edivisive(12, same, &(struct rarog_edivisive){ 0, 99, 2, false }, random, &c),
		-EINVAL, "level 0");
	assert_refused(rarog_pelt(12, counts, &(struct rarog_pelt){ .least_size = 1 }, &c), -EDOM,
		       "most neighbours are equal");
	assert_refused(
		rarog_pelt(12, counts, &(struct rarog_pelt){ .penalty = NAN, .least_size = 1 }, &c),
		-EINVAL, "PELT");
	assert_int_equal(
		rarog_pelt(12, counts, &(struct rarog_pelt){ .scale = 0.01, .least_size = 1 }, &c),
		0);
	assert_int_equal(count(&c), 1);
	assert_int_equal(c.list.v[0].at, 6);
	rarog_changes_release(&c);
	rarog_changes_release(&c);
}
