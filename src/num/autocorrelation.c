/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/autocorrelation.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/quantile.h"
#include "num/sample.h"

/* Σ (x(i) - mean)(x(i+lag) - mean) */
static double product_sum(size_t n, const double x[], size_t lag, double mean)
{
	long double sum = 0;

	for (size_t i = 0; i + lag < n; i++)
		sum += ((long double)x[i] - mean) * ((long double)x[i + lag] - mean);
	return (double)sum;
}

int rarog_autocorrelation(size_t n, const double x[], size_t lag, double *ret_r)
{
	int r = rarog_sample_check("series", n, lag + 1, x);

	if (r < 0)
		return r;
	double mean = gsl_stats_mean(x, 1, n), squares = product_sum(n, x, 0, mean);

	if (!(squares > 0))
		return rarog_fail(-EDOM, "series: all values are equal; no correlation is defined");
	*ret_r = product_sum(n, x, lag, mean) / squares;
	return 0;
}

int rarog_effective_size(size_t n, const double x[], double *ret_size)
{
	int r = rarog_sample_check("series", n, 4, x);

	if (r < 0)
		return r;
	double mean = gsl_stats_mean(x, 1, n), squares = product_sum(n, x, 0, mean);
	double least = INFINITY, time = -1;

	for (size_t lag = 0; squares > 0 && lag + 1 < n; lag += 2) {
		double pair =
			(product_sum(n, x, lag, mean) + product_sum(n, x, lag + 1, mean)) / squares;

		if (pair <= 0)
			break;
		least = fmin(least, pair);
		time += 2 * least;
	}
	*ret_size = fmax(1, (double)n / fmax(1, time));
	return 0;
}

int rarog_durbin_watson(size_t n, const double residuals[], double *ret_d)
{
	int r = rarog_sample_check("residuals", n, 2, residuals);
	double steps = 0, squares = residuals[0] * residuals[0];

	if (r < 0)
		return r;
	for (size_t i = 1; i < n; i++) {
		double step = residuals[i] - residuals[i - 1];

		steps += step * step;
		squares += residuals[i] * residuals[i];
	}
	if (!(squares > 0))
		return rarog_fail(-EDOM, "residuals: all are 0; no dependence is defined");
	*ret_d = steps / squares;
	return 0;
}

/* Lag-1 correlation of differences d[n] whose size is at most @limit. */
static double inner_correlation(size_t n, const double d[], double limit)
{
	double products = 0, squares = 0;
	size_t pairs = 0, inner = 0;

	for (size_t i = 0; i < n; i++) {
		if (fabs(d[i]) > limit)
			continue;
		squares += d[i] * d[i];
		inner++;
		if (i + 1 < n && fabs(d[i + 1]) <= limit) {
			products += d[i] * d[i + 1];
			pairs++;
		}
	}
	if (!pairs || !(squares > 0))
		return -0.5; /* nothing known: independent */
	return (products / (double)pairs) / (squares / (double)inner);
}

int rarog_prewhiten(size_t n, const double x[], double ret_x[], double *ret_phi)
{
	rarog_cleanup(rarog_freep) double *d = NULL;
	int r = rarog_sample_check("series", n, 8, x);
	double deviation = 0;

	if (r < 0)
		return r;
	d = malloc(n * sizeof(*d));
	if (!d)
		return rarog_oom();
	for (size_t i = 0; i + 1 < n; i++)
		d[i] = x[i + 1] - x[i];
	r = rarog_mad(n - 1, d, &deviation);
	if (r < 0)
		return r;
	double phi = 1 + 2 * inner_correlation(n - 1, d, 4 * RAROG_MAD_NORMAL * deviation);

	phi = phi > 2 * sqrt(2 / (double)n) ? fmin(phi, 0.9) : 0;
	for (size_t i = n; i-- > 1;) /* backwards: may be in place */
		ret_x[i] = phi > 0 ? x[i - 1] + (x[i] - x[i - 1]) / (1 - phi) : x[i];
	ret_x[0] = x[0];
	*ret_phi = phi;
	return 0;
}
