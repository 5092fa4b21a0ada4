/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "model/family.h"

static void gradient(const struct rarog_model *model, double x, double row[])
{
	row[0] = 1;
	row[1] = log(fmax(x, model->x_floor));
}

static int fit(const struct rarog_data *data, struct rarog_model *model)
{
	int r = rarog_family_set_floor(data, model);

	return r < 0 ? r : rarog_family_fit_linear(data, model);
}

static double value(const struct rarog_model *model, double x)
{
	const double *b = model->b;

	return b[0] + b[1] * log(fmax(x, model->x_floor));
}

static enum rarog_growth growth(const struct rarog_model *model)
{
	return model->b[1] > 0 ? RAROG_GROWTH_LOGARITHMIC : RAROG_GROWTH_CONSTANT;
}

const struct rarog_model_family rarog_family_logarithmic = {
	.name = "logarithmic",
	.formula = "b0 + b1 ln x",
	.n_coefficients = 2,
	.fit = fit,
	.value = value,
	.gradient = gradient,
	.growth = growth,
};
