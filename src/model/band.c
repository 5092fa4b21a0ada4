/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sure a model is: intervals of coefficients, bands about the curve, and its formula as text.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/knots.h"

static double quantile(double level, double freedom)
{
	return freedom > 0 ? gsl_cdf_tdist_Pinv((1 + level) / 2, freedom) : NAN;
}

void rarog_model_interval(const struct rarog_model *model, size_t i, double level, double *ret_low,
			  double *ret_high)
{
	double half = model->n > 0 ? quantile(level, model->freedom) * model->error[i] : NAN;

	*ret_low = model->b[i] - half;
	*ret_high = model->b[i] + half;
}

static double curve_variance(const struct rarog_model *model, double x)
{
	double row[RAROG_MODEL_COEFFICIENTS], variance = 0;
	size_t p = model->family->n_coefficients;

	if (p == 0)
		return pow(model->knots_error[rarog_knots_at(model, x)], 2);
	model->family->gradient(model, x, row);
	for (size_t i = 0; i < p; i++)
		for (size_t j = 0; j < p; j++)
			variance += row[i] * model->covariance[i * p + j] * row[j];
	return fmax(0, variance);
}

/* Of one y from the curve. */
static double deviation_at(const struct rarog_model *model, double x, double value)
{
	if (model->family->n_coefficients == 0)
		return model->knots_deviation[rarog_knots_at(model, x)];
	return model->error_power > 0 ? model->deviation * pow(fabs(value), model->error_power)
				      : model->deviation;
}

static double beyond(const struct rarog_model *model, double x)
{
	double from = model->x_start, to = model->x_end;

	if (x >= from && x <= to)
		return 1;
	if (from > 0 && x > 0)
		return x > to ? x / to : from / x;
	return 1 + (x > to ? x - to : from - x) / (to - from);
}

void rarog_model_band(const struct rarog_model *model, double x, double level,
		      struct rarog_band *ret_band)
{
	double value = rarog_model_value(model, x), t = quantile(level, model->freedom),
	       one = deviation_at(model, x, value),
	       variance = model->n == 0 ? NAN : curve_variance(model, x);
	double half = t * sqrt(variance), half_one = t * sqrt(variance + one * one);

	*ret_band = (struct rarog_band){ .value = value,
					 .low = value - half,
					 .high = value + half,
					 .low_one = value - half_one,
					 .high_one = value + half_one,
					 .beyond = beyond(model, x) };
}

/* --- text --- */

/* "b1 x^2" of a formula with the number for b1 and the name for x. */
static size_t put(const struct rarog_model *model, const char *x, char c, const char **at,
		  size_t size, char *text)
{
	size_t i;

	if (c == 'b' && **at >= '0' && **at < '0' + RAROG_MODEL_COEFFICIENTS) {
		i = (size_t)(*(*at)++ - '0');
		return (size_t)snprintf(text, size, "%.4g", model->b[i]);
	}
	if (c == 'x')
		return (size_t)snprintf(text, size, "%s", x);
	return (size_t)snprintf(text, size, "%c", c);
}

const char *rarog_model_text(const struct rarog_model *model, const char *x, size_t size,
			     char text[size])
{
	const char *at = model->family->formula;
	size_t used = 0;

	text[0] = '\0';
	if (model->family->n_coefficients == 0) {
		snprintf(text, size, "%s", model->family->formula);
		return text;
	}
	while (*at && used + 1 < size) {
		char c = *at++;

		/* "+ b1" of a number below 0 */
		if (c == '+' && strncmp(at, " b", 2) == 0 && model->b[at[2] - '0'] < 0) {
			used += (size_t)snprintf(text + used, size - used, "- %.4g",
						 -model->b[at[2] - '0']);
			at += 3;
			continue;
		}
		used += put(model, x, c, &at, size - used, text + used);
	}
	return text;
}
