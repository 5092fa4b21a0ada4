/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/fit.h"

#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/least-squares.h"
#include "num/sample.h"

#define ROBUST_CELLS 2048
#define NOTHING      1e-20 /* of Σ y²: residuals that are rounding only */

/* --- points --- */

static int check_weights(size_t n, const double weights[])
{
	int r = weights ? rarog_sample_check("weights", n, RAROG_FIT_LEAST, weights) : 0;

	for (size_t i = 0; r == 0 && weights && i < n; i++)
		if (weights[i] <= 0)
			r = rarog_fail(-EINVAL, "models: weight %zu is not above 0", i + 1);
	return r;
}

static int check_points(size_t n, const double x[], const double y[], const double weights[])
{
	int r = rarog_sample_check("x", n, RAROG_FIT_LEAST, x);

	if (r == 0)
		r = rarog_sample_check("y", n, RAROG_FIT_LEAST, y);
	if (r == 0)
		r = check_weights(n, weights);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (x[i] < x[i - 1])
			r = rarog_fail(-EINVAL, "models: the points are not sorted by x");
	return r;
}

void rarog_data_release(struct rarog_data *data)
{
	rarog_cells_release(&data->cells);
	free(data->cell_weights);
	*data = (struct rarog_data){ 0 };
}

/* Means of cells would have what is far off in them. */
static int take_medians(struct rarog_data *data)
{
	rarog_cleanup(rarog_freep) double *room = calloc(data->n, sizeof(double));
	size_t from = 0;

	if (!room)
		return rarog_oom();
	memcpy(room, data->y, data->n * sizeof(double));
	for (size_t i = 0; i < data->cells.n; i++) {
		size_t count = (size_t)data->cells.count[i];

		data->cells.y[i] = gsl_stats_median(room + from, 1, count);
		from += count;
	}
	return 0;
}

/* Fewer of them suffice for what goes over them again and again. */
static int make_cells(struct rarog_data *data)
{
	int r;

	if (data->options->robust == RAROG_ROBUST_NONE || data->n <= RAROG_CELLS_EXACT)
		return rarog_cells_make(data->n, data->x, data->y, data->weights, &data->cells);
	r = rarog_cells_equal(data->n, data->x, data->y, data->weights, ROBUST_CELLS, &data->cells);
	return r < 0 ? r : take_medians(data);
}

int rarog_data_make(size_t n, const double x[], const double y[],
		    const struct rarog_model_options *options, struct rarog_data *ret_data)
{
	static const struct rarog_model_options defaults;
	rarog_cleanup(rarog_data_release) struct rarog_data data = { .n = n, .x = x, .y = y };
	int r;

	data.options = options ? options : &defaults;
	data.weights = data.options->weights;
	r = check_points(n, x, y, data.weights);
	if (r == 0)
		r = make_cells(&data);
	if (r != 0)
		return r;
	data.cell_weights = calloc(data.cells.n, sizeof(double));
	if (!data.cell_weights)
		return rarog_oom();
	rarog_weigh(&data, NULL, 0);
	*ret_data = rarog_take_struct(data);
	return 0;
}

/* --- one family --- */

struct sums {
	double residual, total;   /* by the points' own weights */
	double weighted, squares; /* Σ cell_weights (y - f)², Σ weight y² */
	double weight;
};

static void sum_up(const struct rarog_data *data, const struct rarog_model *model,
		   struct sums *sums)
{
	const struct rarog_cells *cells = &data->cells;
	double mean = 0;

	*sums = (struct sums){ 0 };
	for (size_t i = 0; i < cells->n; i++) {
		sums->weight += cells->weight[i];
		mean += (cells->y[i] - mean) * (cells->weight[i] / sums->weight);
	}
	for (size_t i = 0; i < cells->n; i++) {
		double weight = cells->weight[i], y = cells->y[i],
		       off = y - rarog_model_value(model, cells->x[i]);

		sums->residual += weight * off * off + cells->spread[i];
		sums->total += weight * (y - mean) * (y - mean) + cells->spread[i];
		sums->squares += weight * y * y + cells->spread[i];
		sums->weighted += data->cell_weights[i] * (off * off + cells->spread[i] / weight);
	}
}

