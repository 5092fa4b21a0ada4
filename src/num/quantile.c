/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/quantile.h"

#include <gsl/gsl_cdf.h>
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

/* The smallest k of 0 … n with P(B ≤ k) > @probability, B binomial (@n, @p). */
static size_t binomial_above(size_t n, double p, double probability)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (gsl_cdf_binomial_P((unsigned)middle, p, (unsigned)n) > probability)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Each end needs a value beyond the quantile: 1 - (1-p)^n and 1 - p^n at least 1 - tail. */
size_t rarog_quantile_interval_least(double p, double level)
{
	double tail = (1 - level) / 2, rarer = fmin(p, 1 - p);

	return (size_t)ceil(log(tail) / log1p(-rarer) - 1e-9);
}

int rarog_quantile_interval(size_t n, const double x[], double p, double level,
			    struct rarog_estimate *ret_quantile)
{
	rarog_cleanup(rarog_freep) double *sorted = NULL;
	int r = rarog_level_check(level);

	if (r < 0 || (r = rarog_level_check(p)) < 0 ||
	    (r = rarog_sample_sorted("quantile", n, 1, x, &sorted)) < 0)
		return r;
	double tail = (1 - level) / 2 * (1 + 1e-12);
	/* The lower end x(l): P(B < l) ≤ tail. The upper one mirrored: B' = n - B counts from
	 * above. */
	size_t l = binomial_above(n, p, tail), mirrored = binomial_above(n, 1 - p, tail);
	size_t u = n + 1 - mirrored;

	if (l < 1 || mirrored < 1)
		return rarog_fail(-ERANGE,
				  "%zu values cannot bound the %g-quantile with %g %%; at least "
				  "%zu can",
				  n, p, 100 * level, rarog_quantile_interval_least(p, level));
	*ret_quantile = (struct rarog_estimate){
		.value = rarog_quantile_sorted(n, sorted, p, RAROG_QUANTILE_7),
		.low = sorted[l - 1],
		.high = sorted[u - 1],
		.level = 1 - gsl_cdf_binomial_P((unsigned)l - 1, p, (unsigned)n) -
			 gsl_cdf_binomial_P((unsigned)mirrored - 1, 1 - p, (unsigned)n),
	};
	return 0;
}
