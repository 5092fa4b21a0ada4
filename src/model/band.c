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

/* A base is told from 1, however near to it it is. */
static int digits_of(double b, bool is_base)
{
	double off = fabs(b - 1);

	return is_base && off > 0 && off < 0.1 ? (int)fmin(15, 4 - floor(log10(off))) : 4;
}

/* What stands after the coefficient of a term: " x^b1" with the name and the number. */
static void put_rest(const struct rarog_model *model, const char *x, const char *at,
		     const char *end, FILE *out)
{
	for (; at < end; at++) {
		if (*at == 'b') {
			double b = model->b[*++at - '0'];

			fprintf(out, "%.*g", digits_of(b, at[1] == '^'), b);
		} else if (*at == 'x') {
			fputs(x, out);
		} else {
			fputc(*at, out);
		}
	}
}

/* Terms that are 0 are left out, but the last if there is no other. */
static void put_terms(const struct rarog_model *model, const char *x, FILE *out)
{
	bool is_first = true;

	for (const char *term = model->family->formula, *end; term; term = end ? end + 3 : NULL) {
		double b = model->b[term[1] - '0'];

		end = strstr(term, " + ");
		if (b == 0 && (end || !is_first))
			continue;
		fprintf(out, "%s%.4g",
			is_first ? b < 0 ? "-" : ""
			: b < 0  ? " - "
				 : " + ",
			fabs(b));
		put_rest(model, x, term + 2, end ? end : term + strlen(term), out);
		is_first = false;
	}
}

/* "means of buckets, width 20, 3 of 12 empty" */
static void put_knots(const struct rarog_model *model, FILE *out)
{
	size_t n = model->n_knots > 0 ? model->n_knots - 1 : 0, empty = 0;

	for (size_t k = 0; model->words && k < n; k++)
		empty += model->knots_count[k] == 0;
	if (model->words)
		fprintf(out, "%s %.4g", model->words, model->width);
	else
		fputs(model->family->name, out);
	if (empty > 0)
		fprintf(out, ", %zu of %zu empty", empty, n);
}

const char *rarog_model_text(const struct rarog_model *model, const char *x, size_t size,
			     char text[size])
{
	FILE *out = fmemopen(text, size, "w");

	text[0] = '\0';
	if (!out)
		return text;
	if (model->family->n_coefficients == 0)
		put_knots(model, out);
	else
		put_terms(model, x, out);
	fclose(out);
	text[size - 1] = '\0';
	return text;
}
