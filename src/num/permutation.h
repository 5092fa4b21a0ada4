/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests by permutation: if version does not matter, which run got which label is chance, and the
 * difference observed is one of equally likely ones. Needs no distribution; the unit is the run.
 */
#ifndef RAROG_NUM_PERMUTATION_H
#define RAROG_NUM_PERMUTATION_H

#include <stdbool.h>

#include "num/random.h"
#include "num/statistic.h"

enum rarog_tail {
	RAROG_TAIL_BOTH,  /* as far from 0, in either direction */
	RAROG_TAIL_UPPER, /* y larger */
	RAROG_TAIL_LOWER, /* y smaller */
};

struct rarog_permutation {
	double difference; /* the statistic as observed */
	double p;          /* never 0: what was observed is one of the permutations */
	size_t n;          /* permutations looked at */
	bool is_exact;     /* all of them */
};

/* All permutations are enumerated when there are at most this many. */
#define RAROG_PERMUTATION_EXACT_MAX 100000

/**
 * rarog_permutation() - test of two samples of runs
 * @nx, @x, @ny, @y: at least 1 run a side
 * @statistic: difference of means or medians (statistic.h), or another
 * @draws: number of random permutations if there are too many for all; p is then
 * (1 + those as far) / (1 + draws), valid whatever @draws
 * @random: used only then; may be NULL if @nx + @ny ≤ 18
 *
 * Values within rounding of the observed difference count as equal to it. With no variance at all p
 * is 1. Source: Pitman 1937; Phipson, Smyth, "Permutation p-values should never be zero", 2010.
 *
 * Return: 0, -EDOM (an empty sample, a statistic that is not finite), -EINVAL, -ENOMEM.
 */
int rarog_permutation(size_t nx, const double x[], size_t ny, const double y[],
		      rarog_statistic statistic, enum rarog_tail tail, size_t draws,
		      struct rarog_random *random, struct rarog_permutation *ret_test);

/**
 * rarog_permutation_paired() - test of pairs whose order was randomised (AB/BA): signs are flipped
 * @n: at least 1 pair
 * @difference: difference[n], target minus baseline
 * @random: may be NULL if @n ≤ 16
 *
 * Otherwise as above; the statistic sees the differences as y and an empty x. Source: Fisher 1935.
 */
int rarog_permutation_paired(size_t n, const double difference[], rarog_statistic statistic,
			     enum rarog_tail tail, size_t draws, struct rarog_random *random,
			     struct rarog_permutation *ret_test);

/**
 * rarog_permutation_least_runs() - the fewest runs a side (or pairs) with which a test of both
 * tails can reject at all
 * @alpha: level of the whole family, in (0, 1)
 * @tests: number of functions tested, at least 1
 * @changed: how many of them have changed, at least 1 and at most @tests: with k small p-values
 * Benjamini and Hochberg reject at alpha k/m. 1 is the honest choice before looking.
 *
 * The smallest p is 2/C(2n, n), or 2/2^n of pairs. Fewer runs must be called inconclusive, not
 * unchanged.
 *
 * Return: runs; 0 for parameters out of their range.
 */
size_t rarog_permutation_least_runs(double alpha, size_t tests, size_t changed, bool is_paired);

/** rarog_permutation_least_draws() - random permutations needed so that p can get as small: m/(k α)
 * rounded up, minus 1; 0 as above */
size_t rarog_permutation_least_draws(double alpha, size_t tests, size_t changed);

#endif
