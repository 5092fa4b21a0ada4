/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a Perun profile says about amounts that depend on something: its points and its models. */
#ifndef RAROG_IMPORT_PERUN_CURVES_H
#define RAROG_IMPORT_PERUN_CURVES_H

#include "import/perun.h"

/* Texts are the profile's. */
struct rarog_perun_point {
	const char *function;
	double x; /* structure size, else order of the call, else number of the workload */
	double y; /* amount in ns, or in its own unit */
	bool is_time;
};

struct rarog_perun_curve {
	const char *function;
	const char *family; /* as Perun calls it: "linear", "moving_average" */
	double r2;          /* as Perun computed it, of some families on a scale of logarithms */
	double x_start, x_end;
	double scale;    /* times this are values in ns */
	size_t n_values; /* of a curve through equidistant points; 0: there are coefficients */
	double *values;
	size_t n_coefficients;
	double coefficients[4];
};

/* Return 0 to go on, else what the walk shall return. */
typedef int (*rarog_perun_point_fn)(void *arg, const struct rarog_perun_point *point);
typedef int (*rarog_perun_curve_fn)(void *arg, const struct rarog_perun_curve *curve);

/** rarog_perun_points() - every resource that has an x, as they stand there;
 * NAN: a value that is no finite number. 0, or what @each
 * said. */
int rarog_perun_points(const struct rarog_perun *perun, rarog_perun_point_fn each, void *arg);

/** rarog_perun_curves() - every model that is whole: finite numbers, an interval. 0; -ENOMEM, or
 * what @each said. */
int rarog_perun_curves(const struct rarog_perun *perun, rarog_perun_curve_fn each, void *arg);

#endif
