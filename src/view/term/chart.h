/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in their order as dots, their level as a line, changes of level as marks. */
#ifndef RAROG_VIEW_TERM_CHART_H
#define RAROG_VIEW_TERM_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/units.h"

struct rarog_chart_mark {
	size_t at; /* first value of the new level */
	bool is_worse;
};

struct rarog_chart {
	size_t n; /* at least 1 */
	const double *values;
	size_t n_marks;
	const struct rarog_chart_mark *marks; /* rising */
	struct rarog_amount (*label)(double value);
	const char *left, *right; /* names of the first and the last value */
	int width, height;        /* columns in all, at least 40; lines of dots, at least 3 */
	bool is_ascii, colour;
};

/** rarog_chart_print() - height + 2 lines. 0 or -ENOMEM. */
int rarog_chart_print(const struct rarog_chart *chart, FILE *out);

#endif
