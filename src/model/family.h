/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the families have in common; for family-*.c and model.c only. */
#ifndef RAROG_MODEL_FAMILY_H
#define RAROG_MODEL_FAMILY_H

#include "model/model.h"

extern const struct rarog_model_family rarog_family_constant, rarog_family_logarithmic,
	rarog_family_linear, rarog_family_linearithmic, rarog_family_power,
	rarog_family_exponential, rarog_family_quadratic, rarog_family_cubic,
	rarog_family_regressogram, rarog_family_moving_average;

/** rarog_family_fit_columns() - y = b0 c0(x) + b1 c1(x) + …; @columns fills one row of
 * family->n_coefficients. */
int rarog_family_fit_columns(size_t n, const double x[], const double y[],
			     void (*columns)(double x, double row[]), struct rarog_model *model);

/** rarog_family_fit_logs() - ln y = ln b0 + b1 g(x), with g ln or x itself. Points without a
 * logarithm are left out; -EDOM if these are more than one and than a tenth. Sets b[0] and b[1]. */
int rarog_family_fit_logs(size_t n, const double x[], const double y[], bool is_log_x,
			  struct rarog_model *model);

/** rarog_family_set_floor() - x_floor is the smallest positive x. -EDOM: more than one and than a
 * tenth of them are not positive. */
int rarog_family_set_floor(size_t n, const double x[], struct rarog_model *model);

/** rarog_family_knots() - room for @n knots. 0, -ENOMEM. */
int rarog_family_knots(struct rarog_model *model, size_t n);

#endif
