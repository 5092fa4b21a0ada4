/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranks, and the exact distributions of the two rank statistics.
 */
#ifndef RAROG_NUM_RANK_H
#define RAROG_NUM_RANK_H

#include <stddef.h>

/* Up to this many values (a side) distributions are exact, beyond it normal. */
#define RAROG_RANK_EXACT_MAX 50

/**
 * rarog_rank() - ranks 1 … n, equal values share the mean of their ranks
 * @ret_ties: Σ (t³ - t) over groups of t equal values, 0 when all differ; may be NULL
 *
 * Return: 0, -EINVAL (a value that is not finite) or -ENOMEM.
 */
int rarog_rank(size_t n, const double x[], double ret_ranks[], double *ret_ties);

/**
 * rarog_rank_signed() - distribution of Wilcoxon's signed-rank sum W under symmetry about 0
 * @n: 1 … RAROG_RANK_EXACT_MAX differences without zeros and ties
 * @ret_below: P(W ≤ w) for w = 0 … n (n+1)/2; the caller frees it
 *
 * Return: 0, -EDOM or -ENOMEM.
 */
int rarog_rank_signed(size_t n, double **ret_below);

/**
 * rarog_rank_sum() - distribution of Mann and Whitney's U when both samples are of one distribution
 * @m, @n: 1 … RAROG_RANK_EXACT_MAX values, without ties
 * @ret_below: P(U ≤ u) for u = 0 … m n; the caller frees it
 *
 * Return: 0, -EDOM or -ENOMEM.
 */
int rarog_rank_sum(size_t m, size_t n, double **ret_below);

/**
 * rarog_rank_sum_tail() - P(U ≤ @u) of that, of any number of values
 * @m, @n: 1 …; it takes time with min(m, n) (m + n) @u, so it is for small ones of these
 * @u: 0 … m n
 *
 * Return: 0, -EDOM or -ENOMEM.
 */
int rarog_rank_sum_tail(size_t m, size_t n, size_t u, double *ret_p);

#endif
