/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points made ready for families, and how much each counts; for fit*.c and weigh.c only. */
#ifndef RAROG_MODEL_FIT_H
#define RAROG_MODEL_FIT_H

#include "model/family.h"

#define RAROG_FIT_LEAST 3 /* points */

/** rarog_data_make() - checks points and options; cells, each with its own weight. 0; -EDOM too few
 * points; -EINVAL, -ENOMEM. */
int rarog_data_make(size_t n, const double x[], const double y[],
		    const struct rarog_model_options *options, struct rarog_data *ret_data);
void rarog_data_release(struct rarog_data *data);

/** rarog_fit_family() - by the weights that the cells have. Sets errors, r2, criterion. */
int rarog_fit_family(const struct rarog_model_family *family, const struct rarog_data *data,
		     double error_power, struct rarog_model *ret_model);

/** rarog_fit_robust() - the same without what is far off: cell_weights are changed to what each
 * counts in the end. */
int rarog_fit_robust(const struct rarog_model_family *family, struct rarog_data *data,
		     double error_power, struct rarog_model *ret_model);

/* --- how errors grow --- */

/** rarog_weigh_levels() - what y is about at each cell, whatever the family: lines through five
 * neighbours, of logarithms. levels[cells.n]; false: it is not above 0 everywhere. */
bool rarog_weigh_levels(const struct rarog_data *data, double levels[]);

/** rarog_weigh_power() - by what repeated points differ: 0, 0.5 or 1, the likeliest. NAN: too few
 * are repeated to tell. */
double rarog_weigh_power(const struct rarog_data *data, const double levels[]);

/** rarog_weigh() - cell_weights = weight / levels^(2 power) */
void rarog_weigh(struct rarog_data *data, const double levels[], double power);

/** rarog_weigh_by_model() - the same by its values; false, and nothing is changed: they are not all
 * above 0. */
bool rarog_weigh_by_model(struct rarog_data *data, const struct rarog_model *model, double power);

#endif
