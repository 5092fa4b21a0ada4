/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fitted on the logarithm of y; how good it is, is said on the scale of y. */
#include <math.h>

#include "model/family.h"

static int fit(size_t n, const double x[], const double y[], struct rarog_model *model)
{
	int r = rarog_family_fit_logs(n, x, y, false, model);

	if (r == 0)
		model->b[1] = exp(model->b[1]);
	return r;
}

static double value(const struct rarog_model *model, double x)
{
	return model->b[0] * pow(model->b[1], x);
}

static enum rarog_growth growth(const struct rarog_model *model)
{
	return model->b[1] > 1 ? RAROG_GROWTH_EXPONENTIAL : RAROG_GROWTH_CONSTANT;
}

const struct rarog_model_family rarog_family_exponential = {
	.name = "exponential",
	.formula = "b0 b1^x",
	.n_coefficients = 2,
	.fit = fit,
	.value = value,
	.growth = growth,
};
