/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model while it is fitted; between the files that do so. */
#ifndef RAROG_FEATURE_INFLUENCE_OWN_H
#define RAROG_FEATURE_INFLUENCE_OWN_H

#include "feature/influence-values.h"

#define RAROG_INFLUENCE_FEW 8 /* configurations, of which no criterion says much */

struct rarog_fitting {
	size_t n, n_factors;
	const struct rarog_influence_run *runs;
	double *values; /* [n * n_factors] */
	double *y;
	double scale;    /* mean of |y|, that errors are parts of */
	double within;   /* Σ (y - mean of its configuration)², which no term changes */
	uint32_t *group; /* [n]: the first run of its configuration */
	bool has_few;    /* configurations, in all runs that there are */
	struct rarog_influence *model;
};

/** rarog_fitting_term() - the value of @term in run number @run */
double rarog_fitting_term(const struct rarog_fitting *f, const struct rarog_influence_term *term,
			  size_t run);

/** rarog_fitting_fit() - the terms that there are. 0; -EDOM: there are too few runs, or they say
 * the same; -ENOMEM. */
int rarog_fitting_fit(const struct rarog_fitting *f, struct rarog_fit *ret_fit);

/** rarog_fitting_weigh() - say how sure the model's coefficients are, from how far the means of its
 * configurations are from it */
void rarog_fitting_weigh(const struct rarog_fitting *f);

/** rarog_fitting_relative() - how far @told is from @y, as a part of the mean amount */
double rarog_fitting_relative(const struct rarog_fitting *f, double told, double y);

/** rarog_fitting_error() - mean error of @its, as a part of the mean amount */
double rarog_fitting_error(const struct rarog_fitting *f, const struct rarog_fit *its);

/** rarog_fitting_choose() - add terms to the model, of which there are none. 0; -ENOMEM. */
int rarog_fitting_choose(struct rarog_fitting *f);

#endif
