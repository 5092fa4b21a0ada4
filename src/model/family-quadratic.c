/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/family.h"

static void gradient(const struct rarog_model *model, double x, double row[])
{
	(void)model;
	row[0] = 1;
	row[1] = x;
	row[2] = x * x;
}

static double value(const struct rarog_model *model, double x)
{
	const double *b = model->b;

	return b[0] + (b[1] + b[2] * x) * x;
}

static enum rarog_growth growth(const struct rarog_model *model)
{
	if (model->b[2] > 0)
		return RAROG_GROWTH_QUADRATIC;
	return model->b[1] > 0 ? RAROG_GROWTH_LINEAR : RAROG_GROWTH_CONSTANT;
}

const struct rarog_model_family rarog_family_quadratic = {
	.name = "quadratic",
	.formula = "b0 + b1 x + b2 x^2",
	.n_coefficients = 3,
	.fit = rarog_family_fit_linear,
	.value = value,
	.gradient = gradient,
	.growth = growth,
};
