/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Means or medians of buckets of equal width. knots_x are the lower ends, the last one the upper
 * end of all. An empty bucket has a count of 0; its value lies between those of its neighbours
 * rather than at 0.
 */
#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/knots.h"
#include "num/bins.h"

#define MEDIAN_ERROR 1.2533141373155001 /* √(π / 2) times that of the mean, of normal values */

static size_t bucket_of(const struct rarog_model *model, double x)
{
	size_t n = model->n_knots - 1;
	double start = model->knots_x[0], width = (model->knots_x[n] - start) / (double)n;
	double at = floor((x - start) / width);

	return at < 0 ? 0 : at >= (double)n ? n - 1 : (size_t)at;
}

/* The first and the last bucket are never empty. */
static void fill_gaps(size_t n, const double counts[], double y[])
{
	for (size_t i = 0, last = 0; i < n; i++) {
		if (counts[i] == 0)
			continue;
		for (size_t k = last + 1; k < i; k++)
			y[k] = y[last] + (y[i] - y[last]) * (double)(k - last) / (double)(i - last);
		last = i;
	}
}

static void set_bucket(const struct rarog_data *data, size_t from, size_t to, size_t k,
		       struct rarog_model *model)
{
	double weight = 0, mean = 0, spread = 0, n = (double)(to - from);

	for (size_t i = from; i < to; i++) {
		double one = data->weights ? data->weights[i] : 1, off = data->y[i] - mean;

		weight += one;
		mean += off * (one / weight);
		spread += one * off * (data->y[i] - mean);
	}
	model->knots_y[k] = mean;
	model->knots_count[k] = n;
	model->knots_deviation[k] = n > 1 ? sqrt(spread / weight * n / (n - 1)) : NAN;
	model->knots_error[k] = model->knots_deviation[k] / sqrt(n);
}

/* @room is for the largest bucket. */
static void set_median(const struct rarog_data *data, size_t from, size_t to, size_t k,
		       double room[], struct rarog_model *model)
{
	memcpy(room, data->y + from, (to - from) * sizeof(double));
	model->knots_y[k] = gsl_stats_median(room, 1, to - from);
	model->knots_error[k] *= MEDIAN_ERROR;
}

static int fill(const struct rarog_data *data, struct rarog_model *model)
{
	bool is_median = data->options->regressogram.is_median;
	rarog_cleanup(rarog_freep) double *room =
		is_median ? calloc(data->n, sizeof(double)) : NULL;
	size_t n_buckets = model->n_knots - 1;

	if (is_median && !room)
		return rarog_oom();
	for (size_t k = 0, i = 0; k < n_buckets; k++) {
		size_t from = i;

		while (i < data->n && bucket_of(model, data->x[i]) <= k)
			i++;
		model->knots_error[k] = model->knots_deviation[k] = NAN;
		if (i == from)
			continue;
		set_bucket(data, from, i, k, model);
		model->parameters++;
		if (is_median)
			set_median(data, from, i, k, room, model);
	}
	fill_gaps(n_buckets, model->knots_count, model->knots_y);
	model->knots_y[n_buckets] = model->knots_y[n_buckets - 1];
	model->knots_error[n_buckets] = model->knots_error[n_buckets - 1];
	model->knots_deviation[n_buckets] = model->knots_deviation[n_buckets - 1];
	return 0;
}

static int fit(const struct rarog_data *data, struct rarog_model *model)
{
	const struct rarog_regressogram_options *options = &data->options->regressogram;
	size_t n = data->n, n_buckets = options->buckets;
	const double *x = data->x;
	int r;

	if (x[n - 1] <= x[0])
		return rarog_fail(-EDOM, "all x are equal");
	if (n_buckets == 0)
		n_buckets = rarog_bins(&rarog_bin_rules[options->rule], n, x);
	r = rarog_knots_make(model, n_buckets + 1);
	if (r < 0)
		return r;
	model->width = (x[n - 1] - x[0]) / (double)n_buckets;
	for (size_t k = 0; k <= n_buckets; k++)
		model->knots_x[k] = x[0] + (x[n - 1] - x[0]) * (double)k / (double)n_buckets;
	model->words = options->is_median ? "medians of buckets, width" : "means of buckets, width";
	return fill(data, model);
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
	.fit = fit,
	.value = value,
	.mean = mean,
};
