/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fitted on the scale of y, so that it can be compared with the others: by logarithms, as textbooks
 * do, small y count as much as large ones (is_by_logs does). x is taken as a share of the largest,
 * which keeps the factor and the exponent apart.
 */
#include <math.h>

#include "base/cleanup.h"
#include "model/family.h"

#define EXPONENT 12.0

static double shape_value(const struct rarog_model *model, double k, double x)
{
	if (x <= 0 && k > 0)
		return 0;
	return pow(fmax(x, model->x_floor) / model->x_end, k);
}

static double shape_slope(const struct rarog_model *model, double k, double x)
{
	if (x <= 0 && k > 0)
		return 0;
	return shape_value(model, k, x) * log(fmax(x, model->x_floor) / model->x_end);
}

static int fit_logs(const struct rarog_data *data, struct rarog_model *model)
{
	int r = rarog_family_fit_logs(data, true, model);
	double b0 = exp(model->b[0]);

	if (r == 0)
		rarog_family_change(model, (const double[]){ b0, model->b[1] },
				    (const double[]){ b0, 0, 0, 1 });
	return r;
}

static int fit(const struct rarog_data *data, struct rarog_model *model)
{
	static const struct rarog_shape shape = { shape_value, shape_slope, -EXPONENT, EXPONENT,
						  false };
	int r = rarog_family_set_floor(data, model);

	if (r == 0 && data->options->is_by_logs)
		return fit_logs(data, model);
	if (r == 0)
		r = rarog_family_fit_shape(data, &shape, model);
	if (r < 0)
		return r;
	double c = model->b[0], k = model->b[1], scale = pow(model->x_end, -k);

	rarog_family_change(model, (const double[]){ c * scale, k },
			    (const double[]){ scale, -c * scale * log(model->x_end), 0, 1 });
	return 0;
}

static double value(const struct rarog_model *model, double x)
{
	if (model->b[1] > 0)
		return x > 0 ? model->b[0] * pow(x, model->b[1]) : 0;
	return model->b[0] * pow(fmax(x, model->x_floor), model->b[1]);
}

static void gradient(const struct rarog_model *model, double x, double row[])
{
	double at = fmax(x, model->x_floor);

	row[0] = model->b[1] > 0 && x <= 0 ? 0 : pow(at, model->b[1]);
	row[1] = row[0] > 0 ? model->b[0] * row[0] * log(at) : 0;
}

/* Up to which exponent a power is as good as the class; n log n looks like one of 1.1 to 1.3. */
enum rarog_growth rarog_growth_of_power(double exponent)
{
	static const struct {
		double exponent;
		enum rarog_growth growth;
	} classes[] = {
		{ 0.05, RAROG_GROWTH_CONSTANT }, { 0.8, RAROG_GROWTH_LOGARITHMIC },
		{ 1.1, RAROG_GROWTH_LINEAR },    { 1.5, RAROG_GROWTH_LINEARITHMIC },
		{ 2.5, RAROG_GROWTH_QUADRATIC }, { 3.5, RAROG_GROWTH_CUBIC },
	};

	for (size_t i = 0; i < RAROG_COUNT(classes); i++)
		if (exponent <= classes[i].exponent)
			return classes[i].growth;
	return RAROG_GROWTH_POWER;
}

static enum rarog_growth growth(const struct rarog_model *model)
{
	return rarog_growth_of_power(model->b[1]);
}

const struct rarog_model_family rarog_family_power = {
	.name = "power",
	.formula = "b0 x^b1",
	.n_coefficients = 2,
	.fit = fit,
	.value = value,
	.gradient = gradient,
	.growth = growth,
};
