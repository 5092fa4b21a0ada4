/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fitted on the scale of y, as exp(k (x - x_end)) with a factor: what it is at the largest x is
 * known well, what it would be at 0 is not. */
#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "model/family.h"

#define STEEPEST 60.0 /* e-foldings over all x */

/* k is per range of x. */
static double along(const struct rarog_model *model, double x)
{
	return (x - model->x_end) / (model->x_end - model->x_start);
}

static double shape_value(const struct rarog_model *model, double k, double x)
{
	return exp(k * along(model, x));
}

static double shape_slope(const struct rarog_model *model, double k, double x)
{
	return along(model, x) * exp(k * along(model, x));
}

static int fit_logs(const struct rarog_data *data, struct rarog_model *model)
{
	int r = rarog_family_fit_logs(data, false, model);
	double b0 = exp(model->b[0]), b1 = exp(model->b[1]);

	if (r == 0)
		rarog_family_change(model, (const double[]){ b0, b1 },
				    (const double[]){ b0, 0, 0, b1 });
	return r;
}

static int fit(const struct rarog_data *data, struct rarog_model *model)
{
	static const struct rarog_shape shape = { shape_value, shape_slope, -STEEPEST, STEEPEST,
						  false };
	double range = model->x_end - model->x_start, end = model->x_end;
	int r;

	if (data->options->is_by_logs)
		return fit_logs(data, model);
	r = range > 0 ? rarog_family_fit_shape(data, &shape, model)
		      : rarog_fail(-EDOM, "all x are equal");

	if (r < 0)
		return r;
	double c = model->b[0], k = model->b[1] / range, at_0 = exp(-k * end), b1 = exp(k);

	if (!isfinite(at_0 * c) || at_0 <= 0)
		return rarog_fail(-EDOM, "so steep that it has no value at 0");
	rarog_family_change(model, (const double[]){ c * at_0, b1 },
			    (const double[]){ at_0, -c * at_0 * end / range, 0, b1 / range });
	return 0;
}

static double value(const struct rarog_model *model, double x)
{
	return model->b[0] * pow(model->b[1], x);
}

static void gradient(const struct rarog_model *model, double x, double row[])
{
	row[0] = pow(model->b[1], x);
	row[1] = model->b[0] * x * row[0] / model->b[1];
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
	.gradient = gradient,
	.growth = growth,
};
