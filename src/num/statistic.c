/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/statistic.h"

#include <gsl/gsl_sort.h>

#include "num/quantile.h"

/* About the first value, so that a large common offset does not cancel. */
static double mean(size_t n, const double x[])
{
	double sum = 0;

	if (n == 0)
		return 0;
	for (size_t i = 1; i < n; i++)
		sum += x[i] - x[0];
	return x[0] + sum / (double)n;
}

static double median(size_t n, double x[])
{
	if (n == 0)
		return 0;
	gsl_sort(x, 1, n);
	return rarog_median_sorted(n, x);
}

double rarog_statistic_mean(size_t nx, double x[], size_t ny, double y[])
{
	return mean(ny, y) - mean(nx, x);
}

double rarog_statistic_median(size_t nx, double x[], size_t ny, double y[])
{
	return median(ny, y) - median(nx, x);
}

double rarog_statistic_mean_ratio(size_t nx, double x[], size_t ny, double y[])
{
	return mean(ny, y) / mean(nx, x) - 1;
}
