/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mean of the neighbours in x by a window of so many points, their median, or a mean in which
 * what is past counts exponentially less; lines between. A window is cut at the ends. Points of the
 * same x are one knot: the mean of their windows.
 *
 * The standard width, or decay, is the one that foretells each point best from the others in its
 * window (leave one out; a trailing mean foretells from the past alone).
 */
#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/knots.h"
#include "num/window.h"

#define MEDIAN_ERROR 1.2533141373155001
#define MOSTLY       0.9   /* of the steps from point to point */
#define FAR          4     /* times those */
#define SCORED       65536 /* of more points every second, third … is foretold to find the width */

struct window {
	size_t width, before; /* points, and how many of them in front of its place */
	double *weights;
	double *weight, *weight2; /* of each place: Σ w, Σ w² / Σ w … */
	double *y, *y2;           /* … Σ w y, Σ w y² */
};

/* Where a centred window of even width is longer: in front, as pandas has it. */
static size_t before(const struct rarog_moving_options *options, size_t width)
{
	return options->is_trailing ? width - 1 : width / 2;
}

/* --- the width --- */

/* A few points far off are in the windows of many, and would decide alone how wide these are. So
 * the square of one error counts no more than a few times what neighbours mostly differ by. */
static int most_of_one(const struct rarog_data *data, double *ret_most)
{
	size_t each = (data->n - 1) / SCORED + 1, n = (data->n - 1) / each;
	rarog_cleanup(rarog_freep) double *steps = calloc(n, sizeof(double));
	double most;

	if (!steps)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		steps[i] = fabs(data->y[i * each + 1] - data->y[i * each]);
	most = FAR * gsl_stats_select(steps, 1, n, (size_t)(MOSTLY * (double)n));
	*ret_most = most > 0 ? most * most : INFINITY;
	return 0;
}

/* The error of each point foretold from the others in a window of equal weights; of one @most. */
static double error_left_out(const struct rarog_data *data, const double sums[],
			     const double weights[], size_t width, double most)
{
	const struct rarog_moving_options *options = &data->options->moving;
	size_t n = data->n, in_front = before(options, width), step = (n - 1) / SCORED + 1;
	double error = 0;

	for (size_t i = 0; i < n; i += step) {
		size_t from = i > in_front ? i - in_front : 0,
		       to = i + width - in_front < n ? i + width - in_front : n;
		double one = data->weights ? data->weights[i] : 1,
		       others = weights[to] - weights[from] - one,
		       sum = sums[to] - sums[from] - one * data->y[i], off;

		if (to - from < 2) /* the first of a trailing window has nothing to go by */
			continue;
		off = data->y[i] - sum / others;
		error += one * fmin(off * off, most);
	}
	return error;
}

static size_t best_width(const struct rarog_data *data, const double sums[], const double weights[],
			 double most)
{
	size_t n = data->n, best = 3;
	double least = INFINITY;

	for (size_t at = 2; at <= (n > 6 ? n / 2 : 3); at += at / 4 + 1) {
		size_t width = at | !data->options->moving.is_trailing;
		double error = error_left_out(data, sums, weights, width, most);

		if (error < least) {
			least = error;
			best = width;
		}
	}
	return best < n ? best : n;
}

/* A window whose weights fall off needs to be wider to smooth as much. */
static size_t widen(const struct rarog_moving_options *options, size_t width, size_t n)
{
	enum { OF = 101 };
	double weights[OF], sum = 0, squares = 0;

	if (options->kind != RAROG_MOVING_SMA || options->window == RAROG_WINDOW_BOXCAR)
		return width;
	rarog_window_fill(&rarog_window_shapes[options->window], OF, weights);
	for (size_t i = 0; i < OF; i++) {
		sum += weights[i];
		squares += weights[i] * weights[i];
	}
	width = (size_t)((double)width * OF * squares / (sum * sum)) | !options->is_trailing;
	return width < n ? width : n;
}

static int find_width(const struct rarog_data *data, size_t *ret_width)
{
	size_t n = data->n;
	rarog_cleanup(rarog_freep) double *sums = calloc(2 * (n + 1), sizeof(double));
	double *weights, most;
	int r = sums ? most_of_one(data, &most) : rarog_oom();

	if (r < 0)
		return r;
	weights = sums + n + 1;
	for (size_t i = 0; i < n; i++) {
		double one = data->weights ? data->weights[i] : 1;

		sums[i + 1] = sums[i] + one * data->y[i];
		weights[i + 1] = weights[i] + one;
	}
	*ret_width = widen(&data->options->moving, best_width(data, sums, weights, most), n);
	return 0;
}

/* --- windows --- */

static void window_release(struct window *window)
{
	free(window->weights);
	free(window->y);
}

