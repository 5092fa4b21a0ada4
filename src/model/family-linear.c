/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/family.h"

static void gradient(const struct rarog_model *model, double x, double row[])
{
	(void)model;
	row[0] = 1;
	row[1] = x;
}

static double value(const struct rarog_model *model, double x)
{
	const double *b = model->b;

	return b[0] + b[1] * x;
}

static enum rarog_growth growth(const struct rarog_model *model)
{
	return model->b[1] > 0 ? RAROG_GROWTH_LINEAR : RAROG_GROWTH_CONSTANT;
}

const struct rarog_model_family rarog_family_linear = {
	.name = "linear",
	.formula = "b0 + b1 x",
	.n_coefficients = 2,
	.fit = rarog_family_fit_linear,
	.value = value,
	.gradient = gradient,
	.growth = growth,
};
