/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points as dots, and the curve through them as a line. */
#ifndef RAROG_VIEW_TERM_SCATTER_H
#define RAROG_VIEW_TERM_SCATTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/units.h"

struct rarog_scatter {
	size_t n; /* at least 1 */
	const double *x, *y;
	double (*curve)(const void *model, double x); /* NAN: not there; NULL: no curve */
	const void *model;
	double at; /* the axis reaches to there, too; NAN: no more than the points */
	struct rarog_amount (*x_label)(double x), (*y_label)(double y);
	int width, height; /* columns in all, at least 40; lines of dots, at least 3 */
	bool is_ascii, colour;
};

/** rarog_scatter_print() - height + 2 lines. Where x is above 0 and reaches over two decades, and y
 * is above 0, both axes are logarithmic, and say so. 0 or -ENOMEM. */
int rarog_scatter_print(const struct rarog_scatter *scatter, FILE *out);

#endif
