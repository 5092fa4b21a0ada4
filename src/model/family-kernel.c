/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel regression: a polynomial about each x (a line, if nothing else is asked for), by points
 * that count less the further away they are. Each different x is a knot; of more than
 * PLACES_MAX, neighbours are put together first, which shifts the curve by less than
 * (width / bandwidth)² / 24 of what it bends within a bandwidth.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/knots.h"
#include "num/kernel.h"

#define PLACES_MAX 768

static int gather(const struct rarog_data *data, struct rarog_cells *ret_cells)
{
	const double *weights = data->weights;
	size_t n = data->n, places = 1;

	for (size_t i = 1; i < n; i++)
		places += data->x[i] > data->x[i - 1];
	return places <= PLACES_MAX
		       ? rarog_cells_merge(n, data->x, data->y, weights, ret_cells)
		       : rarog_cells_equal(n, data->x, data->y, weights, PLACES_MAX, ret_cells);
}

static double by_cv(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit)
{
	return rarog_kernel_search(cells, *fit, false);
}

static double by_aic(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit)
{
	return rarog_kernel_search(cells, *fit, true);
}

static double by_scott(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit)
{
	(void)fit;
	return rarog_kernel_scott(cells);
}

static double by_silverman(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit)
{
	(void)fit;
	return rarog_kernel_silverman(cells);
}

static double (*const bandwidths[])(const struct rarog_cells *cells,
				    const struct rarog_kernel_fit *fit) = {
	[RAROG_BANDWIDTH_CV] = by_cv,
	[RAROG_BANDWIDTH_AIC] = by_aic,
	[RAROG_BANDWIDTH_SCOTT] = by_scott,
	[RAROG_BANDWIDTH_SILVERMAN] = by_silverman,
};

/* Of errors that grow with y the large y would decide alone how smooth all of it is. What y is
 * about is told by a first, smooth curve; NULL: it is not above 0 everywhere. 0, -ENOMEM. */
static int weigh_errors(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit,
			double power, double **ret_errors)
{
	rarog_cleanup(rarog_freep) double *errors = calloc(cells->n, sizeof(*errors));
	struct rarog_kernel_fit first = *fit;

	if (!errors)
		return rarog_oom();
	first.degree = 0;
	first.bandwidth = rarog_kernel_scott(cells);
	for (size_t i = 0; i < cells->n; i++) {
		double level = rarog_kernel_at(cells, &first, cells->x[i]).y;

		if (!(level > 0))
			return 0;
		errors[i] = pow(level, -2 * power);
	}
	*ret_errors = rarog_take(errors);
	return 0;
}

static int prepare(const struct rarog_kernel_options *options, const struct rarog_cells *cells,
		   double power, struct rarog_kernel_fit *fit)
{
	rarog_cleanup(rarog_freep) double *errors = NULL;
	int r;

	*fit = (struct rarog_kernel_fit){ .kernel = &rarog_kernels[options->kernel],
					  .degree = options->degree ? options->degree - 1 : 1,
					  .bandwidth = options->given,
					  .ridge = options->ridge };
	if (fit->degree > RAROG_KERNEL_DEGREE)
		return rarog_fail(-EINVAL, "degree %u; at most %d", fit->degree,
				  RAROG_KERNEL_DEGREE);
	r = power > 0 ? weigh_errors(cells, fit, power, &errors) : 0;
	if (r < 0)
		return r;
	fit->errors = errors;
	if (options->bandwidth != RAROG_BANDWIDTH_GIVEN)
		fit->bandwidth = bandwidths[options->bandwidth](cells, fit);
	fit->errors = NULL;
	if (fit->bandwidth > 0 && isfinite(fit->bandwidth))
		return 0;
	return rarog_fail(options->bandwidth == RAROG_BANDWIDTH_GIVEN ? -EINVAL : -EDOM,
			  "no bandwidth of %g", fit->bandwidth);
}

/* The spread of single points about the curve near each place. */
static double deviation_at(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit,
			   double x, double freedom)
{
	struct rarog_kernel_fit mean = *fit;

	mean.degree = 0;
	mean.ridge = 0;
	return sqrt(fmax(0, rarog_kernel_at(cells, &mean, x).y) * cells->points / freedom);
}

static void smooth(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit,
		   struct rarog_smoothed smoothed[], struct rarog_model *model)
{
	struct rarog_cells squares = *cells;
	double freedom;

	squares.y = squares.spread; /* no longer needed as what it was */
	for (size_t i = 0; i < cells->n; i++) {
		struct rarog_kernel_value value = rarog_kernel_at(cells, fit, cells->x[i]);
		double off = cells->y[i] - value.y;

		smoothed[i] = (struct rarog_smoothed){ value.y, sqrt(value.squares), NAN };
		model->parameters += isnan(value.own) ? 0 : value.own * cells->weight[i];
		cells->spread[i] =
			cells->spread[i] / cells->weight[i] + (isnan(value.y) ? 0 : off * off);
	}
	freedom = cells->points - model->parameters;
	for (size_t i = 0; freedom > 0 && i < cells->n; i++) {
		smoothed[i].deviation = deviation_at(&squares, fit, cells->x[i], freedom);
		smoothed[i].error *= smoothed[i].deviation;
	}
}

static const char *const words[RAROG_KERNEL_DEGREE + 1] = { "local means, bandwidth",
							    "local lines, bandwidth",
							    "local parabolas, bandwidth",
							    "local cubics, bandwidth" };

static int fit_cells(const struct rarog_data *data, const struct rarog_cells *cells,
		     struct rarog_model *model)
{
	rarog_cleanup(rarog_freep) struct rarog_smoothed *smoothed =
		calloc(cells->n, sizeof(struct rarog_smoothed));
	struct rarog_kernel_fit fit;
	int r = prepare(&data->options->kernel, cells, model->error_power, &fit);

	if (r < 0)
		return r;
	if (!smoothed)
		return rarog_oom();
	model->width = fit.bandwidth;
	model->words = words[fit.degree];
	smooth(cells, &fit, smoothed, model);
	return rarog_knots_of(cells->n, cells->x, smoothed, model);
}

static int fit(const struct rarog_data *data, struct rarog_model *model)
{
	rarog_cleanup(rarog_cells_release) struct rarog_cells cells = { 0 };
	int r;

	if (data->x[data->n - 1] <= data->x[0])
		return rarog_fail(-EDOM, "all x are equal");
	r = gather(data, &cells);
	return r < 0 ? r : fit_cells(data, &cells, model);
}

const struct rarog_model_family rarog_family_kernel = {
	.name = "kernel",
	.fit = fit,
	.value = rarog_knots_value,
	.mean = rarog_knots_mean,
};