static int window_make(const struct rarog_data *data, size_t width, struct window *window)
{
	window->width = width;
	window->before = before(&data->options->moving, width);
	window->weights = calloc(2 * width, sizeof(double));
	window->y = calloc(4 * data->n, sizeof(double));
	if (!window->weights || !window->y)
		return rarog_oom();
	window->y2 = window->y + data->n;
	window->weight = window->y2 + data->n;
	window->weight2 = window->weight + data->n;
	return 0;
}

static double weight_of(const struct rarog_data *data, size_t i)
{
	return data->weights ? data->weights[i] : 1;
}

/* How many points a cut window has. */
static size_t points_in(const struct window *window, size_t n, size_t i)
{
	size_t from = i > window->before ? i - window->before : 0,
	       to = i + window->width - window->before;

	return (to < n ? to : n) - from;
}

static double weight_alone(double weight, double y)
{
	(void)y;
	return weight;
}

static double weighed(double weight, double y)
{
	return weight * y;
}

static double weighed_square(double weight, double y)
{
	return weight * y * y;
}

static double squared_weight(double weight, double y)
{
	(void)y;
	return weight * weight;
}

/* Points that weigh 1: @ret[i] is the sum of those of @weights[width] that have a point. */
static int add_up(size_t n, const struct window *window, const double weights[], double ret[])
{
	size_t width = window->width;
	rarog_cleanup(rarog_freep) double *sums = calloc(width + 1, sizeof(double));

	if (!sums)
		return rarog_oom();
	for (size_t k = 0; k < width; k++)
		sums[k + 1] = sums[k] + weights[k];
	for (size_t i = 0; i < n; i++) {
		size_t from = i < window->before ? window->before - i : 0,
		       to = n - i + window->before;

		ret[i] = sums[to < width ? to : width] - sums[from];
	}
	return 0;
}

/* y is taken from its mean, so that squares do not cancel. */
static int sum_up(const struct rarog_data *data, double mean, struct window *window)
{
	size_t n = data->n, width = window->width;
	rarog_cleanup(rarog_freep) double *values = calloc(n, sizeof(double));
	double *squared = window->weights + width;
	const struct {
		double (*value)(double weight, double y);
		const double *weights;
		double *sums;
		bool is_of_y;
	} to[] = {
		{ weight_alone, window->weights, window->weight, false },
		{ squared_weight, squared, window->weight2, false },
		{ weighed, window->weights, window->y, true },
		{ weighed_square, window->weights, window->y2, true },
	};
	int r = 0;

	if (!values)
		return rarog_oom();
	for (size_t k = 0; k < width; k++)
		squared[k] = window->weights[k] * window->weights[k];
	for (size_t k = 0; r == 0 && k < RAROG_COUNT(to); k++) {
		if (!data->weights && !to[k].is_of_y) {
			r = add_up(n, window, to[k].weights, to[k].sums);
			continue;
		}
		for (size_t i = 0; i < n; i++)
			values[i] = to[k].value(weight_of(data, i), data->y[i] - mean);
		r = rarog_window_sums(n, values, width, to[k].weights, window->before, to[k].sums);
	}
	return r;
}

static double mean_of(size_t n, const double y[])
{
	double mean = 0;

	for (size_t i = 0; i < n; i++)
		mean += (y[i] - mean) / (double)(i + 1);
	return mean;
}

static void smooth(const struct rarog_data *data, const struct window *window, double mean,
		   struct rarog_smoothed smoothed[], struct rarog_model *model)
{
	size_t least = data->options->moving.min_periods;
	double own = window->weights[window->before];

	for (size_t i = 0; i < data->n; i++) {
		double weight = window->weight[i], y = window->y[i] / weight,
		       points = weight * weight / window->weight2[i],
		       variance = fmax(0, window->y2[i] / weight - y * y);

		smoothed[i].y = NAN;
		if (!(weight > 1e-12) || points_in(window, data->n, i) < least)
			continue;
		smoothed[i].y = y + mean;
		smoothed[i].deviation = points > 1.5 ? sqrt(variance * points / (points - 1)) : NAN;
		smoothed[i].error = smoothed[i].deviation / sqrt(points);
		model->parameters += own * weight_of(data, i) / weight;
	}
}

static int move_mean(const struct rarog_data *data, size_t width, struct rarog_smoothed smoothed[],
		     struct rarog_model *model)
{
	rarog_cleanup(window_release) struct window window = { 0 };
	double mean = mean_of(data->n, data->y);
	int r = window_make(data, width, &window);

	if (r < 0)
		return r;
	rarog_window_fill(&rarog_window_shapes[data->options->moving.window], width,
			  window.weights);
	r = sum_up(data, mean, &window);
	if (r == 0)
		smooth(data, &window, mean, smoothed, model);
	return r;
}

