/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves through knots: lines between them, level outside. For non-parametric families. */
#ifndef RAROG_MODEL_KNOTS_H
#define RAROG_MODEL_KNOTS_H

#include "model/family.h"

#define RAROG_KNOTS_MAX 16384

/** rarog_knots_make() - room for @n knots. 0, -ENOMEM. */
int rarog_knots_make(struct rarog_model *model, size_t n);

/** rarog_knots_at() - the knot at or before x; the first one if there is none */
size_t rarog_knots_at(const struct rarog_model *model, double x);

double rarog_knots_value(const struct rarog_model *model, double x);
/** rarog_knots_mean() - trapezia */
double rarog_knots_mean(const struct rarog_model *model, double from, double to);

/* One point's smoothed value and what speaks for it. */
struct rarog_smoothed {
	double y, error, deviation; /* y NAN: none here */
};

/** rarog_knots_of() - one knot for each x that has a smoothed value: the means of its points; of
 * more than RAROG_KNOTS_MAX, neighbours are put together. 0; -EDOM fewer than two; -ENOMEM. */
int rarog_knots_of(size_t n, const double x[], const struct rarog_smoothed smoothed[],
		   struct rarog_model *model);

#endif
