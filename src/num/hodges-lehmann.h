/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * By how much two versions differ, robustly: the Hodges-Lehmann estimate with the interval that the
 * matching rank test gives. Efficient for normal data (96 %), unmoved by a few wild runs.
 *
 * For a ratio give logarithms and take the exponential of the result.
 */
#ifndef RAROG_NUM_HODGES_LEHMANN_H
#define RAROG_NUM_HODGES_LEHMANN_H

#include "num/sample.h"

/* Both look at all pairs: more values than this on a side are refused (-EDOM). */
#define RAROG_HODGES_LEHMANN_MAX 4096

/**
 * rarog_hodges_lehmann_paired() - the centre of the differences of pairs measured together
 * @n: number of pairs
 * @difference: difference[n], target minus baseline
 * @level: wanted coverage
 * @ret_shift: value: median of the means of all pairs of differences, (d(i) + d(j)) / 2 with
 * i ≤ j; low, high: those means that Wilcoxon's signed-rank test would not reject; level: the exact
 * coverage up to RAROG_RANK_EXACT_MAX pairs, beyond it @level by the normal distribution
 *
 * Assumes differences that are symmetric about the shift. Ties make the interval wider than need
 * be. Source: Hodges, Lehmann 1963; Hollander, Wolfe, Nonparametric Statistical Methods, 3.2-3.3.
 *
 * Return: 0; -ERANGE when so few pairs cannot give @level; -EDOM, -EINVAL, -ENOMEM.
 */
int rarog_hodges_lehmann_paired(size_t n, const double difference[], double level,
				struct rarog_estimate *ret_shift);

/**
 * rarog_hodges_lehmann() - the shift from sample x to sample y
 * @ret_shift: value: median of all y(j) - x(i); low, high: as above, by Mann and Whitney's test
 *
 * Assumes that both distributions have one shape. Errors as above.
 */
int rarog_hodges_lehmann(size_t nx, const double x[], size_t ny, const double y[], double level,
			 struct rarog_estimate *ret_shift);

#endif
