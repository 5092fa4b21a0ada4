/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "model/family.h"

static void columns(double x, double row[])
{
	(void)x;
	row[0] = 1;
}

static int fit(size_t n, const double x[], const double y[], struct rarog_model *model)
{
	return rarog_family_fit_columns(n, x, y, columns, model);
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
	.fit = fit,
	.value = value,
	.growth = growth,
};
