/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num-check.h"
#include "num-peers.h"
#include "num/permutation.h"
#include "num/two-sample.h"
#include "unit.h"

static const double same[6] = { 4, 4, 4, 4, 4, 4 }, bad[3] = { 1, NAN, 2 };

TEST(permutations_are_scipys)
{
	struct rarog_permutation t;

	assert_int_equal(rarog_permutation(PEER_TIED_N, peer_tied, 8, peer_y, rarog_statistic_mean,
					   RAROG_TAIL_UPPER, 0, NULL, &t),
			 0);
	assert_true(t.is_exact);
	assert_int_equal(t.n, 6435);
	assert_close(t.p, PEER_PERMUTATION_P, 1e-12);
	assert_int_equal(rarog_permutation_paired(PEER_PAIRS_N, peer_pairs, rarog_statistic_mean,
						  RAROG_TAIL_UPPER, 0, NULL, &t),
			 0);
	assert_int_equal(t.n, 512);
	assert_close(t.p, PEER_PAIRED_P, 1e-12);
}

/* Oracle: all labellings by bit masks. */
static double by_masks(unsigned nx, const double *x, unsigned ny, const double *y,
		       rarog_statistic statistic)
{
	double pool[12], a[12], b[12], observed = 0;
	unsigned far = 0, all = 0;

	memcpy(pool, x, nx * sizeof(*x));
	memcpy(pool + nx, y, ny * sizeof(*y));
	for (unsigned set = (1U << nx) - 1; set < 1U << (nx + ny); set++) {
		unsigned na = 0, nb = 0;

		if ((unsigned)__builtin_popcount(set) != nx)
			continue;
		for (unsigned i = 0; i < nx + ny; i++)
			*(set >> i & 1 ? &a[na++] : &b[nb++]) = pool[i];
		double value = statistic(na, a, nb, b);

		observed = all++ ? observed : value; /* the first mask is the observed labelling */
		far += fabs(value) > fabs(observed) - 1e-9;
	}
	return far / (double)all;
}

TEST(permutations_are_those_of_enumeration)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(3);
	static const rarog_statistic statistics[] = { rarog_statistic_mean,
						      rarog_statistic_median };
	double x[12];

	for (unsigned round = 0; round < 20; round++) {
		unsigned nx = 1 + round % 6, ny = 1 + round % 5;
		struct rarog_permutation t;

		for (unsigned i = 0; i < nx + ny; i++) /* with ties */
			x[i] = floor(4 * rarog_random_normal(random)) + (i >= nx ? 4 : 0);
		assert_int_equal(rarog_permutation(nx, x, ny, x + nx, statistics[round % 2],
						   RAROG_TAIL_BOTH, 0, NULL, &t),
				 0);
		assert_close(t.p, by_masks(nx, x, ny, x + nx, statistics[round % 2]), 1e-12);
	}
}

TEST(tails_add_up)
{
	static const double d[] = { 1, 2, 3, -1.5 };
	struct rarog_permutation both, upper, lower;

	rarog_permutation_paired(4, d, rarog_statistic_mean, RAROG_TAIL_BOTH, 0, NULL, &both);
	rarog_permutation_paired(4, d, rarog_statistic_mean, RAROG_TAIL_UPPER, 0, NULL, &upper);
	rarog_permutation_paired(4, d, rarog_statistic_mean, RAROG_TAIL_LOWER, 0, NULL, &lower);
	assert_close(both.p, 2 * upper.p, 1e-12); /* flipping all signs mirrors the distribution */
	assert_true(upper.p + lower.p >= 1);      /* both contain what was observed */
	assert_close(upper.difference, 1.125, 1e-12);
}

