/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All families of the same points, weighed alike, so that their criteria can be compared. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/fit.h"

#define EVIDENCE      2.0   /* of the criterion */
#define RESIDUAL_LESS 0.2   /* of what was left, that more coefficients must explain */
#define VARIANCE_MORE 0.001 /* … and of all, */
#define RESIDUAL_LEFT 0.05  /* unless hardly anything is left */

void rarog_models_release(struct rarog_models *models)
{
	for (size_t i = 0; i < models->n; i++)
		rarog_model_release(&models->v[i]);
	models->n = 0;
}

/* --- fitting --- */

static int fit_one(const struct rarog_model_family *family, struct rarog_data *data, double power,
		   struct rarog_models *models)
{
	int r = rarog_fit_family(family, data, power, &models->v[models->n]);

	if (r == 0)
		models->n++;
	return r == -EDOM ? 0 : r;
}

static int fit_parametric(struct rarog_data *data, double power, struct rarog_models *ret_models)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { .error_power = power };
	int r = 0;

	for (size_t i = 0; r == 0 && rarog_model_families[i]; i++)
		if (rarog_model_families[i]->n_coefficients > 0)
			r = fit_one(rarog_model_families[i], data, power, &models);
	if (r == 0) {
		rarog_models_release(ret_models);
		*ret_models = rarog_take_struct(models);
	}
	return r;
}

static bool is_wanted(const struct rarog_model_family *family, const char *const smoothers[])
{
	for (size_t i = 0; smoothers && smoothers[i]; i++)
		if (strcmp(smoothers[i], family->name) == 0)
			return family->n_coefficients == 0;
	return !smoothers && family->n_coefficients == 0;
}

static int fit_others(struct rarog_data *data, struct rarog_models *models)
{
	int r = 0;

	for (size_t i = 0; r == 0 && rarog_model_families[i]; i++)
		if (is_wanted(rarog_model_families[i], data->options->smoothers))
			r = fit_one(rarog_model_families[i], data, 0, models);
	return r;
}

/* By the criterion alone. */
static const struct rarog_model *least(const struct rarog_models *models)
{
	const struct rarog_model *best = NULL;

	for (size_t i = 0; i < models->n; i++)
		if (!best || models->v[i].aicc < best->aicc)
			best = &models->v[i];
	return best;
}

/* Nothing is repeated: the power with which the best family makes the points likeliest. */
static int try_powers(struct rarog_data *data, const double levels[], double *ret_power)
{
	static const double powers[] = { 0, 0.5, 1 };
	double logs = 0, best = INFINITY;

	*ret_power = 0;
	for (size_t i = 0; i < data->cells.n; i++)
		logs += data->cells.count[i] * log(levels[i]);
	for (size_t i = 0; i < RAROG_COUNT(powers); i++) {
		rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };

		rarog_weigh(data, levels, powers[i]);
		int r = fit_parametric(data, powers[i], &models);

		if (r < 0)
			return r;
		if (models.n > 0 && least(&models)->aicc + 2 * powers[i] * logs < best) {
			best = least(&models)->aicc + 2 * powers[i] * logs;
			*ret_power = powers[i];
		}
	}
	return 0;
}

static int find_power(struct rarog_data *data, double levels[], double *ret_power)
{
	double power = NAN;
	int r = 0;

	*ret_power = 0;
	if (data->options->errors == RAROG_ERRORS_CONSTANT || !rarog_weigh_levels(data, levels))
		return 0;
	if (data->options->errors == RAROG_ERRORS_RELATIVE)
		power = 1;
	else
		power = rarog_weigh_power(data, levels);
	if (isnan(power))
		r = try_powers(data, levels, &power);
	if (r == 0)
		*ret_power = power;
	return r;
}

/* The weights of far-off points are those of the family that leaves the smallest scale. */
static int weigh_far(struct rarog_data *data, double power)
{
	size_t n = data->cells.n;
	rarog_cleanup(rarog_freep) double *base = calloc(2 * n, sizeof(double));
	double smallest = INFINITY, *best;

	if (!base)
		return rarog_oom();
	best = base + n;
	memcpy(base, data->cell_weights, n * sizeof(double));
	memcpy(best, base, n * sizeof(double));
	for (size_t i = 0; rarog_model_families[i]; i++) {
		struct rarog_model model = { 0 };

		if (rarog_model_families[i]->n_coefficients == 0)
			continue;
		memcpy(data->cell_weights, base, n * sizeof(double));
		int r = rarog_fit_robust(rarog_model_families[i], data, power, &model);

		if (r < 0 && r != -EDOM)
			return r;
		if (r == 0 && model.deviation < smallest) {
			smallest = model.deviation;
			memcpy(best, data->cell_weights, n * sizeof(double));
		}
	}
	memcpy(data->cell_weights, best, n * sizeof(double));
	return 0;
}

