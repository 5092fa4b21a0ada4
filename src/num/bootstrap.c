/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/bootstrap.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/quantile.h"

struct samples {
	size_t nx, ny;
	const double *x, *y;
	rarog_statistic statistic;
	double *scratch; /* nx + ny values: x first */
};

static void resample(struct rarog_random *random, size_t n, const double from[], double to[])
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[rarog_random_below(random, n)];
}

static double evaluate(const struct samples *s)
{
	return s->statistic(s->nx, s->scratch, s->ny, s->scratch + s->nx);
}

static double on_all(const struct samples *s)
{
	if (s->nx)
		memcpy(s->scratch, s->x, s->nx * sizeof(double));
	memcpy(s->scratch + s->nx, s->y, s->ny * sizeof(double));
	return evaluate(s);
}

static int replicate(const struct samples *s, struct rarog_random *random, size_t n, double t[])
{
	for (size_t b = 0; b < n; b++) {
		resample(random, s->nx, s->x, s->scratch);
		resample(random, s->ny, s->y, s->scratch + s->nx);
		t[b] = evaluate(s);
		if (!isfinite(t[b]))
			return rarog_fail(-EDOM, "bootstrap: the statistic is not finite on a "
						 "resample");
	}
	gsl_sort(t, 1, n);
	return 0;
}

/* The statistic without value @left_out (x counted first). */
static double without(const struct samples *s, size_t left_out)
{
	size_t nx = s->nx, ny = s->ny, k = 0;

	for (size_t i = 0; i < s->nx + s->ny; i++)
		if (i != left_out)
			s->scratch[k++] = i < s->nx ? s->x[i] : s->y[i - s->nx];
	if (left_out < s->nx)
		nx--;
	else
		ny--;
	return s->statistic(nx, s->scratch, ny, s->scratch + nx);
}

/* Sums of squares and cubes of the influence of values first … first + n - 1. */
static void add_influence(const struct samples *s, size_t first, size_t n, double *influence,
			  double *squares, double *cubes)
{
	double mean = 0;

	for (size_t i = 0; i < n; i++) {
		influence[i] = without(s, first + i);
		mean += influence[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double u = (double)(n - 1) * (mean - influence[i]) / (double)n;

		*squares += u * u;
		*cubes += u * u * u;
	}
}

static double acceleration(const struct samples *s, double *influence)
{
	double squares = 0, cubes = 0;

	add_influence(s, 0, s->nx, influence, &squares, &cubes);
	add_influence(s, s->nx, s->ny, influence, &squares, &cubes);
	double a = cubes / (6 * pow(squares, 1.5));

	return isfinite(a) ? a : 0; /* no value has any influence */
}

/* Share of resamples below the estimate, ties by half, kept off 0 and 1. */
static double bias(size_t n, const double t[], double estimate)
{
	double below = 0, slack = 1e-12 * fmax(fabs(t[0]), fabs(t[n - 1]));

	for (size_t b = 0; b < n; b++)
		below += t[b] < estimate - slack ? 1 : t[b] <= estimate + slack ? 0.5 : 0;
	return gsl_cdf_ugaussian_Pinv(fmin(fmax(below, 0.5), (double)n - 0.5) / (double)n);
}

static double end(size_t n, const double t[], double z0, double a, double z)
{
	double denominator = 1 - a * (z0 + z);
	double p = gsl_cdf_ugaussian_P(z0 + (z0 + z) / fmax(denominator, 1e-9));

	return rarog_quantile_sorted(n, t, p, RAROG_QUANTILE_6);
}

static int check(size_t nx, const double x[], size_t ny, const double y[], size_t resamples,
		 double level)
{
	int r = rarog_level_check(level);

	if (r < 0 || (r = rarog_sample_check("target", ny, 3, y)) < 0 ||
	    (r = rarog_sample_check("baseline", nx, nx ? 3 : 0, x)) < 0)
		return r;
	if (resamples < RAROG_BOOTSTRAP_LEAST)
		return rarog_fail(-EINVAL, "bootstrap: %zu resamples are too few; at least %d",
				  resamples, RAROG_BOOTSTRAP_LEAST);
	return 0;
}

int rarog_bootstrap(size_t nx, const double x[], size_t ny, const double y[],
		    rarog_statistic statistic, size_t resamples, double level,
		    struct rarog_random *random, struct rarog_estimate *ret_estimate)
{
	int r = check(nx, x, ny, y, resamples, level);

	if (r < 0)
		return r;
	rarog_cleanup(rarog_freep) double *t = malloc(resamples * sizeof(*t));
	rarog_cleanup(rarog_freep) double *work = malloc(2 * (nx + ny) * sizeof(*work));

	if (!t || !work)
		return rarog_oom();
	struct samples s = { nx, ny, x, y, statistic, work };
	double estimate = on_all(&s), z = gsl_cdf_ugaussian_Qinv((1 - level) / 2);

	if (!isfinite(estimate))
		return rarog_fail(-EDOM, "bootstrap: the statistic is not finite");
	r = replicate(&s, random, resamples, t);
	if (r < 0)
		return r;
	double z0 = bias(resamples, t, estimate), a = acceleration(&s, work + nx + ny);

	*ret_estimate = (struct rarog_estimate){ estimate, end(resamples, t, z0, a, -z),
						 end(resamples, t, z0, a, z), level };
	return 0;
}
