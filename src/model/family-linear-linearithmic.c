/* SPDX-License-Identifier: GPL-3.0-or-later */
/* n log n of a program: beside it each input takes some time by itself, a call above all. */
#include <math.h>

#include "model/family.h"

/* x ln x, with its limit at 0 */
static double growing(double x)
{
	return x > 0 ? x * log(x) : 0;
}

static void gradient(const struct rarog_model *model, double x, double row[])
{
	(void)model;
	row[0] = 1;
	row[1] = x;
	row[2] = growing(x);
}

static int fit(const struct rarog_data *data, struct rarog_model *model)
{
	int r = rarog_family_set_floor(data, model);

	model->x_floor = -INFINITY; /* none is needed */
	model->left_out = 0;
	return r < 0 ? r : rarog_family_fit_linear(data, model);
}

static double value(const struct rarog_model *model, double x)
{
	return model->b[0] + model->b[1] * x + model->b[2] * growing(x);
}

static enum rarog_growth growth(const struct rarog_model *model)
{
	if (model->b[2] > 0)
		return RAROG_GROWTH_LINEARITHMIC;
	return model->b[1] > 0 ? RAROG_GROWTH_LINEAR : RAROG_GROWTH_CONSTANT;
}

const struct rarog_model_family rarog_family_linear_linearithmic = {
	.name = "linear-linearithmic",
	.formula = "b0 + b1 x + b2 x ln x",
	.n_coefficients = 3,
	.fit = fit,
	.value = value,
	.gradient = gradient,
	.growth = growth,
};