/* What repeats of one x differ by. */
static void set_pure(const struct rarog_data *data, struct rarog_models *models)
{
	const struct rarog_cells *cells = &data->cells;
	double weight = 0, mean = 0;

	models->pure_ss = models->pure_freedom = 0;
	for (size_t i = 0; i < cells->n; i++) {
		double one = data->cell_weights[i];

		if (i == 0 || cells->x[i] > cells->x[i - 1])
			weight = mean = 0;
		else
			models->pure_freedom++;
		double off = cells->y[i] - mean;

		weight += one;
		mean += off * (one / weight);
		models->pure_ss += weight > one ? one * off * (cells->y[i] - mean) : 0;
		models->pure_ss += one * cells->spread[i] / cells->weight[i];
		models->pure_freedom += cells->count[i] - 1;
	}
}

static int fit_all(struct rarog_data *data, double levels[], struct rarog_models *models)
{
	double power;
	int r = find_power(data, levels, &power);

	if (r < 0)
		return r;
	rarog_weigh(data, levels, power);
	if (power > 0) {
		r = fit_parametric(data, power, models);
		if (r == 0 && models->n > 0)
			(void)rarog_weigh_by_model(data, least(models), power);
	}
	if (r == 0 && data->options->robust != RAROG_ROBUST_NONE)
		r = weigh_far(data, power);
	if (r == 0)
		r = fit_parametric(data, power, models);
	if (r == 0)
		set_pure(data, models);
	return r < 0 ? r : fit_others(data, models);
}

int rarog_models_fit(size_t n, const double x[], const double y[],
		     const struct rarog_model_options *options, struct rarog_models *ret_models)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	rarog_cleanup(rarog_data_release) struct rarog_data data = { 0 };
	rarog_cleanup(rarog_freep) double *levels = NULL;
	int r = n < RAROG_FIT_LEAST ? 0 : rarog_data_make(n, x, y, options, &data);

	if (r == 0 && data.n > 0) {
		levels = calloc(data.cells.n, sizeof(double));
		r = levels ? fit_all(&data, levels, &models) : rarog_oom();
	}
	if (r < 0)
		return r;
	rarog_error_clear();
	models.are_counts = options && options->are_counts;
	models.repeats = options ? options->repeats : 0;
	*ret_models = rarog_take_struct(models);
	return 0;
}

/* --- choosing --- */

const struct rarog_model *rarog_models_find(const struct rarog_models *models, const char *family)
{
	for (size_t i = 0; i < models->n; i++)
		if (strcmp(models->v[i].family->name, family) == 0)
			return &models->v[i];
	return NULL;
}

/* A model fitted elsewhere has no criterion; below this r2 it explains too little for the data not
 * to be called constant. */
#define STORED_LEAST 0.1

static double stored_worth(const struct rarog_model *model)
{
	return model->family == &rarog_family_constant ? STORED_LEAST : model->r2;
}

/* Perun's is that of what it fitted. */
static double r2_of(const struct rarog_model *model)
{
	return isfinite(model->r2_logs) ? model->r2_logs : model->r2;
}

static bool is_better(const struct rarog_model *model, const struct rarog_model *best,
		      enum rarog_model_rule rule)
{
	if (model->n == 0)
		return stored_worth(model) > stored_worth(best);
	if (rule == RAROG_MODEL_R2 || model->family->n_coefficients == 0)
		return r2_of(model) > r2_of(best);
	if (model->family->n_coefficients == best->family->n_coefficients)
		return model->aicc < best->aicc;
	return model->aicc < best->aicc - EVIDENCE &&
	       (model->r2 >= best->r2 + VARIANCE_MORE ||
		model->residual_ss <= RESIDUAL_LEFT * best->residual_ss) &&
	       model->residual_ss <= (1 - RESIDUAL_LESS) * best->residual_ss;
}

const struct rarog_model *rarog_models_best(const struct rarog_models *models,
					    enum rarog_model_rule rule, bool is_parametric)
{
	const struct rarog_model *best = NULL;

	for (size_t i = 0; i < models->n; i++) {
		const struct rarog_model *model = &models->v[i];

		if ((model->family->n_coefficients > 0) != is_parametric)
			continue;
		if (!best || is_better(model, best, rule))
			best = model;
	}
	return best;
}

double rarog_models_trust(const struct rarog_models *models, const struct rarog_model *model)
{
	double rival = 0;

	if (model->family != &rarog_family_constant)
		return fmin(1, fmax(0, model->r2));
	for (size_t i = 0; i < models->n; i++)
		if (models->v[i].family->n_coefficients > 1 &&
		    models->v[i].family->n_coefficients <= 2)
			rival = fmax(rival, models->v[i].r2);
	return model->residual_ss == 0 && model->n > 0 ? 1 : fmin(1, fmax(0, 1 - rival));
}
