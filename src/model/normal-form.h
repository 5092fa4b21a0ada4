/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Performance model normal form: y = b0 + Σ b(k) Π x(v)^i · log2(x(v))^j, with up to three
 * variables in a product. Source: Calotoiu, Hoefler, Poke, Wolf, SC'13; several variables:
 * Calotoiu et al., CLUSTER'16.
 */
#ifndef RAROG_MODEL_NORMAL_FORM_H
#define RAROG_MODEL_NORMAL_FORM_H

#include "model/model.h"

#define RAROG_NORMAL_VARIABLES 4
#define RAROG_NORMAL_TERMS     5 /* beside the constant */

/* x^power · log2(x)^logs; both 0: the variable is not in the term. */
struct rarog_normal_factor {
	double power;
	unsigned logs;
};

struct rarog_normal_term {
	struct rarog_normal_factor of[RAROG_NORMAL_VARIABLES];
};

struct rarog_normal_form {
	size_t n, n_variables, n_terms;
	struct rarog_normal_term terms[RAROG_NORMAL_TERMS];
	double b[RAROG_NORMAL_TERMS + 1], error[RAROG_NORMAL_TERMS + 1]; /* b[0]: the constant */
	double covariance[(RAROG_NORMAL_TERMS + 1) * (RAROG_NORMAL_TERMS + 1)];
	double from[RAROG_NORMAL_VARIABLES], to[RAROG_NORMAL_VARIABLES]; /* of the points */
	double r2, rmse, aicc, deviation, error_power, freedom;
};

/**
 * rarog_normal_form_fit() - the terms that the points speak for, and their coefficients
 * @n_variables: 1 … RAROG_NORMAL_VARIABLES
 * @x: n rows of n_variables, above 0
 *
 * Return: 0; -EDOM too few points, a variable that is not above 0 or has a single value; -EINVAL,
 * -ENOMEM.
 */
int rarog_normal_form_fit(size_t n, size_t n_variables, const double x[], const double y[],
			  const struct rarog_model_options *options,
			  struct rarog_normal_form *ret_form);

double rarog_normal_form_value(const struct rarog_normal_form *form, const double x[]);

/** rarog_normal_form_band() - as rarog_model_band(), .beyond is the largest of all variables. */
void rarog_normal_form_band(const struct rarog_normal_form *form, const double x[], double level,
			    struct rarog_band *ret_band);

/** rarog_normal_form_interval() - of b[@k], by Student's t. */
void rarog_normal_form_interval(const struct rarog_normal_form *form, size_t k, double level,
				double *ret_low, double *ret_high);

/** rarog_normal_form_text() - "12 + 0.5 n log2(n) + 3e-4 n m"; names[n_variables]. */
const char *rarog_normal_form_text(const struct rarog_normal_form *form, const char *const names[],
				   size_t size, char text[size]);

#endif