TEST(random_permutations_approach_all)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(4);
	struct rarog_permutation t, again;
	double x[12], y[12];

	for (int i = 0; i < 12; i++) {
		x[i] = i;
		y[i] = i + 2.5;
	}
	/* C(24, 12) = 2,704,156; for values as even as these Welch's p is near */
	assert_int_equal(rarog_permutation(12, x, 12, y, rarog_statistic_mean, RAROG_TAIL_BOTH,
					   20000, random, &t),
			 0);
	assert_false(t.is_exact);
	assert_int_equal(t.n, 20001);
	assert_between(t.p, PEER_EVEN_P - 0.015, PEER_EVEN_P + 0.015);
	rarog_random_free(random);
	random = rarog_random_new(4);
	rarog_permutation(12, x, 12, y, rarog_statistic_mean, RAROG_TAIL_BOTH, 20000, random,
			  &again);
	assert_close(again.p, t.p, 0);
	assert_refused(
		rarog_permutation(12, x, 12, y, rarog_statistic_mean, RAROG_TAIL_BOTH, 9, NULL, &t),
		-EINVAL, "none are to be drawn");
}

/* Runs of two equal versions: how often does each test say p ≤ 0.05? */
TEST(false_alarms_at_the_nominal_rate)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(6);
	size_t exact = 0, drawn = 0, paired = 0, rank = 0;

	for (int e = 0; e < 2000; e++) {
		struct rarog_permutation t;
		struct rarog_mann_whitney u;
		double x[24];

		for (int i = 0; i < 24; i++) /* skewed, as run times are */
			x[i] = exp(0.5 * rarog_random_normal(random));
		rarog_permutation(5, x, 5, x + 5, rarog_statistic_mean, RAROG_TAIL_BOTH, 0, NULL,
				  &t);
		exact += t.p <= 0.05;
		rarog_permutation(12, x, 12, x + 12, rarog_statistic_median, RAROG_TAIL_BOTH, 199,
				  random, &t);
		drawn += t.p <= 0.05;
		rarog_mann_whitney(12, x, 12, x + 12, &u);
		rank += u.p <= 0.05;
		for (int i = 0; i < 10; i++)
			x[i] -= x[i + 10];
		rarog_permutation_paired(10, x, rarog_statistic_mean, RAROG_TAIL_BOTH, 0, NULL, &t);
		paired += t.p <= 0.05;
	}
	assert_rate(exact, 2000, 12 / 252.0);
	assert_at_most_rate(drawn, 2000, 0.05);
	assert_between(drawn, 40, 200);
	assert_rate(paired, 2000, 50 / 1024.0);
	assert_between(rank, 60, 140);
}

TEST(enough_runs_to_reject_at_all)
{
	/* 2/C(8, 4) = 0.0286 ≤ 0.05 < 2/C(6, 3) = 0.1; pairs: 2/64 ≤ 0.05 < 2/32 */
	assert_int_equal(rarog_permutation_least_runs(0.05, 1, 1, false), 4);
	assert_int_equal(rarog_permutation_least_runs(0.05, 1, 1, true), 6);
	assert_int_equal(rarog_permutation_least_runs(0.1, 1, 1, false), 3);
	/* 0.05/100: 2/C(16, 8) = 1.6e-4 ≤ 5e-4 < 2/C(14, 7) = 5.8e-4; 2^-11 = 4.9e-4 */
	assert_int_equal(rarog_permutation_least_runs(0.05, 100, 1, false), 8);
	assert_int_equal(rarog_permutation_least_runs(0.05, 100, 1, true), 12);
	assert_int_equal(rarog_permutation_least_runs(0.05, 100, 100, false), 4);
	assert_int_equal(rarog_permutation_least_draws(0.05, 1, 1), 19);
	assert_int_equal(rarog_permutation_least_draws(0.05, 100, 1), 1999);
	assert_int_equal(rarog_permutation_least_runs(0.05, 0, 1, false), 0);
	assert_int_equal(rarog_permutation_least_runs(1, 5, 1, false), 0);
	assert_int_equal(rarog_permutation_least_draws(NAN, 5, 1), 0);
	for (size_t n = 3; n <= 6; n++) { /* and that many do reach it, one fewer does not */
		static const double x[] = { 1, 2, 3, 4, 5, 6 }, y[] = { 11, 12, 13, 14, 15, 16 };
		struct rarog_permutation t;

		rarog_permutation(n, x, n, y, rarog_statistic_mean, RAROG_TAIL_BOTH, 0, NULL, &t);
		assert_int_equal(rarog_permutation_least_runs(t.p, 1, 1, false), n);
		assert_int_equal(rarog_permutation_least_runs(t.p * 0.999, 1, 1, false), n + 1);
	}
}

