/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num-check.h"
#include "num-peers.h"
#include "num/hodges-lehmann.h"
#include "num/quantile.h"
#include "num/random.h"
#include "num/rank.h"
#include "unit.h"

TEST(ranks_share_ties)
{
	static const double x[] = { 3, 1, 3, 2, 3, 1 }, expected[] = { 5, 1.5, 5, 3, 5, 1.5 };
	double ranks[6], ties;

	assert_int_equal(rarog_rank(6, x, ranks, &ties), 0);
	for (int i = 0; i < 6; i++)
		assert_close(ranks[i], expected[i], 0);
	assert_close(ties, (27 - 3) + (8 - 2), 0);
	assert_refused(rarog_rank(2, (const double[]){ 0, NAN }, ranks, NULL), -EINVAL, "value 2");
}

/* Oracle: all subsets of the ranks 1 … n. */
static double signed_below(unsigned n, unsigned w)
{
	unsigned count = 0;

	for (unsigned set = 0; set < 1U << n; set++) {
		unsigned sum = 0;

		for (unsigned i = 0; i < n; i++)
			sum += set >> i & 1 ? i + 1 : 0;
		count += sum <= w;
	}
	return count / (double)(1U << n);
}

static double sum_below(unsigned m, unsigned n, unsigned u)
{
	unsigned count = 0, all = 0;

	for (unsigned set = 0; set < 1U << (m + n); set++) {
		unsigned sum = 0;

		if ((unsigned)__builtin_popcount(set) != m)
			continue;
		for (unsigned i = 0; i < m + n; i++)
			sum += set >> i & 1 ? i + 1 : 0;
		all++;
		count += sum - m * (m + 1) / 2 <= u;
	}
	return count / (double)all;
}

TEST(distributions_are_those_of_enumeration)
{
	for (unsigned n = 1; n <= 10; n++) {
		rarog_cleanup(rarog_freep) double *below = NULL;

		assert_int_equal(rarog_rank_signed(n, &below), 0);
		for (unsigned w = 0; w <= n * (n + 1) / 2; w++)
			assert_close(below[w], signed_below(n, w), 1e-14);
	}
	for (unsigned m = 1; m <= 5; m++)
		for (unsigned n = 1; n <= 6; n++) {
			rarog_cleanup(rarog_freep) double *below = NULL;

			assert_int_equal(rarog_rank_sum(m, n, &below), 0);
			for (unsigned u = 0; u <= m * n; u++)
				assert_close(below[u], sum_below(m, n, u), 1e-14);
			for (unsigned u = 0; u <= m * n; u++) {
				double tail = -1;

				assert_int_equal(rarog_rank_sum_tail(m, n, u, &tail), 0);
				assert_close(tail, below[u], 1e-14);
			}
		}
}

TEST(large_distributions_are_symmetric_and_near_normal)
{
	rarog_cleanup(rarog_freep) double *w = NULL, *u = NULL;

	assert_int_equal(rarog_rank_signed(50, &w), 0);
	assert_int_equal(rarog_rank_sum(50, 50, &u), 0);
	assert_close(w[637], 0.5, 0.01); /* 1275 is odd: no middle value */
	assert_close(w[637] + w[637], 1, 1e-13);
	assert_close(u[1000] + u[2500 - 1001], 1, 1e-12);
	assert_close(u[1000], 0.5 * erfc((1250 - 1000.5) / sqrt(2500 * 101 / 12.0) / sqrt(2)),
		     0.01);
	assert_refused(rarog_rank_signed(51, &w), -EDOM, "1 to 50");
	assert_refused(rarog_rank_sum(0, 5, &w), -EDOM, "1 to 50");
}

/*
 * Hollander and Wolfe, Nonparametric Statistical Methods, examples 3.3 and 3.4 (depression scale
 * of nine patients before and after; also in R's help of wilcox.test): -0.46, and -0.786 … -0.010
 * with 96 %.
 */
TEST(paired_shift_of_the_textbook)
{
	static const double before[] = { 1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30 };
	static const double after[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29 };
	struct rarog_estimate shift;
	double d[9];

	for (int i = 0; i < 9; i++)
		d[i] = after[i] - before[i];
	assert_int_equal(rarog_hodges_lehmann_paired(9, d, 0.95, &shift), 0);
	assert_close(shift.value, -0.46, 1e-10);
	assert_close(shift.low, -0.786, 1e-10);
	assert_close(shift.high, -0.010, 1e-10);
	assert_close(shift.level, 1 - 0.0390625, 1e-12);
}

/* Oracle: the shifts which the exact test, made by enumeration, does not reject. */
static bool keeps_paired(unsigned n, const double *d, double shift, double alpha)
{
	double moved[10] = { 0 }, ranks[10], w = 0;

	for (unsigned i = 0; i < n; i++)
		moved[i] = fabs(d[i] - shift);
	rarog_rank(n, moved, ranks, NULL);
	for (unsigned i = 0; i < n; i++)
		w += d[i] > shift ? ranks[i] : 0;
	double smaller = fmin(w, n * (n + 1) / 2.0 - w);

	return 2 * signed_below(n, (unsigned)smaller) > alpha * (1 + 1e-9);
}

