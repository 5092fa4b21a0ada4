/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fitted on logarithms of both axes, as textbooks do; how good it is, is said on the scale of y. */
#include <math.h>

#include "base/cleanup.h"
#include "model/family.h"

static int fit(size_t n, const double x[], const double y[], struct rarog_model *model)
{
	int r = rarog_family_set_floor(n, x, model);

	return r < 0 ? r : rarog_family_fit_logs(n, x, y, true, model);
}

static double value(const struct rarog_model *model, double x)
{
	if (model->b[1] > 0)
		return x > 0 ? model->b[0] * pow(x, model->b[1]) : 0;
	return model->b[0] * pow(fmax(x, model->x_floor), model->b[1]);
}

/* Up to which exponent a power is as good as the class; n log n looks like one of 1.1 to 1.3. */
static enum rarog_growth growth(const struct rarog_model *model)
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
		if (model->b[1] <= classes[i].exponent)
			return classes[i].growth;
	return RAROG_GROWTH_POWER;
}

const struct rarog_model_family rarog_family_power = {
	.name = "power",
	.formula = "b0 x^b1",
	.n_coefficients = 2,
	.fit = fit,
	.value = value,
	.growth = growth,
};
