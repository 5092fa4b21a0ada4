/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/trend.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/quantile.h"

/* Σ t (t-1) (2t+5) over groups of t equal values */
static double tie_term(size_t n, const double sorted[])
{
	double sum = 0;

	for (size_t first = 0, next; first < n; first = next) {
		for (next = first + 1; next < n && sorted[next] == sorted[first]; next++)
			;
		double t = (double)(next - first);

		sum += t * (t - 1) * (2 * t + 5);
	}
	return sum;
}

/* All pairwise slopes; returns Kendall's s. */
static double pairwise(size_t n, const double x[], double *slopes)
{
	double s = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			slopes[k++] = (x[j] - x[i]) / (double)(j - i);
			s += (x[j] > x[i]) - (x[j] < x[i]);
		}
	return s;
}

/* Sen's interval: the slopes at (N ∓ z σ) / 2 of N sorted ones. */
static struct rarog_estimate sen(size_t n, double slopes[], double deviation, double level)
{
	double half = gsl_cdf_ugaussian_Qinv((1 - level) / 2) * deviation / 2;
	double middle = (double)n / 2, last = (double)n - 1;

	gsl_sort(slopes, 1, n);
	return (struct rarog_estimate){
		.value = rarog_median_sorted(n, slopes),
		.low = slopes[(size_t)fmax(0, rint(middle - half) - 1)],
		.high = slopes[(size_t)fmin(last, rint(middle + half))],
		.level = level,
	};
}

int rarog_trend(size_t n, const double x[], double level, struct rarog_trend *ret_trend)
{
	rarog_cleanup(rarog_freep) double *sorted = NULL, *slopes = NULL;
	int r = rarog_level_check(level);

	if (r < 0 || (r = rarog_sample_sorted("series", n, 4, x, &sorted)) < 0)
		return r;
	if (n > RAROG_TREND_MAX)
		return rarog_fail(-EDOM, "series: %zu values are too many for a trend; at most %d",
				  n, RAROG_TREND_MAX);
	size_t pairs = n * (n - 1) / 2;

	slopes = malloc(pairs * sizeof(*slopes));
	if (!slopes)
		return rarog_oom();
	double s = pairwise(n, x, slopes), runs = (double)n;
	double variance = (runs * (runs - 1) * (2 * runs + 5) - tie_term(n, sorted)) / 18;
	double z = variance > 0 ? fmax(0, fabs(s) - 1) / sqrt(variance) : 0;

	*ret_trend = (struct rarog_trend){
		.s = s,
		.variance = variance,
		.tau = s / (double)pairs,
		.p = fmin(1, 2 * gsl_cdf_ugaussian_Q(z)),
		.slope = sen(pairs, slopes, sqrt(variance), level),
	};
	return 0;
}
