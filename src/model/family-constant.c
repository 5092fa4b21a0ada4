/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/family.h"

static void gradient(const struct rarog_model *model, double x, double row[])
{
	(void)model;
	(void)x;
	row[0] = 1;
}

static double value(const struct rarog_model *model, double x)
{
	const double *b = model->b;

	(void)x;
	return b[0];
}

static enum rarog_growth growth(const struct rarog_model *model)
{
	(void)model;
	return RAROG_GROWTH_CONSTANT;
}

const struct rarog_model_family rarog_family_constant = {
	.name = "constant",
	.formula = "b0",
	.n_coefficients = 1,
	.fit = rarog_family_fit_linear,
	.value = value,
	.gradient = gradient,
	.growth = growth,
};
