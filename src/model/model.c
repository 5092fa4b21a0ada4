/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/model.h"

#include <errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/family.h"
#include "num/least-squares.h"
#include "num/sample.h"

#define POINTS_MIN    3
#define EVIDENCE      2.0   /* of the criterion */
#define EXCLUDES      10.0  /* that much more of it, and a model is no rival */
#define RESIDUAL_LESS 0.2   /* of what was left, that more coefficients must explain */
#define VARIANCE_MORE 0.001 /* … and of all */
#define NOTHING       1e-20 /* of Σ y²: residuals that are rounding only */

const char *const rarog_growth_names[] = { "constant",     "logarithmic", "linear",
					   "linearithmic", "quadratic",   "cubic",
					   "power",        "exponential", NULL };

const struct rarog_model_family *const rarog_model_families[] = {
	&rarog_family_constant,
	&rarog_family_logarithmic,
	&rarog_family_linear,
	&rarog_family_linearithmic,
	&rarog_family_power,
	&rarog_family_exponential,
	&rarog_family_quadratic,
	&rarog_family_cubic,
	&rarog_family_regressogram,
	&rarog_family_moving_average,
	NULL,
};

_Static_assert(RAROG_COUNT(rarog_model_families) <= RAROG_MODEL_FAMILIES_MAX, "room for all");

const struct rarog_model_family *rarog_model_family(const char *name)
{
	for (size_t i = 0; rarog_model_families[i]; i++)
		if (strcmp(rarog_model_families[i]->name, name) == 0)
			return rarog_model_families[i];
	return NULL;
}

void rarog_model_release(struct rarog_model *model)
{
	free(model->knots_x);
	*model = (struct rarog_model){ 0 };
}

double rarog_model_value(const struct rarog_model *model, double x)
{
	return model->family->value(model, x);
}

enum rarog_growth rarog_model_growth(const struct rarog_model *model)
{
	return model->family->growth ? model->family->growth(model) : RAROG_GROWTH_CONSTANT;
}

/* --- the mean of the curve --- */

static double integrand(double x, void *model)
{
	return rarog_model_value(model, x);
}

static void free_work(gsl_integration_cquad_workspace **work)
{
	if (*work)
		gsl_integration_cquad_workspace_free(*work);
}

int rarog_model_mean(const struct rarog_model *model, double from, double to, double *ret_mean)
{
	rarog_cleanup(free_work) gsl_integration_cquad_workspace *work = NULL;
	struct rarog_model copy = *model;
	gsl_function curve = { .function = integrand, .params = &copy };
	double integral = NAN, mean;

	if (model->family->mean) {
		*ret_mean = model->family->mean(model, from, to);
		return 0;
	}
	work = gsl_integration_cquad_workspace_alloc(64);
	if (!work)
		return rarog_oom();
	int r = gsl_integration_cquad(&curve, from, to, 0, 1e-9, work, &integral, NULL, NULL);

	mean = integral / (to - from);
	if (r || !isfinite(mean))
		return rarog_fail(-EDOM, "the %s model has no integral over %g … %g",
				  model->family->name, from, to);
	*ret_mean = mean;
	return 0;
}

/* --- one family --- */

static int assess(size_t n, const double x[], const double y[], struct rarog_model *model)
{
	rarog_cleanup(rarog_freep) double *fitted = calloc(n, sizeof(double));
	double squares = 0;

	if (!fitted)
		return rarog_oom();
	model->residual_ss = 0;
	for (size_t i = 0; i < n; i++) {
		fitted[i] = rarog_model_value(model, x[i]);
		model->residual_ss += (y[i] - fitted[i]) * (y[i] - fitted[i]);
		squares += y[i] * y[i];
	}
	if (!isfinite(model->residual_ss))
		return rarog_fail(-EDOM, "the %s model is not finite on its own points",
				  model->family->name);
	if (model->residual_ss <= NOTHING * squares)
		model->residual_ss = 0;
	model->r2 = rarog_r2(n, y, fitted, true);
	if (!isfinite(model->r2))
		model->r2 = model->residual_ss == 0 ? 1 : 0;
	model->aicc = rarog_aicc(n, model->family->n_coefficients + 1, model->residual_ss);
	return 0;
}

static int check_points(size_t n, const double x[], const double y[])
{
	int r = rarog_sample_check("x", n, POINTS_MIN, x);

	if (r == 0)
		r = rarog_sample_check("y", n, POINTS_MIN, y);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (x[i] < x[i - 1])
			r = rarog_fail(-EINVAL, "models: the points are not sorted by x");
	return r;
}

int rarog_model_fit(const struct rarog_model_family *family, size_t n, const double x[],
		    const double y[], struct rarog_model *ret_model)
{
	rarog_cleanup(rarog_model_release) struct rarog_model model = { .family = family,
									.n = n,
									.x_floor = -INFINITY };
	int r = check_points(n, x, y);

	if (r < 0)
		return r;
	model.x_start = x[0];
	model.x_end = x[n - 1];
	r = family->fit(n, x, y, &model);
	if (r == 0)
		r = assess(n, x, y, &model);
	if (r == 0)
		*ret_model = rarog_take_struct(model);
	return r;
}

/* --- all of them --- */

void rarog_models_release(struct rarog_models *models)
{
	for (size_t i = 0; i < models->n; i++)
		rarog_model_release(&models->v[i]);
	models->n = 0;
}

int rarog_models_fit(size_t n, const double x[], const double y[], struct rarog_models *ret_models)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };

	for (size_t i = 0; n >= POINTS_MIN && rarog_model_families[i]; i++) {
		int r = rarog_model_fit(rarog_model_families[i], n, x, y, &models.v[models.n]);

		if (r == 0)
			models.n++;
		else if (r != -EDOM)
			return r;
	}
	rarog_error_clear();
	*ret_models = rarog_take_struct(models);
	return 0;
}

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

static bool is_better(const struct rarog_model *model, const struct rarog_model *best,
		      enum rarog_model_rule rule)
{
	if (model->n == 0)
		return stored_worth(model) > stored_worth(best);
	if (rule == RAROG_MODEL_R2 || model->family->n_coefficients == 0)
		return model->r2 > best->r2;
	if (model->family->n_coefficients == best->family->n_coefficients)
		return model->aicc < best->aicc;
	return model->aicc < best->aicc - EVIDENCE && model->r2 >= best->r2 + VARIANCE_MORE &&
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

/* One with more coefficients always comes near; a constant has no growth. */
static bool is_rival(const struct rarog_model *model, const struct rarog_model *best)
{
	size_t n = model->family->n_coefficients;

	return model->n > 0 && n >= 2 && n <= best->family->n_coefficients &&
	       model->aicc <= best->aicc + EXCLUDES &&
	       rarog_model_growth(model) != rarog_model_growth(best);
}

unsigned rarog_models_rivals(const struct rarog_models *models, const struct rarog_model *best,
			     enum rarog_growth *ret_nearest)
{
	const struct rarog_model *nearest = NULL;
	unsigned rivals = 0;

	for (size_t i = 0; best->n > 0 && i < models->n; i++) {
		const struct rarog_model *model = &models->v[i];

		if (!is_rival(model, best))
			continue;
		rivals |= 1u << rarog_model_growth(model);
		if (!nearest || model->aicc < nearest->aicc)
			nearest = model;
	}
	if (nearest)
		*ret_nearest = rarog_model_growth(nearest);
	return rivals;
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
