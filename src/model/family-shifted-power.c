/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A power and what is there before it: 1000 + n^1.5. Without it, such costs pass for a quadratic or
 * for n log n, of which this family says what the exponent may be in truth.
 */
#include <errno.h>
#include <math.h>

#include "model/family.h"

#define EXPONENT 12.0

/* x as a share of the largest keeps the coefficients apart. */
static double shape_value(const struct rarog_model *model, double k, double x)
{
	return x > 0 ? pow(x / model->x_end, k) : 0;
}

static double shape_slope(const struct rarog_model *model, double k, double x)
{
	return x > 0 ? shape_value(model, k, x) * log(x / model->x_end) : 0;
}

static int fit(const struct rarog_data *data, struct rarog_model *model)
{
	static const struct rarog_shape shape = { shape_value, shape_slope, 0, EXPONENT, true };
	int r = rarog_family_set_floor(data, model);

	model->x_floor = -INFINITY;
	model->left_out = 0;
	if (r == 0)
		r = rarog_family_fit_shape(data, &shape, model);
	if (r < 0)
		return r;
	double c = model->b[0], k = model->b[1], a = model->b[2], scale = pow(model->x_end, -k);

	rarog_family_change(
		model, (const double[]){ a, c * scale, k },
		(const double[]){ 0, 0, 1, scale, -c * scale * log(model->x_end), 0, 0, 1, 0 });
	return 0;
}

static double value(const struct rarog_model *model, double x)
{
	return model->b[0] + (x > 0 ? model->b[1] * pow(x, model->b[2]) : 0);
}

static void gradient(const struct rarog_model *model, double x, double row[])
{
	row[0] = 1;
	row[1] = x > 0 ? pow(x, model->b[2]) : 0;
	row[2] = x > 0 ? model->b[1] * row[1] * log(x) : 0;
}

static enum rarog_growth growth(const struct rarog_model *model)
{
	return model->b[1] > 0 ? rarog_growth_of_power(model->b[2]) : RAROG_GROWTH_CONSTANT;
}

const struct rarog_model_family rarog_family_shifted_power = {
	.name = "shifted-power",
	.formula = "b0 + b1 x^b2",
	.n_coefficients = 3,
	.fit = fit,
	.value = value,
	.gradient = gradient,
	.growth = growth,
};