static bool keeps(unsigned m, const double *x, unsigned n, const double *y, double shift,
		  double alpha)
{
	unsigned u = 0;

	for (unsigned i = 0; i < m; i++)
		for (unsigned j = 0; j < n; j++)
			u += y[j] - x[i] > shift;
	return 2 * sum_below(m, n, u < m * n - u ? u : m * n - u) > alpha * (1 + 1e-9);
}

TEST(intervals_are_inverted_tests)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(5);
	double x[8], y[8];

	for (int round = 0; round < 12; round++) {
		struct rarog_estimate s;

		for (int i = 0; i < 8; i++) {
			x[i] = rarog_random_normal(random);
			y[i] = rarog_random_normal(random) + 1;
		}
		assert_int_equal(rarog_hodges_lehmann_paired(8, y, 0.9, &s), 0);
		assert_false(keeps_paired(8, y, s.low - 1e-9, 0.1));
		assert_true(keeps_paired(8, y, s.low + 1e-9, 0.1));
		assert_true(keeps_paired(8, y, s.high - 1e-9, 0.1));
		assert_false(keeps_paired(8, y, s.high + 1e-9, 0.1));
		assert_int_equal(rarog_hodges_lehmann(5, x, 6, y, 0.95, &s), 0);
		assert_false(keeps(5, x, 6, y, s.low - 1e-9, 0.05));
		assert_true(keeps(5, x, 6, y, s.low + 1e-9, 0.05));
		assert_true(keeps(5, x, 6, y, s.high - 1e-9, 0.05));
		assert_false(keeps(5, x, 6, y, s.high + 1e-9, 0.05));
	}
}

/* @n a side; heavy tails: one value in ten is ten times as wild. */
static double wild(struct rarog_random *random)
{
	return rarog_random_normal(random) * (rarog_random_below(random, 10) ? 1 : 10);
}

static void cover(size_t n, size_t experiments, bool is_paired)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(n);
	size_t covered = 0;
	double level = 0, x[80], y[80];

	for (size_t e = 0; e < experiments; e++) {
		struct rarog_estimate s;

		for (size_t i = 0; i < n; i++) {
			x[i] = wild(random);
			y[i] = wild(random) + 3;
		}
		if (is_paired)
			assert_int_equal(rarog_hodges_lehmann_paired(n, y, 0.95, &s), 0);
		else
			assert_int_equal(rarog_hodges_lehmann(n, x, n, y, 0.95, &s), 0);
		covered += s.low <= 3 && 3 <= s.high;
		level = s.level;
	}
	assert_between(level, 0.95, 0.975);
	assert_rate(covered, experiments, level);
}

TEST(intervals_cover_as_they_say)
{
	cover(8, 2000, true);
	cover(20, 2000, true);
	cover(60, 400, true); /* normal */
	cover(5, 2000, false);
	cover(15, 2000, false);
	cover(60, 400, false);
}

/* 60 pairs are beyond the exact tables: the ends are where the exact count, made here, puts them.
 */
TEST(the_normal_form_is_near_the_exact_one)
{
	static double ways[1831] = { 1 };
	double d[60], below = 0;
	struct rarog_estimate s;
	size_t outside = 0;

	for (size_t rank = 1; rank <= 60; rank++)
		for (size_t w = 1830; w >= rank; w--)
			ways[w] += ways[w - rank];
	for (int i = 0; i < 60; i++)
		d[i] = sqrt(i + 0.1); /* all means differ */
	assert_int_equal(rarog_hodges_lehmann_paired(60, d, 0.95, &s), 0);
	for (int i = 0; i < 60; i++)
		for (int j = i; j < 60; j++)
			outside += d[i] + (d[j] - d[i]) / 2 < s.low;
	for (size_t w = 0; w <= outside; w++)
		below += ways[w] / exp2(60);
	assert_between(below, 0.0243, 0.0257);
}

TEST(hopeless_samples_are_refused)
{
	static const double x[] = { 1, 2, 3, NAN }, same[8] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	rarog_cleanup(rarog_freep) double *many = calloc(5000, sizeof(*many));
	struct rarog_estimate s;

	assert_refused(rarog_hodges_lehmann_paired(5, same, 0.95, &s), -ERANGE, "more runs");
	assert_refused(rarog_hodges_lehmann(3, x, 3, x, 0.95, &s), -ERANGE, "more runs");
	assert_refused(rarog_hodges_lehmann_paired(4, x, 0.95, &s), -EINVAL, "value 4");
	assert_refused(rarog_hodges_lehmann(3, x, 0, x, 0.95, &s), -EDOM, "target");
	assert_refused(rarog_hodges_lehmann(3, x, 3, x, 0, &s), -EINVAL, "level 0");
	assert_refused(rarog_hodges_lehmann_paired(5000, many, 0.9, &s), -EDOM, "too many");
	assert_int_equal(rarog_hodges_lehmann_paired(8, same, 0.95, &s), 0);
	assert_close(s.low, 2, 0);
	assert_close(s.high, 2, 0);
}
