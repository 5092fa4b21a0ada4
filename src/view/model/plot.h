/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plot of a model needs: its points, its curve with the bands, and the other curves. */
#ifndef RAROG_VIEW_MODEL_PLOT_H
#define RAROG_VIEW_MODEL_PLOT_H

#include "base/json-writer.h"
#include "model/estimate.h"

#define RAROG_PLOT_HALF  65 /* x of a curve by even steps, and by even factors */
#define RAROG_PLOT_CURVE (2 * RAROG_PLOT_HALF)

/** rarog_plot_choose() - which of the points a plot shows: keep[points.n], zeroed. */
void rarog_plot_choose(const struct rarog_modelled *estimate, bool keep[]);

/** rarog_plot_grid() - the x of the curve of @piece, sorted, so that it is smooth on both kinds of
 * axes. Return: how many. */
size_t rarog_plot_grid(const struct rarog_piece *piece, double x[RAROG_PLOT_CURVE]);

/** rarog_plot_points() - "points": columns x, y, n, value; at most 4,000. 0, -ENOMEM */
int rarog_plot_points(const struct rarog_modelled *estimate, struct rarog_json *json);

/** rarog_plot_curve() - "curve" of piece @i: columns x, value, low, high, low_one, high_one. */
void rarog_plot_curve(const struct rarog_modelled *estimate, size_t i, struct rarog_json *json);

/** rarog_plot_values() - "value": the curve of a candidate at the x of piece @i's curve. */
void rarog_plot_values(const struct rarog_modelled *estimate, size_t i,
		       const struct rarog_model *candidate, struct rarog_json *json);

#endif
