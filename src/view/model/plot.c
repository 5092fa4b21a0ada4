/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of many points those are drawn that are rare in x, so many of the others, and the two that the
 * curve misses most: no plot shows more, and none may hide these.
 */
#include "view/model/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define MOST  4000 /* points; of them … */
#define STEPS 1000 /* … at most so many because there is no other near */
#define HALF  RAROG_PLOT_HALF

/* --- points --- */

static double value_at(const struct rarog_modelled *e, double x)
{
	const struct rarog_model *model = rarog_estimate_at(e, x);

	return model ? rarog_model_value(model, x) : NAN;
}

static void keep_worst(const struct rarog_modelled *e, bool keep[])
{
	double low = 0, high = 0;
	size_t least = 0, most = 0;

	for (size_t i = 0; i < e->points.n; i++) {
		double residual = e->points.y[i] - value_at(e, e->points.x[i]);

		if (residual < low) {
			low = residual;
			least = i;
		}
		if (residual > high) {
			high = residual;
			most = i;
		}
	}
	keep[least] = keep[most] = true;
}

void rarog_plot_choose(const struct rarog_modelled *e, bool keep[])
{
	const struct rarog_points *points = &e->points;
	size_t n = points->n, step = n <= MOST ? 1 : n / (MOST - STEPS - 4) + 1;
	double gap = n > 0 ? (points->x[n - 1] - points->x[0]) / STEPS : 0, last = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		keep[i] = i % step == 0 || i + 1 == n || points->x[i] - last > gap;
		last = keep[i] ? points->x[i] : last;
	}
	if (n > 0)
		keep_worst(e, keep);
}

#define COLUMN(json, key, e, keep, value)                                                          \
	do {                                                                                       \
		rarog_json_array(json, key);                                                       \
		for (size_t i = 0; i < (e)->points.n; i++)                                         \
			if ((keep)[i])                                                             \
				rarog_json_double(json, NULL, value);                              \
		rarog_json_end_array(json);                                                        \
	} while (0)

int rarog_plot_points(const struct rarog_modelled *estimate, struct rarog_json *json)
{
	const struct rarog_points *points = &estimate->points;
	rarog_cleanup(rarog_freep) bool *keep = calloc(points->n + 1, sizeof(*keep));

	if (!keep)
		return rarog_oom();
	rarog_plot_choose(estimate, keep);
	rarog_json_object(json, "points");
	COLUMN(json, "x", estimate, keep, points->x[i]);
	COLUMN(json, "y", estimate, keep, points->y[i]);
	rarog_json_array(json, "n");
	for (size_t i = 0; points->w && i < points->n; i++)
		if (keep[i])
			rarog_json_double(json, NULL, points->w[i]);
	rarog_json_end_array(json);
	COLUMN(json, "value", estimate, keep, value_at(estimate, points->x[i]));
	rarog_json_end_object(json);
	return 0;
}

/* --- curves --- */

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

size_t rarog_plot_grid(const struct rarog_piece *piece, double x[RAROG_PLOT_CURVE])
{
	size_t n = 0;

	for (size_t i = 0; i < HALF; i++)
		x[n++] = piece->from + (piece->to - piece->from) * (double)i / (HALF - 1);
	for (size_t i = 1; piece->from > 0 && i + 1 < HALF; i++)
		x[n++] = piece->from * pow(piece->to / piece->from, (double)i / (HALF - 1));
	x[HALF - 1] = piece->to;
	qsort(x, n, sizeof(*x), by_size);
	return n;
}

static const struct {
	const char *key;
	size_t offset; /* of a double in struct rarog_band */
} columns[] = {
	{ "value", offsetof(struct rarog_band, value) },
	{ "low", offsetof(struct rarog_band, low) },
	{ "high", offsetof(struct rarog_band, high) },
	{ "low_one", offsetof(struct rarog_band, low_one) },
	{ "high_one", offsetof(struct rarog_band, high_one) },
};

static double member(const struct rarog_band *band, size_t offset)
{
	double value;

	memcpy(&value, (const char *)band + offset, sizeof(value));
	return value;
}

void rarog_plot_curve(const struct rarog_modelled *estimate, size_t i, struct rarog_json *json)
{
	struct rarog_band bands[RAROG_PLOT_CURVE];
	double x[RAROG_PLOT_CURVE];
	size_t n = rarog_plot_grid(&estimate->pieces.v[i], x);

	for (size_t k = 0; k < n; k++)
		rarog_estimate_band(estimate, x[k], RAROG_ESTIMATE_LEVEL, &bands[k]);
	rarog_json_object(json, "curve");
	rarog_json_array(json, "x");
	for (size_t k = 0; k < n; k++)
		rarog_json_double(json, NULL, x[k]);
	rarog_json_end_array(json);
	for (size_t c = 0; c < RAROG_COUNT(columns); c++) {
		rarog_json_array(json, columns[c].key);
		for (size_t k = 0; k < n; k++)
			rarog_json_double(json, NULL, member(&bands[k], columns[c].offset));
		rarog_json_end_array(json);
	}
	rarog_json_end_object(json);
}

void rarog_plot_values(const struct rarog_modelled *estimate, size_t i,
		       const struct rarog_model *candidate, struct rarog_json *json)
{
	double x[RAROG_PLOT_CURVE];
	size_t n = rarog_plot_grid(&estimate->pieces.v[i], x);

	rarog_json_array(json, "value");
	for (size_t k = 0; k < n; k++)
		rarog_json_double(json, NULL, rarog_model_value(candidate, x[k]));
	rarog_json_end_array(json);
}
