/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel regression in one dimension: the local polynomial about each place, points weighed by a
 * kernel of their distance. Degree 0 is Nadaraya-Watson.
 * Source: Fan, Gijbels, "Local polynomial modelling and its applications", 1996.
 */
#ifndef RAROG_NUM_KERNEL_H
#define RAROG_NUM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "num/cells.h"

#define RAROG_KERNEL_DEGREE 3

struct rarog_kernel_row {
	const char *name;
	double (*weight)(double u);
	double reach; /* beyond it the weight is 0 (normal: less than 1e-14) */
};

/** rarog_kernels - epanechnikov, tricube, normal, epanechnikov4, normal4 (of fourth order), box;
 * NULL at the end */
extern const struct rarog_kernel_row rarog_kernels[];

struct rarog_kernel_fit {
	const struct rarog_kernel_row *kernel;
	unsigned degree;
	double bandwidth;
	double ridge; /* added to the diagonal of the local equations, as a share of their weight */
	const double *errors; /* by cell: what the square of its error counts in scores, if errors
				 are not of one size; NULL: 1 */
};

struct rarog_kernel_value {
	double y;       /* NAN: too few points are near */
	double own;     /* ∂y / ∂y of one point that lies there and weighs 1 */
	double squares; /* Σ l²/w: variance of y is that of one point of weight 1 times this */
};

/** rarog_kernel_at() - the smoothed value at @x of cells sorted by x. Where the points near do not
 * determine a polynomial of that degree, one of a lower. */
struct rarog_kernel_value rarog_kernel_at(const struct rarog_cells *cells,
					  const struct rarog_kernel_fit *fit, double x);

/* What a bandwidth makes of all points. */
struct rarog_kernel_score {
	double left_out; /* Σ weight (y - what the others foretell)² */
	double aicc;     /* Hurvich, Simonoff, Tsai 1998 */
	double trace;
};

/** rarog_kernel_score() - @is_alone: cells that do not count; NULL: all do */
void rarog_kernel_score(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit,
			const bool is_alone[], struct rarog_kernel_score *ret_score);

/** rarog_kernel_scott(), rarog_kernel_silverman() - 1.059 and 0.9 times A n^(-1/5), A the smaller
 * of the deviation and the interquartile range / 1.349 */
double rarog_kernel_scott(const struct rarog_cells *cells);
double rarog_kernel_silverman(const struct rarog_cells *cells);

/** rarog_kernel_search() - the bandwidth of the smallest score: a geometric grid, then Brent.
 * @by_aic: else by what was left out. NAN: none has one. */
double rarog_kernel_search(const struct rarog_cells *cells, struct rarog_kernel_fit fit,
			   bool by_aic);

#endif
