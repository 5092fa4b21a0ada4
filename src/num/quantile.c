/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/quantile.h"

#include <gsl/gsl_sort.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"

/* Hyndman and Fan write the position as n p + a + p (1 - a - b). */
static const struct {
	double a, b;
} positions[] = {
	[RAROG_QUANTILE_4] = { 0, 1 },
	[RAROG_QUANTILE_5] = { 0.5, 0.5 },
	[RAROG_QUANTILE_6] = { 0, 0 },
	[RAROG_QUANTILE_7] = { 1, 1 },
	[RAROG_QUANTILE_8] = { 1.0 / 3, 1.0 / 3 },
	[RAROG_QUANTILE_9] = { 3.0 / 8, 3.0 / 8 },
};

double rarog_quantile_sorted(size_t n, const double sorted[], double p,
			     enum rarog_quantile_type type)
{
	double a = positions[type].a, b = positions[type].b;
	double position = (double)n * p + a + p * (1 - a - b);
	double below = floor(position);
	double part = position - below;

	if (below < 1)
		return sorted[0];
	if (below >= (double)n)
		return sorted[n - 1];
	size_t i = (size_t)below;

	return sorted[i - 1] + part * (sorted[i] - sorted[i - 1]);
}

double rarog_median_sorted(size_t n, const double sorted[])
{
	double low = sorted[(n - 1) / 2], high = sorted[n / 2];

	return low + (high - low) / 2;
}

int rarog_median(size_t n, const double x[], double *ret_median)
{
	rarog_cleanup(rarog_freep) double *sorted = NULL;
	int r = rarog_sample_sorted("median", n, 1, x, &sorted);

	if (r < 0)
		return r;
	*ret_median = rarog_median_sorted(n, sorted);
	return 0;
}

int rarog_mad(size_t n, const double x[], double *ret_mad)
{
	rarog_cleanup(rarog_freep) double *sorted = NULL;
	int r = rarog_sample_sorted("median deviation", n, 1, x, &sorted);

	if (r < 0)
		return r;
	double median = rarog_median_sorted(n, sorted);

	for (size_t i = 0; i < n; i++)
		sorted[i] = fabs(sorted[i] - median);
	gsl_sort(sorted, 1, n);
	*ret_mad = rarog_median_sorted(n, sorted);
	return 0;
}