static void rate(const struct rarog_data *data, const struct sums *sums, struct rarog_model *model)
{
	bool is_exact = sums->residual <= NOTHING * sums->squares;

	model->residual_ss = is_exact ? 0 : sums->residual;
	model->rmse = sqrt(model->residual_ss / sums->weight);
	model->r2 = sums->total > 0 ? 1 - model->residual_ss / sums->total : is_exact;
	if (model->family->n_coefficients > 0)
		model->parameters = (double)model->family->n_coefficients;
	model->freedom = fmax(0, (double)data->n - model->parameters);
	model->deviation =
		model->freedom > 0 && !is_exact ? sqrt(sums->weighted / model->freedom) : 0;
	model->aicc =
		rarog_aicc((double)data->n, model->parameters + 1, is_exact ? 0 : sums->weighted);
}

/* The families' covariance is of cells without what is within them. */
static void spread_errors(const struct rarog_data *data, struct rarog_model *model)
{
	size_t p = model->family->n_coefficients;
	double cells = (double)data->cells.n - (double)p, between = 0;

	for (size_t i = 0; i < data->cells.n; i++) {
		double off = data->cells.y[i] - rarog_model_value(model, data->cells.x[i]);

		between += data->cell_weights[i] * off * off;
	}
	double scale = between > 0 && cells > 0
			       ? model->deviation * model->deviation / (between / cells)
			       : 1;

	for (size_t i = 0; i < p * p; i++)
		model->covariance[i] *= scale;
	for (size_t i = 0; i < p; i++)
		model->error[i] = model->freedom > 0 ? sqrt(model->covariance[i * p + i]) : NAN;
}

/* How much one point of weight 1 at @x draws the curve to itself. */
static double leverage(const struct rarog_model *model, double x)
{
	double row[RAROG_MODEL_COEFFICIENTS], variance = model->deviation * model->deviation,
					      sum = 0;
	size_t p = model->family->n_coefficients;

	model->family->gradient(model, x, row);
	for (size_t i = 0; i < p * p; i++)
		sum += row[i / p] * model->covariance[i] * row[i % p];
	return variance > 0 ? sum / variance : 0;
}

/* Leaving one out takes no second fit: its residual / (1 - leverage), exact where the family is
 * linear. Of smoothers and of logarithms, their parameters are spread evenly. */
static void foretell(const struct rarog_data *data, struct rarog_model *model)
{
	const struct rarog_cells *cells = &data->cells;
	bool has_leverage = model->family->n_coefficients > 0 && isnan(model->r2_logs);
	double evenly = fmin(0.99, model->parameters / (double)data->n), squares = 0;

	for (size_t i = 0; i < cells->n; i++) {
		double one = data->cell_weights[i] / cells->count[i],
		       off = cells->y[i] - rarog_model_value(model, cells->x[i]),
		       own = has_leverage ? fmin(0.999, one * leverage(model, cells->x[i]))
					  : evenly;

		squares += data->cell_weights[i] *
			   (off * off + cells->spread[i] / cells->weight[i]) /
			   ((1 - own) * (1 - own));
	}
	model->cv = sqrt(squares / (double)data->n);
}

static int assess(const struct rarog_data *data, struct rarog_model *model)
{
	struct sums sums;

	sum_up(data, model, &sums);
	if (!isfinite(sums.residual))
		return rarog_fail(-EDOM, "the %s model is not finite on its own points",
				  model->family->name);
	rate(data, &sums, model);
	if (model->family->n_coefficients > 0)
		spread_errors(data, model);
	foretell(data, model);
	return 0;
}

int rarog_fit_family(const struct rarog_model_family *family, const struct rarog_data *data,
		     double error_power, struct rarog_model *ret_model)
{
	rarog_cleanup(rarog_model_release) struct rarog_model model = {
		.family = family,
		.n = data->n,
		.x_floor = -INFINITY,
		.r2_logs = NAN,
		.x_start = data->x[0],
		.x_end = data->x[data->n - 1],
		.error_power = error_power,
	};
	int r = family->fit(data, &model);

	if (r == 0)
		r = assess(data, &model);
	if (r == 0)
		*ret_model = rarog_take_struct(model);
	return r;
}
