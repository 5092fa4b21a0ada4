/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/model.h"

#include <errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/family.h"

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
	&rarog_family_linear_linearithmic,
	&rarog_family_quadratic,
	&rarog_family_shifted_power,
	&rarog_family_cubic,
	&rarog_family_regressogram,
	&rarog_family_moving_average,
	&rarog_family_kernel,
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
