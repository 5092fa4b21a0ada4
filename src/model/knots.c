/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/knots.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"

int rarog_knots_make(struct rarog_model *model, size_t n)
{
	model->knots_x = calloc(5 * n, sizeof(double));
	if (!model->knots_x)
		return rarog_oom();
	model->knots_y = model->knots_x + n;
	model->knots_error = model->knots_y + n;
	model->knots_deviation = model->knots_error + n;
	model->knots_count = model->knots_deviation + n;
	model->n_knots = n;
	return 0;
}

size_t rarog_knots_at(const struct rarog_model *model, double x)
{
	size_t low = 0, high = model->n_knots;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (model->knots_x[middle] <= x)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double rarog_knots_value(const struct rarog_model *model, double x)
{
	size_t k = rarog_knots_at(model, x);
	const double *kx = model->knots_x + k, *ky = model->knots_y + k;

	if (k + 1 == model->n_knots)
		return ky[0];
	return ky[0] + (ky[1] - ky[0]) * fmin(1, fmax(0, (x - kx[0]) / (kx[1] - kx[0])));
}

double rarog_knots_mean(const struct rarog_model *model, double from, double to)
{
	double at = from, at_value = rarog_knots_value(model, from), sum = 0;

	for (size_t k = 0; k < model->n_knots && model->knots_x[k] < to; k++) {
		if (model->knots_x[k] <= from)
			continue;
		sum += (model->knots_y[k] + at_value) / 2 * (model->knots_x[k] - at);
		at = model->knots_x[k];
		at_value = model->knots_y[k];
	}
	sum += (at_value + rarog_knots_value(model, to)) / 2 * (to - at);
	return sum / (to - from);
}

/* A window that keeps values of one x apart says nothing else of them than their mean. */
static size_t put(size_t n, const double x[], const struct rarog_smoothed smoothed[], double width,
		  struct rarog_model *model)
{
	size_t knots = 0;
	double end = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		if (isnan(smoothed[i].y))
			continue;
		if (knots == 0 || x[i] > end) {
			end = x[i] + fmin(width, width > 0 ? fabs(x[i]) / 1024 : 0);
			knots++;
		}
		if (!model->knots_x)
			continue;
		size_t k = knots - 1;
		double share = 1 / ++model->knots_count[k];

		model->knots_x[k] += (x[i] - model->knots_x[k]) * share;
		model->knots_y[k] += (smoothed[i].y - model->knots_y[k]) * share;
		model->knots_error[k] += (smoothed[i].error - model->knots_error[k]) * share;
		model->knots_deviation[k] +=
			(smoothed[i].deviation - model->knots_deviation[k]) * share;
	}
	return knots;
}

int rarog_knots_of(size_t n, const double x[], const struct rarog_smoothed smoothed[],
		   struct rarog_model *model)
{
	double width = 0;
	size_t knots = put(n, x, smoothed, 0, model);
	int r;

	if (knots > RAROG_KNOTS_MAX) {
		width = (x[n - 1] - x[0]) / 4096;
		knots = put(n, x, smoothed, width, model);
	}
	if (knots < 2)
		return rarog_fail(-EDOM, "fewer than two values are left");
	r = rarog_knots_make(model, knots);
	if (r == 0)
		(void)put(n, x, smoothed, width, model);
	return r;
}
