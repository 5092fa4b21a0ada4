/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For normal-form*.c only. */
#ifndef RAROG_MODEL_NORMAL_FORM_OWN_H
#define RAROG_MODEL_NORMAL_FORM_OWN_H

#include "model/normal-form.h"

double rarog_normal_factor_value(const struct rarog_normal_factor *factor, double x);

/** rarog_normal_form_row() - 1 and the terms at @x; row[n_terms + 1] */
void rarog_normal_form_row(const struct rarog_normal_form *form, const double x[], double row[]);

#endif
