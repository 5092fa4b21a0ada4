/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num-check.h"
#include "num-peers.h"
#include "num/quantile.h"
#include "num/random.h"
#include "num/sample.h"
#include "unit.h"

static const double bad[] = { 1, NAN, 2 }, infinite[] = { 1, 2, INFINITY };

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

TEST(bad_samples_are_refused)
{
	double value = 7;

	assert_refused(rarog_median(3, bad, &value), -EINVAL, "value 2 is not a finite number");
	assert_refused(rarog_mad(3, infinite, &value), -EINVAL, "value 3 is not");
	assert_refused(rarog_median(0, bad, &value), -EDOM, "at least 1");
	assert_close(value, 7, 0);
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
