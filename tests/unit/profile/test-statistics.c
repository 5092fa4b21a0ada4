/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ticks as nanoseconds, and what a summary tells of calls that it does not have one by one. */
#include "profile-random.h"
#include "unit.h"

#include <math.h>

#include "profile/statistics.h"

TEST(ticks_are_nanoseconds_of_the_clock)
{
	const struct rarog_clock tsc = { .hz = 2300000000 }, none = { 0 };

	assert_int_equal(rarog_clock_ns(&tsc, 0), 0);
	assert_int_equal(rarog_clock_ns(&tsc, 23), 10);
	assert_int_equal(rarog_clock_ns(&tsc, 1), 0);
	assert_int_equal(rarog_clock_ns(&tsc, 2), 1); /* 0.87 */
	/* python3: (2**64 - 1) * 10**9 / (23 * 10**8) rounded */
	assert_int_equal(rarog_clock_ns(&tsc, UINT64_MAX), UINT64_C(8020323510308500702));
	assert_int_equal(rarog_clock_ns(&none, 5), 5);
	assert_int_equal(rarog_clock_ns(&(struct rarog_clock){ .hz = 1 }, UINT64_MAX), UINT64_MAX);
}

TEST(buckets_have_no_gaps)
{
	for (unsigned b = 0; b < RAROG_HISTOGRAM_BUCKETS; b++) {
		uint64_t low = rarog_histogram_low(b);

		assert_int_equal(rarog_histogram_bucket(low), b);
		if (b > 0)
			assert_int_equal(rarog_histogram_bucket(low - 1), b - 1);
	}
	assert_int_equal(rarog_histogram_bucket(UINT64_MAX), RAROG_HISTOGRAM_BUCKETS - 1);
	assert_int_equal(rarog_histogram_low(RAROG_HISTOGRAM_BUCKETS), UINT64_MAX);
}

__extension__ typedef unsigned __int128 wide;

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Oracle: the sorted values themselves, sums in long double about the mean. */
static void check_statistics(size_t n, uint64_t *values)
{
	static struct rarog_histogram_bucket buckets[RAROG_HISTOGRAM_BUCKETS];
	struct rarog_summary s = { .count = n, .timed = n, .buckets = buckets };
	wide squares = 0;
	long double mean = 0, variance = 0;

	qsort(values, n, sizeof(*values), compare_u64);
	for (size_t i = 0; i < n; i++) {
		unsigned bucket = rarog_histogram_bucket(values[i]);

		if (s.n_buckets == 0 || buckets[s.n_buckets - 1].bucket != bucket)
			buckets[s.n_buckets++] = (struct rarog_histogram_bucket){ bucket, 0 };
		buckets[s.n_buckets - 1].count++;
		s.sum += values[i];
		squares += (wide)values[i] * values[i];
		mean += (long double)values[i];
	}
	mean /= (long double)n;
	for (size_t i = 0; i < n; i++)
		variance += ((long double)values[i] - mean) * ((long double)values[i] - mean);
	s.min = values[0];
	s.max = values[n - 1];
	s.square_low = (uint64_t)squares;
	s.square_high = (uint64_t)(squares >> 64);
	double deviation = sqrt((double)(variance / (long double)n));

	assert_true(fabs(rarog_summary_mean(&s) - (double)mean) <= 1e-9 * (double)mean);
	assert_true(fabs(rarog_summary_deviation(&s) - deviation) <= 1e-6 * deviation + 1e-6);
	for (int k = 0; k <= 100; k++) {
		size_t rank = (size_t)ceil(k / 100.0 * (double)n);
		double truth = (double)values[rank ? rank - 1 : 0];
		double found = (double)rarog_summary_quantile(&s, k / 100.0);

		assert_true(fabs(found - truth) <= 0.016 * truth);
	}
}

TEST(statistics_are_those_of_brute_force)
{
	uint64_t values[1000];
	const struct rarog_summary none = { 0 };

	for (int round = 0; round < 50; round++) {
		size_t n = 1 + random_below(1000);
		uint64_t offset = round % 2 ? UINT64_C(1000000000000) : 0;

		for (size_t i = 0; i < n; i++)
			values[i] = offset + (random_u64() >> (24 + random_below(40)));
		check_statistics(n, values);
	}
	assert_true(rarog_summary_mean(&none) == 0 && rarog_summary_deviation(&none) == 0);
	assert_int_equal(rarog_summary_quantile(&none, 0.5), 0);
}
