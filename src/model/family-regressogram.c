/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Means of buckets of equal width. knots_x are the lower ends, the last one the upper end of all;
 * knots_y the means. Sturges' number of buckets, which supposes nothing about the spread of y; an
 * empty bucket takes the value between its neighbours rather than 0.
 */
#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "model/family.h"

static size_t bucket_of(const struct rarog_model *model, double x)
{
	size_t n = model->n_knots - 1;
	double start = model->knots_x[0], width = (model->knots_x[n] - start) / (double)n;
	double at = floor((x - start) / width);

	return at < 0 ? 0 : at >= (double)n ? n - 1 : (size_t)at;
}

/* Empty buckets are NAN; the first and the last never are. */
static void fill_gaps(size_t n, double y[])
{
	for (size_t i = 0, last = 0; i < n; i++) {
		if (isnan(y[i]))
			continue;
		for (size_t k = last + 1; k < i; k++)
			y[k] = y[last] + (y[i] - y[last]) * (double)(k - last) / (double)(i - last);
		last = i;
	}
}

static void fill(size_t n, const double x[], const double y[], struct rarog_model *model)
{
	size_t i = 0, n_buckets = model->n_knots - 1;

	for (size_t k = 0; k < n_buckets; k++) {
		double sum = 0;
		size_t from = i;

		for (; i < n && bucket_of(model, x[i]) <= k; i++)
			sum += y[i];
		model->knots_y[k] = i > from ? sum / (double)(i - from) : NAN;
	}
	fill_gaps(n_buckets, model->knots_y);
	model->knots_y[n_buckets] = model->knots_y[n_buckets - 1];
}

static int fit(size_t n, const double x[], const double y[], struct rarog_model *model)
{
	size_t n_buckets = (size_t)ceil(log2((double)n)) + 1;
	int r;

	if (x[n - 1] <= x[0])
		return rarog_fail(-EDOM, "regressogram: all x are equal");
	r = rarog_family_knots(model, n_buckets + 1);
	if (r < 0)
		return r;
	for (size_t k = 0; k <= n_buckets; k++)
		model->knots_x[k] = x[0] + (x[n - 1] - x[0]) * (double)k / (double)n_buckets;
	fill(n, x, y, model);
	return 0;
}

static double value(const struct rarog_model *model, double x)
{
	return model->knots_y[bucket_of(model, x)];
}

static double mean(const struct rarog_model *model, double from, double to)
{
	double sum = 0;

	for (size_t k = 0; k + 1 < model->n_knots; k++) {
		double low = k == 0 ? from : fmax(from, model->knots_x[k]);
		double high = k + 2 == model->n_knots ? to : fmin(to, model->knots_x[k + 1]);

		if (high > low)
			sum += model->knots_y[k] * (high - low);
	}
	return sum / (to - from);
}

const struct rarog_model_family rarog_family_regressogram = {
	.name = "regressogram",
	.formula = "means of buckets",
	.fit = fit,
	.value = value,
	.mean = mean,
};
