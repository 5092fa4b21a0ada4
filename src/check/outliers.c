/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/outliers.h"

#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/quantile.h"

#define FEWEST      4
#define MEAN_NORMAL 1.2533141373155003 /* √(π/2): mean absolute deviation of normal data */

struct centre {
	double median,
		spread;      /* spread: estimates the standard deviation, robustly; 0: all equal */
	double lower, upper; /* quartiles */
};

static double mean_deviation(size_t n, const double x[], double median)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(x[i] - median);
	return sum / (double)n;
}

static int find_centre(size_t n, const double x[], struct centre *centre)
{
	rarog_cleanup(rarog_freep) double *sorted = NULL;
	double mad = 0;
	int r = rarog_sample_sorted("differences", n, 1, x, &sorted);

	if (r == 0)
		r = rarog_mad(n, x, &mad);
	if (r < 0)
		return r;
	centre->median = rarog_median_sorted(n, sorted);
	centre->lower = rarog_quantile_sorted(n, sorted, 0.25, RAROG_QUANTILE_7);
	centre->upper = rarog_quantile_sorted(n, sorted, 0.75, RAROG_QUANTILE_7);
	centre->spread = mad > 0 ? RAROG_MAD_NORMAL * mad
				 : MEAN_NORMAL * mean_deviation(n, x, centre->median);
	return 0;
}

static struct rarog_outlier_word judge(double x, const struct centre *centre,
				       const struct rarog_outlier_limits *limits)
{
	double z = centre->spread > 0 ? (x - centre->median) / centre->spread : 0;
	double range = centre->upper - centre->lower;
	double beyond = x > centre->upper   ? x - centre->upper
			: x < centre->lower ? x - centre->lower
					    : 0;

	if (fabs(z) > limits->score)
		return (struct rarog_outlier_word){ RAROG_OUTLIER_SCORE, z };
	if (range > 0 && fabs(beyond) > limits->fence * range)
		return (struct rarog_outlier_word){ RAROG_OUTLIER_FENCE, beyond / range };
	return (struct rarog_outlier_word){ RAROG_OUTLIER_NONE, z };
}

/* Among those that are left, by their own mean and deviation. */
static int judge_rest(size_t n, const double x[], const struct rarog_outlier_limits *limits,
		      struct rarog_outlier_word words[])
{
	rarog_cleanup(rarog_freep) double *rest = calloc(n, sizeof(double));
	size_t n_rest = 0;

	if (!rest)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		if (words[i].kind == RAROG_OUTLIER_NONE)
			rest[n_rest++] = x[i];
	if (n_rest < FEWEST)
		return 0;
	double mean = gsl_stats_mean(rest, 1, n_rest), deviation = gsl_stats_sd(rest, 1, n_rest);

	for (size_t i = 0; i < n && deviation > 0; i++) {
		double times = (x[i] - mean) / deviation;

		if (words[i].kind == RAROG_OUTLIER_NONE && fabs(times) > limits->deviations)
			words[i] = (struct rarog_outlier_word){ RAROG_OUTLIER_DEVIATION, times };
	}
	return 0;
}

int rarog_outliers(size_t n, const double x[], const struct rarog_outlier_limits *limits,
		   struct rarog_outlier_word ret_words[])
{
	struct centre centre;
	int r;

	for (size_t i = 0; i < n; i++)
		ret_words[i] = (struct rarog_outlier_word){ RAROG_OUTLIER_NONE, 0 };
	if (n < FEWEST)
		return 0;
	r = find_centre(n, x, &centre);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		ret_words[i] = judge(x[i], &centre, limits);
	return judge_rest(n, x, limits, ret_words);
}
