/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mean of the neighbours in x, a tenth of the points wide (at least three), and lines between.
 * A window is cut at the ends. Points of the same x are one knot: the mean of their windows.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/family.h"

#define WINDOW_SHARE 0.1

static double window_mean(const double sums[], size_t n, size_t i, size_t half)
{
	size_t from = i > half ? i - half : 0, to = i + half + 1 < n ? i + half + 1 : n;

	return (sums[to] - sums[from]) / (double)(to - from);
}

static void fill(size_t n, const double x[], const double sums[], struct rarog_model *model)
{
	size_t half = (size_t)(WINDOW_SHARE * (double)n / 2), knots = 0;

	half = half < 1 ? 1 : half;
	for (size_t i = 0, end; i < n; i = end) {
		double sum = 0;

		for (end = i; end < n && x[end] == x[i]; end++)
			sum += window_mean(sums, n, end, half);
		model->knots_x[knots] = x[i];
		model->knots_y[knots++] = sum / (double)(end - i);
	}
	model->n_knots = knots;
}

static int fit(size_t n, const double x[], const double y[], struct rarog_model *model)
{
	rarog_cleanup(rarog_freep) double *sums = calloc(n + 1, sizeof(double));
	int r;

	if (!sums)
		return rarog_oom();
	if (x[n - 1] <= x[0])
		return rarog_fail(-EDOM, "moving average: all x are equal");
	for (size_t i = 0; i < n; i++)
		sums[i + 1] = sums[i] + y[i];
	r = rarog_family_knots(model, n);
	if (r == 0)
		fill(n, x, sums, model);
	return r;
}

/* The knot at or before x; never the last one. */
static size_t knot_of(const struct rarog_model *model, double x)
{
	size_t low = 0, high = model->n_knots - 1;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (model->knots_x[middle] <= x)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static double value(const struct rarog_model *model, double x)
{
	size_t k = knot_of(model, x);
	const double *kx = model->knots_x + k, *ky = model->knots_y + k;
	double share = (x - kx[0]) / (kx[1] - kx[0]);

	return ky[0] + (ky[1] - ky[0]) * fmin(1, fmax(0, share));
}

/* Trapezia between the knots, level outside of them. */
static double mean(const struct rarog_model *model, double from, double to)
{
	double at = from, at_value = value(model, from), sum = 0;

	for (size_t k = 0; k < model->n_knots && model->knots_x[k] < to; k++) {
		if (model->knots_x[k] <= from)
			continue;
		sum += (model->knots_y[k] + at_value) / 2 * (model->knots_x[k] - at);
		at = model->knots_x[k];
		at_value = model->knots_y[k];
	}
	sum += (at_value + value(model, to)) / 2 * (to - at);
	return sum / (to - from);
}

const struct rarog_model_family rarog_family_moving_average = {
	.name = "moving-average",
	.formula = "means of neighbours",
	.fit = fit,
	.value = value,
	.mean = mean,
};
