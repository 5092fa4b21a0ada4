/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Order statistics of a sample.
 */
#ifndef RAROG_NUM_QUANTILE_H
#define RAROG_NUM_QUANTILE_H

#include "num/sample.h"

/*
 * Where between two order statistics a quantile lies: the continuous definitions 4 … 9 of Hyndman
 * and Fan, "Sample quantiles in statistical packages", Am. Stat. 50, 1996. Rarog reports type 7,
 * which R, NumPy and spreadsheets take by default, so that readers get the same number.
 */
enum rarog_quantile_type {
	RAROG_QUANTILE_4 = 4, /* linear interpolation of the empirical distribution */
	RAROG_QUANTILE_5,     /* hydrologists' */
	RAROG_QUANTILE_6,     /* i/(n+1) */
	RAROG_QUANTILE_7,     /* (i-1)/(n-1); the default */
	RAROG_QUANTILE_8,     /* median-unbiased whatever the distribution */
	RAROG_QUANTILE_9,     /* unbiased for normal data */
};

/** rarog_quantile_sorted() - the @p-quantile (0 ≤ @p ≤ 1) of @n ≥ 1 sorted, finite values */
double rarog_quantile_sorted(size_t n, const double sorted[], double p,
			     enum rarog_quantile_type type);

/** rarog_median_sorted() - mean of the two middle values of @n ≥ 1 sorted, finite values */
double rarog_median_sorted(size_t n, const double sorted[]);

/** rarog_median() - of any order; 0, or -EDOM (@n = 0), -EINVAL, -ENOMEM */
int rarog_median(size_t n, const double x[], double *ret_median);

/* The median absolute deviation times this estimates the deviation of normal data: 1/Φ⁻¹(3/4). */
#define RAROG_MAD_NORMAL 1.482602218505602

/** rarog_mad() - median of |x - median(x)|, not scaled; 0 or errors as rarog_median(). 0 when more
 * than half of the values are equal. */
int rarog_mad(size_t n, const double x[], double *ret_mad);

#endif
