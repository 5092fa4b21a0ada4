/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cells: neighbours in x put together with their weight, means and spread, which is all that least
 * squares of a function of x want of them. A million points become some ten thousand cells; points
 * that are alone at their x, the rare large ones above all, stay as they are.
 */
#ifndef RAROG_NUM_CELLS_H
#define RAROG_NUM_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#define RAROG_CELLS_EXACT 16384 /* up to so many points each is a cell of its own */

struct rarog_cells {
	size_t n;
	double *x, *y;  /* weighted means */
	double *weight; /* sums of weights */
	double *spread; /* Σ weight (y - mean)² within */
	double *count;  /* points */
	double points;  /* Σ count */
};

/**
 * rarog_cells_make() - of sorted points
 * @weights: above 0; NULL: 1 each
 *
 * A cell is no wider than 1/1024 of its |x| and than 1/4096 of the range of x (and no narrower than
 * a billionth of it), so that a function that is smooth over such a width is fitted with an error
 * below 1e-6 of its own value: (1/1024)²/24 times x² f''/f. Return: 0, -ENOMEM.
 */
int rarog_cells_make(size_t n, const double x[], const double y[], const double weights[],
		     struct rarog_cells *ret_cells);
/** rarog_cells_merge() - the same of so few points that they would be exact; equal x are one. */
int rarog_cells_merge(size_t n, const double x[], const double y[], const double weights[],
		      struct rarog_cells *ret_cells);
/** rarog_cells_equal() - some @places, at most twice as many, of about as many points; those of one
 * x stay together, those with a gap between them that is wider than a place do not */
int rarog_cells_equal(size_t n, const double x[], const double y[], const double weights[],
		      size_t places, struct rarog_cells *ret_cells);
void rarog_cells_release(struct rarog_cells *cells);

#endif
