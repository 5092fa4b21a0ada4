/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/bins.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

static double range_of(size_t n, const double x[])
{
	return x[n - 1] - x[0];
}

/* Divided by n, as the sources have it. */
static double deviation_of(size_t n, const double x[])
{
	return gsl_stats_sd_with_fixed_mean(x, 1, n, gsl_stats_mean(x, 1, n));
}

static double by_sturges(size_t n, const double x[])
{
	return range_of(n, x) / (log2((double)n) + 1);
}

static double by_sqrt(size_t n, const double x[])
{
	return range_of(n, x) / sqrt((double)n);
}

static double by_rice(size_t n, const double x[])
{
	return range_of(n, x) / (2 * cbrt((double)n));
}

static double by_scott(size_t n, const double x[])
{
	return cbrt(24 * sqrt(M_PI) / (double)n) * deviation_of(n, x);
}

static double by_fd(size_t n, const double x[])
{
	return 2 *
	       (gsl_stats_quantile_from_sorted_data(x, 1, n, 0.75) -
		gsl_stats_quantile_from_sorted_data(x, 1, n, 0.25)) /
	       cbrt((double)n);
}

static double by_doane(size_t n, const double x[])
{
	double count = (double)n, mean = gsl_stats_mean(x, 1, n), deviation = deviation_of(n, x),
	       skew = 0, error = sqrt(6 * (count - 2) / ((count + 1) * (count + 3)));

	if (n < 3 || !(deviation > 0))
		return 0;
	for (size_t i = 0; i < n; i++)
		skew += pow((x[i] - mean) / deviation, 3) / count;
	return range_of(n, x) / (1 + log2(count) + log2(1 + fabs(skew) / error));
}

static double by_auto(size_t n, const double x[])
{
	double fd = by_fd(n, x), sturges = by_sturges(n, x);

	return fd > 0 ? fmin(fd, sturges) : sturges;
}

const struct rarog_bin_rule_row rarog_bin_rules[] = {
	{ "auto", by_auto },       { "doane", by_doane }, { "fd", by_fd },
	{ "rice", by_rice },       { "scott", by_scott }, { "sqrt", by_sqrt },
	{ "sturges", by_sturges }, { NULL, NULL },
};

size_t rarog_bins(const struct rarog_bin_rule_row *rule, size_t n, const double sorted[])
{
	double width = rule->width(n, sorted);

	if (!(width > 0))
		return 1;
	return (size_t)fmin(RAROG_BINS_MAX, fmax(1, ceil(range_of(n, sorted) / width)));
}
