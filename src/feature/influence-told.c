/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model tells of configurations that were not measured, and in which words. */
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "feature/influence-values.h"

#define LEVEL 0.95

static double student(const struct rarog_influence *influence)
{
	return influence->freedom > 0 ? gsl_cdf_tdist_Pinv((1 + LEVEL) / 2, influence->freedom)
				      : NAN;
}

double rarog_influence_half(const struct rarog_influence *influence, size_t term)
{
	return student(influence) * influence->fit.error[term];
}

static int read_row(const struct rarog_influence *influence,
		    const struct rarog_configuration *configuration,
		    double row[RAROG_INFLUENCE_TERMS])
{
	for (size_t k = 0; k < influence->terms.n && k < RAROG_INFLUENCE_TERMS; k++) {
		const struct rarog_influence_term *term = &influence->terms.v[k];

		row[k] = 1;
		for (size_t i = 0; i < term->n; i++) {
			const struct rarog_influence_factor *factor =
				&influence->factors.v[term->factor[i]];
			double value = 0;
			int r = rarog_influence_factor_value(factor, configuration, &value);

			if (r == -ENOENT)
				return rarog_fail(-EINVAL,
						  "what is %s to be? the model needs it; give "
						  "--option %s=VALUE",
						  factor->option, factor->option);
			if (r < 0)
				return rarog_fail(-EINVAL,
						  "--option %s: the model has a root or logarithm "
						  "of it, and this has none",
						  factor->option);
			row[k] *= value;
		}
	}
	return 0;
}

static bool was_measured(const struct rarog_influence *influence,
			 const struct rarog_influence_option *option, const char *value)
{
	if (rarog_influence_is_same(option->first, value))
		return true;
	for (size_t i = 0; i < influence->factors.n; i++)
		if (influence->factors.v[i].value &&
		    strcmp(influence->factors.v[i].option, option->name) == 0 &&
		    rarog_influence_is_same(influence->factors.v[i].value, value))
			return true;
	return false;
}

static bool is_step(const struct rarog_influence_factor *factor, const char *option,
		    double *ret_number)
{
	return factor->shape == RAROG_INFLUENCE_STEP && strcmp(factor->option, option) == 0 &&
	       rarog_influence_number(factor->value, ret_number);
}

/* Steps were looked for at all numbers but the least, so they are what was measured. */
static double number_below(const struct rarog_influence *influence,
			   const struct rarog_influence_option *option, double step)
{
	double below = option->low, number = 0;

	for (size_t i = 0; i < influence->factors.n; i++)
		if (is_step(&influence->factors.v[i], option->name, &number) && number < step)
			below = fmax(below, number);
	return below;
}

bool rarog_influence_in_gap(const struct rarog_influence *influence, const char *option,
			    double number, double *ret_low, double *ret_high)
{
	const struct rarog_influence_option *its = rarog_influence_option_find(influence, option);

	for (size_t k = 0; its && k < influence->terms.n; k++) {
		const struct rarog_influence_term *term = &influence->terms.v[k];

		for (size_t i = 0; i < term->n; i++) {
			if (!is_step(&influence->factors.v[term->factor[i]], option, ret_high))
				continue;
			*ret_low = number_below(influence, its, *ret_high);
			if (*ret_low < number && number < *ret_high)
				return true;
		}
	}
	return false;
}

static int check_number(const struct rarog_influence *influence,
			const struct rarog_influence_option *option, const char *value)
{
	double number = 0, low, high;

	if (!rarog_influence_number(value, &number))
		return rarog_fail(-EINVAL, "--option %s=%s: all runs have a number there; give one",
				  option->name, value);
	if (number < option->low || number > option->high)
		rarog_warn("%s=%s is beyond what was measured (%g to %g)", option->name, value,
			   option->low, option->high);
	else if (rarog_influence_in_gap(influence, option->name, number, &low, &high))
		rarog_warn("%s=%s: there is a step above %g, at %g at the latest, and nothing was "
			   "measured between: it is told as if it came before the step",
			   option->name, value, low, high);
	return 0;
}

static int check_value(const struct rarog_influence *influence,
		       const struct rarog_option_value *given)
{
	const struct rarog_influence_option *option =
		rarog_influence_option_find(influence, given->name);

	if (!option)
		return rarog_fail(-EINVAL, "--option %s: these runs have no such option",
				  given->name);
	if (option->is_number && option->n_values > 1)
		return check_number(influence, option, given->value);
	if (was_measured(influence, option, given->value))
		return 0;
	return rarog_fail(-EINVAL, "--option %s=%s: no run had this value", given->name,
			  given->value);
}

int rarog_influence_predict(const struct rarog_influence *influence,
			    const struct rarog_configuration *configuration, double *ret_y,
			    double *ret_half)
{
	double row[RAROG_INFLUENCE_TERMS], error, s = influence->deviation;
	int r = 0;

	for (size_t i = 0; r == 0 && i < configuration->list.n; i++)
		r = check_value(influence, &configuration->list.v[i]);
	if (r == 0)
		r = read_row(influence, configuration, row);
	if (r < 0)
		return r;
	rarog_fit_predict(&influence->fit, row, ret_y, &error);
	*ret_half = student(influence) * sqrt(error * error + s * s);
	return 0;
}

int rarog_influence_name(const struct rarog_influence *influence, size_t term,
			 struct rarog_str *text)
{
	static const char *const before[] = { "", "", "sqrt(", "log2(1+", "" };
	static const char *const after[] = { "", "^2", ")", ")", "" };
	const struct rarog_influence_term *its = &influence->terms.v[term];
	int r = its->n == 0 ? rarog_str_add(text, "1") : 0;

	for (size_t i = 0; r == 0 && i < its->n; i++) {
		const struct rarog_influence_factor *factor = &influence->factors.v[its->factor[i]];

		r = rarog_str_addf(text, "%s%s%s%s%s%s", i > 0 ? "*" : "", before[factor->shape],
				   factor->option,
				   !factor->value                          ? ""
				   : factor->shape == RAROG_INFLUENCE_STEP ? ">="
									   : "=",
				   factor->value ? factor->value : "", after[factor->shape]);
	}
	return r;
}
