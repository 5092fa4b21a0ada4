/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the rows of a function to its performance model normal form, or why there is none. */
#ifndef RAROG_MODEL_SURFACE_H
#define RAROG_MODEL_SURFACE_H

#include "model/costs.h"
#include "model/normal-form.h"

struct rarog_surface {
	const struct rarog_costing *cost; /* borrowed */
	bool are_typical;                 /* rows are medians of calls that were given the same */
	size_t n;                         /* rows that were fitted … */
	double *x, *y;
	struct rarog_normal_form form; /* n 0: there is none, .reason */
	char reason[200];
};

/** rarog_surface_fit() - 0, also if there is no model; -EINVAL, -ENOMEM. */
int rarog_surface_fit(const struct rarog_costing *cost, const struct rarog_costs *of,
		      const struct rarog_model_options *options, bool is_of_means,
		      struct rarog_surface *ret_surface);
void rarog_surface_release(struct rarog_surface *surface);

/** rarog_surface_band() - as rarog_normal_form_band(), no end below 0. */
void rarog_surface_band(const struct rarog_surface *surface, const double x[], double level,
			struct rarog_band *ret_band);

#endif
