/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a normal form says: values, bands, text. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "model/normal-form-own.h"

double rarog_normal_factor_value(const struct rarog_normal_factor *factor, double x)
{
	return pow(x, factor->power) * pow(log2(x), factor->logs);
}

void rarog_normal_form_row(const struct rarog_normal_form *form, const double x[], double row[])
{
	row[0] = 1;
	for (size_t k = 0; k < form->n_terms; k++) {
		row[k + 1] = 1;
		for (size_t v = 0; v < form->n_variables; v++)
			row[k + 1] *= rarog_normal_factor_value(&form->terms[k].of[v], x[v]);
	}
}

double rarog_normal_form_value(const struct rarog_normal_form *form, const double x[])
{
	double row[RAROG_NORMAL_TERMS + 1], sum = 0;

	rarog_normal_form_row(form, x, row);
	for (size_t k = 0; k <= form->n_terms; k++)
		sum += form->b[k] * row[k];
	return sum;
}

void rarog_normal_form_band(const struct rarog_normal_form *form, const double x[], double level,
			    struct rarog_band *ret_band)
{
	size_t p = form->n_terms + 1;
	double row[RAROG_NORMAL_TERMS + 1],
		variance = 0, value = rarog_normal_form_value(form, x),
		t = form->freedom > 0 ? gsl_cdf_tdist_Pinv((1 + level) / 2, form->freedom) : NAN,
		one = form->deviation * (form->error_power > 0 ? fabs(value) : 1), half, half_one;

	rarog_normal_form_row(form, x, row);
	for (size_t i = 0; i < p * p; i++)
		variance += row[i / p] * form->covariance[i] * row[i % p];
	half = t * sqrt(fmax(0, variance));
	half_one = t * sqrt(fmax(0, variance) + one * one);
	*ret_band = (struct rarog_band){ .value = value,
					 .low = value - half,
					 .high = value + half,
					 .low_one = value - half_one,
					 .high_one = value + half_one,
					 .beyond = 1 };
	for (size_t v = 0; v < form->n_variables; v++)
		ret_band->beyond =
			fmax(ret_band->beyond, fmax(x[v] / form->to[v], form->from[v] / x[v]));
}

void rarog_normal_form_interval(const struct rarog_normal_form *form, size_t k, double level,
				double *ret_low, double *ret_high)
{
	double t = form->freedom > 0 ? gsl_cdf_tdist_Pinv((1 + level) / 2, form->freedom) : NAN;

	*ret_low = form->b[k] - t * form->error[k];
	*ret_high = form->b[k] + t * form->error[k];
}

static int put_factor(const struct rarog_normal_factor *factor, const char *name, size_t size,
		      char *text)
{
	int used = 0;

	text[0] = '\0';
	if (factor->power == 1)
		used = snprintf(text, size, " %s", name);
	else if (factor->power > 0)
		used = snprintf(text, size, " %s^%g", name, factor->power);
	if (factor->logs == 1 && (size_t)used < size)
		used += snprintf(text + used, size - (size_t)used, " log2(%s)", name);
	else if (factor->logs > 1 && (size_t)used < size)
		used += snprintf(text + used, size - (size_t)used, " log2(%s)^%u", name,
				 factor->logs);
	return used;
}

const char *rarog_normal_form_text(const struct rarog_normal_form *form, const char *const names[],
				   size_t size, char text[size])
{
	size_t used = (size_t)snprintf(text, size, "%.4g", form->b[0]);

	for (size_t k = 0; k < form->n_terms && used < size; k++) {
		double b = form->b[k + 1];

		used += (size_t)snprintf(text + used, size - used, " %c %.4g", b < 0 ? '-' : '+',
					 fabs(b));
		for (size_t v = 0; v < form->n_variables && used < size; v++)
			used += (size_t)put_factor(&form->terms[k].of[v], names[v], size - used,
						   text + used);
	}
	return text;
}