/* Spread by a boxcar of the same width. */
static int move_median(const struct rarog_data *data, size_t width,
		       struct rarog_smoothed smoothed[], struct rarog_model *model)
{
	rarog_cleanup(window_release) struct window window = { 0 };
	double mean = mean_of(data->n, data->y);
	int r = window_make(data, width, &window);

	if (r < 0)
		return r;
	for (size_t k = 0; k < width; k++)
		window.weights[k] = 1;
	r = sum_up(data, mean, &window);
	if (r == 0)
		smooth(data, &window, mean, smoothed, model);
	if (r == 0)
		r = rarog_window_medians(data->n, data->y, width, window.before, window.y);
	for (size_t i = 0; r == 0 && i < data->n; i++) {
		if (isnan(smoothed[i].y))
			continue;
		smoothed[i].y = window.y[i];
		smoothed[i].error *= MEDIAN_ERROR;
	}
	return r;
}

/* --- exponentially less --- */

/* The mean that ends at each place; returns the error with which it foretells the next. */
static double decay(const struct rarog_data *data, double alpha, struct rarog_smoothed smoothed[],
		    double *ret_parameters)
{
	double weight = 0, weight2 = 0, mean = 0, variance = 0, error = 0, trace = 0,
	       keep = 1 - alpha;

	for (size_t i = 0; i < data->n; i++) {
		double one = weight_of(data, i), y = data->y[i], off = y - mean;

		if (i > 0)
			error += one * off * off;
		weight = weight * keep + one;
		weight2 = weight2 * keep * keep + one * one;
		mean += off * (one / weight);
		variance += (off * (y - mean) - variance) * (one / weight);
		trace += one / weight;
		double points = weight * weight / weight2;

		if (!smoothed)
			continue;
		smoothed[i].y = i + 1 < data->options->moving.min_periods ? NAN : mean;
		smoothed[i].deviation =
			points > 1.01 ? sqrt(variance * points / (points - 1)) : NAN;
		smoothed[i].error = smoothed[i].deviation / sqrt(points);
	}
	*ret_parameters = trace;
	return error;
}

static double best_alpha(const struct rarog_data *data)
{
	double best = 1, least = INFINITY, trace;

	for (size_t span = 1; span <= data->n; span += span / 4 + 1) {
		double alpha = 2 / ((double)span + 1), error = decay(data, alpha, NULL, &trace);

		if (error < least) {
			least = error;
			best = alpha;
		}
	}
	return best;
}

static int move_decay(const struct rarog_data *data, struct rarog_smoothed smoothed[],
		      struct rarog_model *model)
{
	const struct rarog_moving_options *options = &data->options->moving;
	double alpha = options->has_decay ? rarog_decay_alpha(options->decay, options->decay_value)
					  : best_alpha(data);

	if (!rarog_is_decay(alpha))
		return rarog_fail(-EINVAL, "no decay of %s %g; alpha would be %g",
				  rarog_decay_names[options->decay], options->decay_value, alpha);
	(void)decay(data, alpha, smoothed, &model->parameters);
	model->width = 2 / alpha - 1;
	return 0;
}

/* --- all --- */

static int move(const struct rarog_data *data, struct rarog_smoothed smoothed[],
		struct rarog_model *model)
{
	const struct rarog_moving_options *options = &data->options->moving;
	size_t width = options->width;
	int r = 0;

	if (options->kind == RAROG_MOVING_EMA)
		return move_decay(data, smoothed, model);
	if (width > data->n)
		return rarog_fail(-EDOM, "a window of %zu of %zu points", width, data->n);
	if (width == 0)
		r = find_width(data, &width);
	model->width = (double)width;
	if (r < 0)
		return r;
	return options->kind == RAROG_MOVING_SMM ? move_median(data, width, smoothed, model)
						 : move_mean(data, width, smoothed, model);
}

static const char *const words[] = {
	[RAROG_MOVING_SMA] = "means of neighbours, window",
	[RAROG_MOVING_SMM] = "medians of neighbours, window",
	[RAROG_MOVING_EMA] = "exponentially weighted means, span",
};

static int fit(const struct rarog_data *data, struct rarog_model *model)
{
	rarog_cleanup(rarog_freep) struct rarog_smoothed *smoothed =
		calloc(data->n, sizeof(struct rarog_smoothed));
	int r;

	model->words = words[data->options->moving.kind];
	if (!smoothed)
		return rarog_oom();
	if (data->x[data->n - 1] <= data->x[0])
		return rarog_fail(-EDOM, "all x are equal");
	r = move(data, smoothed, model);
	return r < 0 ? r : rarog_knots_of(data->n, data->x, smoothed, model);
}

const struct rarog_model_family rarog_family_moving_average = {
	.name = "moving-average",
	.fit = fit,
	.value = rarog_knots_value,
	.mean = rarog_knots_mean,
};
