/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/cells.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"

#define OF_X     (1.0 / 1024)
#define OF_RANGE (1.0 / 4096)
#define LEAST    1e-9

void rarog_cells_release(struct rarog_cells *cells)
{
	free(cells->x);
	*cells = (struct rarog_cells){ 0 };
}

static int allocate(size_t n, struct rarog_cells *cells)
{
	cells->x = calloc(5 * n, sizeof(double));
	if (!cells->x)
		return rarog_oom();
	cells->y = cells->x + n;
	cells->weight = cells->y + n;
	cells->spread = cells->weight + n;
	cells->count = cells->spread + n;
	return 0;
}

/* Means and spread run along (West 1979). */
static void add(struct rarog_cells *cells, size_t k, double x, double y, double weight)
{
	double off = y - cells->y[k];

	cells->weight[k] += weight;
	cells->x[k] += (x - cells->x[k]) * (weight / cells->weight[k]);
	cells->y[k] += off * (weight / cells->weight[k]);
	cells->spread[k] += weight * off * (y - cells->y[k]);
	cells->count[k]++;
	cells->points++;
}

/* How wide cells may be: so much at most, and such a share of their x; but at least @least. */
struct widths {
	double most, share, least;
};

static double width_at(double x, const struct widths *widths)
{
	return fmax(widths->least, fmin(fabs(x) * widths->share, widths->most));
}

/* How many cells there are; they are filled if there are any. */
static size_t divide(size_t n, const double x[], const double y[], const double weights[],
		     const struct widths *widths, struct rarog_cells *cells)
{
	double end = x[0];
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && x[i] > end)
			k++;
		if (i == 0 || x[i] > end)
			end = x[i] + width_at(x[i], widths);
		if (cells->x)
			add(cells, k, x[i], y[i], weights ? weights[i] : 1);
	}
	return k + 1;
}

static int make(size_t n, const double x[], const double y[], const double weights[],
		const struct widths *widths, struct rarog_cells *ret_cells)
{
	struct rarog_cells cells = { 0 };
	int r;

	cells.n = divide(n, x, y, weights, widths, &cells);
	r = allocate(cells.n, &cells);
	if (r < 0)
		return r;
	(void)divide(n, x, y, weights, widths, &cells);
	*ret_cells = cells;
	return 0;
}

int rarog_cells_merge(size_t n, const double x[], const double y[], const double weights[],
		      struct rarog_cells *ret_cells)
{
	return make(n, x, y, weights, &(struct widths){ 0 }, ret_cells);
}

int rarog_cells_equal(size_t n, const double x[], const double y[], const double weights[],
		      size_t places, struct rarog_cells *ret_cells)
{
	size_t each = (n + places - 1) / places, k = 0, in = 0;
	double gap = (x[n - 1] - x[0]) / (double)places;
	int r = allocate(2 * places + 1, ret_cells);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++, in++) {
		if (in > 0 && (in >= each ? x[i] > x[i - 1] : x[i] - x[i - 1] > gap)) {
			k++;
			in = 0;
		}
		add(ret_cells, k, x[i], y[i], weights ? weights[i] : 1);
	}
	ret_cells->n = k + 1;
	return 0;
}

int rarog_cells_make(size_t n, const double x[], const double y[], const double weights[],
		     struct rarog_cells *ret_cells)
{
	struct rarog_cells cells = { 0 };
	double range = x[n - 1] - x[0];
	struct widths widths = { range * OF_RANGE, OF_X, range * LEAST };
	int r;

	if (n > RAROG_CELLS_EXACT)
		return make(n, x, y, weights, &widths, ret_cells);
	r = allocate(n, &cells);
	if (r < 0)
		return r;
	cells.n = n;
	for (size_t i = 0; i < n; i++)
		add(&cells, i, x[i], y[i], weights ? weights[i] : 1);
	*ret_cells = cells;
	return 0;
}
