/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that were given the same become one row, their median (what one call lost to another
 * program is no cost of its own); runs that agree to the last instruction say no more than one. Of
 * very many different rows neighbours are put together: x that agree but for their last bits.
 */
#include "model/surface.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define MOST 2048 /* rows of a fit */

void rarog_surface_release(struct rarog_surface *surface)
{
	free(surface->x);
	free(surface->y);
	*surface = (struct rarog_surface){ 0 };
}

struct row {
	uint64_t key[RAROG_NORMAL_VARIABLES]; /* of x, without its last bits */
	double x[RAROG_NORMAL_VARIABLES];
	double y;
};

static uint64_t key_of(double x, unsigned bits)
{
	uint64_t key;

	memcpy(&key, &x, sizeof(key));
	return key >> bits;
}

static int compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	for (size_t v = 0; v < RAROG_NORMAL_VARIABLES; v++)
		if (a->key[v] != b->key[v])
			return a->key[v] < b->key[v] ? -1 : 1;
	return (a->y > b->y) - (a->y < b->y);
}

static bool are_same(const struct row *a, const struct row *b)
{
	return memcmp(a->key, b->key, sizeof(a->key)) == 0;
}

static size_t sort(size_t n, size_t width, struct row rows[], unsigned bits)
{
	size_t different = n > 0;

	for (size_t i = 0; i < n; i++)
		for (size_t v = 0; v < width; v++)
			rows[i].key[v] = key_of(rows[i].x[v], bits);
	qsort(rows, n, sizeof(*rows), compare);
	for (size_t i = 1; i < n; i++)
		different += !are_same(&rows[i], &rows[i - 1]);
	return different;
}

static double median(const struct row rows[], size_t n)
{
	return (rows[(n - 1) / 2].y + rows[n / 2].y) / 2;
}

static double mean(const struct row rows[], size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].y;
	return sum / (double)n;
}

/* rows[from] … rows[to - 1] are of one place, by y. */
static void put(struct rarog_surface *surface, size_t width, size_t from, size_t to,
		const struct row rows[])
{
	double *x = surface->x + surface->n * width;

	for (size_t v = 0; v < width; v++) {
		x[v] = 0;
		for (size_t i = from; i < to; i++)
			x[v] += rows[i].x[v] / (double)(to - from);
	}
	surface->y[surface->n++] = surface->are_typical ? median(rows + from, to - from)
							: mean(rows + from, to - from);
}

static void gather(struct rarog_surface *surface, size_t n, size_t width, struct row rows[])
{
	size_t different = sort(n, width, rows, 0);

	for (unsigned bits = 36; different > MOST && bits < 52; bits++)
		different = sort(n, width, rows, bits);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && are_same(&rows[to], &rows[from]); to++)
			;
		put(surface, width, from, to, rows);
	}
}

static void copy(const struct rarog_rows *from, size_t width, struct row rows[])
{
	for (size_t i = 0; i < from->n; i++) {
		memcpy(rows[i].x, from->x + i * width, width * sizeof(double));
		rows[i].y = from->y[i];
	}
}

/* As they are, or what is typical of each place. */
static int prepare(const struct rarog_costs *of, bool is_of_means, struct rarog_surface *surface)
{
	const struct rarog_rows *from = &surface->cost->rows;
	size_t width = of->n_variables;
	rarog_cleanup(rarog_freep) struct row *rows = calloc(from->n + 1, sizeof(*rows));
	bool are_calls = !of->is_over_runs && of->unit == RAROG_UNIT_NS;

	surface->x = calloc(from->n * width + 1, sizeof(double));
	surface->y = calloc(from->n + 1, sizeof(double));
	if (!rows || !surface->x || !surface->y)
		return rarog_oom();
	copy(from, width, rows);
	surface->are_typical = are_calls && !is_of_means;
	if (surface->are_typical || of->unit != RAROG_UNIT_NS || from->n > MOST) {
		gather(surface, from->n, width, rows);
		return 0;
	}
	memcpy(surface->x, from->x, from->n * width * sizeof(double));
	memcpy(surface->y, from->y, from->n * sizeof(double));
	surface->n = from->n;
	return 0;
}

int rarog_surface_fit(const struct rarog_costing *cost, const struct rarog_costs *of,
		      const struct rarog_model_options *options, bool is_of_means,
		      struct rarog_surface *ret_surface)
{
	rarog_cleanup(rarog_surface_release) struct rarog_surface surface = { .cost = cost };
	int r = prepare(of, is_of_means, &surface);

	if (r == 0)
		r = rarog_normal_form_fit(surface.n, of->n_variables, surface.x, surface.y, options,
					  &surface.form);
	if (r == -EDOM) {
		snprintf(surface.reason, sizeof(surface.reason), "%s",
			 cost->rows.n == 0 && cost->n_unknown > 0 ? cost->why_unknown
								  : rarog_error_message());
		rarog_error_clear();
		r = 0;
	}
	if (r == 0)
		*ret_surface = rarog_take_struct(surface);
	return r;
}

void rarog_surface_band(const struct rarog_surface *surface, const double x[], double level,
			struct rarog_band *ret_band)
{
	struct rarog_band *band = ret_band;

	rarog_normal_form_band(&surface->form, x, level, band);
	band->low = isnan(band->low) ? NAN : fmax(0, band->low);
	band->low_one = isnan(band->low_one) ? NAN : fmax(0, band->low_one);
}
