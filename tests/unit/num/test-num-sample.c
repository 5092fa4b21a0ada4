/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nist.h"
#include "num-check.h"
#include "num-peers.h"
#include "num/quantile.h"
#include "num/random.h"
#include "num/sample.h"
#include "unit.h"

static const double bad[] = { 1, NAN, 2 }, infinite[] = { 1, 2, INFINITY };

TEST(moments_are_nists)
{
	double made[NIST_NUMACC_N];

	for (size_t i = 0; i < RAROG_COUNT(nist_univariate); i++) {
		struct rarog_moments m;

		nist_numacc(nist_univariate[i].centre, made);
		const double *x = nist_univariate[i].x ? nist_univariate[i].x : made;

		assert_int_equal(rarog_sample_moments(nist_univariate[i].n, x, &m), 0);
		assert_close(m.mean, nist_univariate[i].mean, 1e-14);
		assert_close(m.deviation, nist_univariate[i].deviation,
			     nist_univariate[i].tolerance);
	}
}

TEST(quantiles_are_numpys)
{
	for (size_t i = 0; i < RAROG_COUNT(peer_quantiles); i++)
		for (int type = 4; type <= 9; type++) {
			rarog_cleanup(rarog_freep) double *sorted = NULL;

			assert_int_equal(rarog_sample_sorted("x", PEER_X_N, 1, peer_x, &sorted), 0);
			assert_close(rarog_quantile_sorted(PEER_X_N, sorted, peer_quantiles[i].p,
							   (enum rarog_quantile_type)type),
				     peer_quantiles[i].type[type - 4], 1e-13);
		}
}

TEST(median_and_mad)
{
	static const double x[] = {
		9, 1, 1, 2, 6, 4, 2
	}; /* Wikipedia's example: median 2, MAD 1 */
	double median, mad;

	assert_int_equal(rarog_median(7, x, &median), 0);
	assert_int_equal(rarog_mad(7, x, &mad), 0);
	assert_close(median, 2, 0);
	assert_close(mad, 1, 0);
	assert_int_equal(rarog_median(4, x, &median), 0);
	assert_close(median, 1.5, 0);
	assert_int_equal(rarog_median(1, x, &median), 0);
	assert_close(median, 9, 0);
	assert_int_equal(rarog_mad(1, x, &mad), 0);
	assert_close(mad, 0, 0);
	/* the factor makes it the deviation of normal data */
	assert_close(RAROG_MAD_NORMAL, 1 / 0.67448975019608171, 1e-14);
}

/* Oracle: the sum of binomial probabilities by Pascal's rule. */
static double coverage_by_sum(unsigned n, double p, unsigned l, unsigned u)
{
	double row[64] = { 1 }, sum = 0;

	for (unsigned i = 1; i <= n; i++)
		for (unsigned k = i + 1; k-- > 0;)
			row[k] = row[k] * (1 - p) + (k ? row[k - 1] * p : 0);
	for (unsigned k = l; k < u; k++)
		sum += row[k];
	return sum;
}

TEST(quantile_intervals_are_the_narrowest_with_that_level)
{
	static const double quantiles[] = { 0.1, 0.5, 0.75, 0.9 }, levels[] = { 0.8, 0.95, 0.99 };
	double x[60];

	for (unsigned i = 0; i < 60; i++)
		x[i] = i + 1; /* so that an end is its own index */
	for (unsigned n = 1; n <= 60; n++)
		for (size_t i = 0; i < 12; i++) {
			double p = quantiles[i % 4], level = levels[i / 4], tail = (1 - level) / 2;
			struct rarog_estimate q;
			int r = rarog_quantile_interval(n, x, p, level, &q);

			assert_int_equal(r,
					 n < rarog_quantile_interval_least(p, level) ? -ERANGE : 0);
			if (r < 0)
				continue;
			unsigned l = (unsigned)q.low, u = (unsigned)q.high;

			assert_close(q.level, coverage_by_sum(n, p, l, u), 1e-10);
			assert_true(q.level >= level);
			/* one step narrower at either end spends more than its tail */
			assert_true(coverage_by_sum(n, p, 0, l + 1) > tail);
			assert_true(coverage_by_sum(n, p, u - 1, n + 1) > tail);
		}
}

TEST(quantile_intervals_cover)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(11);
	size_t covered = 0;
	double x[21];

	for (int experiment = 0; experiment < 2000; experiment++) {
		struct rarog_estimate q;

		for (int i = 0; i < 21; i++)
			x[i] = -log(rarog_random_uniform(random));
		assert_int_equal(rarog_quantile_interval(21, x, 0.5, 0.95, &q), 0);
		covered += q.low <= log(2) && log(2) <= q.high;
	}
	assert_rate(covered, 2000,
		    0.97337); /* what 21 values give at least for 95 %: x(6), x(16) */
}

TEST(bad_samples_are_refused)
{
	struct rarog_estimate q;
	struct rarog_moments m;
	double value = 7;

	assert_refused(rarog_median(3, bad, &value), -EINVAL, "value 2 is not a finite number");
	assert_refused(rarog_mad(3, infinite, &value), -EINVAL, "value 3 is not");
	assert_refused(rarog_median(0, bad, &value), -EDOM, "at least 1");
	assert_close(value, 7, 0);
	assert_refused(rarog_sample_moments(1, bad, &m), -EDOM, "at least 2");
	assert_refused(rarog_quantile_interval(5, nist_mavro, 0.5, 0.95, &q), -ERANGE,
		       "at least 6 can");
	assert_refused(rarog_quantile_interval(50, nist_mavro, 0.5, 1, &q), -EINVAL, "level 1");
	assert_refused(rarog_quantile_interval(50, nist_mavro, NAN, 0.9, &q), -EINVAL, "level");
}

TEST(randomness_repeats_and_is_even)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *a = rarog_random_new(1);
	rarog_cleanup(rarog_random_freep) struct rarog_random *b = rarog_random_new(1);
	rarog_cleanup(rarog_random_freep) struct rarog_random *c = rarog_random_new(1ULL << 32 | 1);
	size_t orders[6] = { 0 }, equal = 0;
	double sum = 0, squares = 0;

	for (int i = 0; i < 1000; i++) {
		double u = rarog_random_uniform(a);

		assert_close(u, rarog_random_uniform(b), 0);
		assert_true(u > 0 && u < 1);
		equal += u == rarog_random_uniform(c);
	}
	assert_true(equal < 5);
	for (int i = 0; i < 6000; i++) {
		double x[3] = { 0, 1, 2 }, z = rarog_random_normal(a);

		rarog_random_shuffle(a, 3, x);
		orders[(size_t)x[0] * 2 + (x[1] > x[2])]++;
		sum += z;
		squares += z * z;
	}
	for (int i = 0; i < 6; i++)
		assert_rate(orders[i], 6000, 1.0 / 6);
	assert_between(sum / 6000, -0.052, 0.052);
	assert_between(squares / 6000, 0.92, 1.08);
	rarog_random_free(NULL);
}