TEST(classical_tests_are_scipys)
{
	struct rarog_mann_whitney u;

	assert_int_equal(rarog_mann_whitney(PEER_X_N, peer_x, PEER_Y_N, peer_y, &u), 0);
	assert_true(u.is_exact);
	assert_close(u.u, PEER_U, 0);
	assert_close(u.p, PEER_U_P, 1e-12);
	assert_close(u.share, (double)PEER_U / (PEER_X_N * PEER_Y_N), 1e-14);
	assert_int_equal(rarog_mann_whitney(PEER_X_N, peer_x, PEER_TIED_N, peer_tied, &u), 0);
	assert_false(u.is_exact);
	assert_close(u.u, PEER_U_TIED, 0);
	assert_close(u.p, PEER_U_TIED_P, 1e-12);
}

/* 3 values above 85 others: 1 of C(88, 3) = 109,736 choices, and as many below them. */
TEST(few_runs_beside_many_have_exact_tails)
{
	struct rarog_mann_whitney u;
	double x[88];

	for (int i = 0; i < 88; i++)
		x[i] = i;
	assert_int_equal(rarog_mann_whitney(85, x, 3, x + 85, &u), 0);
	assert_close(u.p, 2.0 / 109736, 1e-15);
	assert_int_equal(rarog_mann_whitney(3, x + 85, 85, x, &u), 0);
	assert_close(u.p, 2.0 / 109736, 1e-15);
	x[20] = x[21]; /* among themselves ties say nothing */
	assert_int_equal(rarog_mann_whitney(85, x, 3, x + 85, &u), 0);
	assert_close(u.p, 2.0 / 109736, 1e-15);
	x[85] = x[84]; /* … and as if the older one were larger: 1 of them more */
	assert_int_equal(rarog_mann_whitney(85, x, 3, x + 85, &u), 0);
	assert_close(u.u, 254.5, 0);
	assert_close(u.p, 4.0 / 109736, 1e-15);
}

TEST(bad_input_is_defined)
{
	static const double zeros[4] = { 0 }, x[] = { 1, 2, 3, 4 };
	struct rarog_permutation t;
	struct rarog_mann_whitney u;

	assert_int_equal(rarog_permutation(3, same, 3, same, rarog_statistic_mean, RAROG_TAIL_BOTH,
					   0, NULL, &t),
			 0);
	assert_close(t.p, 1, 0);
	assert_int_equal(rarog_mann_whitney(3, same, 3, same, &u), 0);
	assert_close(u.p, 1, 0);
	assert_close(u.share, 0.5, 0);
	assert_int_equal(rarog_mann_whitney(1, x, 1, x + 1, &u), 0);
	assert_close(u.p, 1, 0);
	assert_refused(rarog_mann_whitney(3, bad, 3, same, &u), -EINVAL, "baseline: value 2");
	assert_refused(rarog_permutation(3, same, 0, same, rarog_statistic_mean, RAROG_TAIL_BOTH, 9,
					 NULL, &t),
		       -EDOM, "target");
	assert_refused(rarog_permutation_paired(3, bad, rarog_statistic_mean, RAROG_TAIL_BOTH, 9,
						NULL, &t),
		       -EINVAL, "value 2");
	assert_refused(rarog_permutation(4, zeros, 4, x, rarog_statistic_mean_ratio,
					 RAROG_TAIL_BOTH, 9, NULL, &t),
		       -EDOM, "not finite");
}
