/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the error of one y grows with y, and what each cell counts because of it. Times are off by so
 * many percent: with equal weights the largest input of three decades would decide alone, and what
 * the small ones say of the shape would be lost.
 */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "model/fit.h"

#define REPEATED 8 /* degrees of freedom that tell how errors grow */

void rarog_weigh(struct rarog_data *data, const double levels[], double power)
{
	for (size_t i = 0; i < data->cells.n; i++)
		data->cell_weights[i] =
			data->cells.weight[i] * (power > 0 ? pow(levels[i], -2 * power) : 1);
}

bool rarog_weigh_by_model(struct rarog_data *data, const struct rarog_model *model, double power)
{
	const struct rarog_cells *cells = &data->cells;
	double least = INFINITY;

	for (size_t i = 0; i < cells->n; i++)
		least = fmin(least, rarog_model_value(model, cells->x[i]));
	if (!(least > 0))
		return false;
	for (size_t i = 0; i < cells->n; i++)
		data->cell_weights[i] =
			cells->weight[i] * pow(rarog_model_value(model, cells->x[i]), -2 * power);
	return true;
}

/* --- levels --- */

/* Cells of one x. */
struct group {
	double x, y, weight, count, spread;
	size_t from, to;
};

static size_t make_groups(const struct rarog_cells *cells, struct group groups[])
{
	size_t n = 0;

	for (size_t i = 0; i < cells->n; i++) {
		struct group *group = &groups[n];

		if (i == 0 || cells->x[i] > groups[n - 1].x)
			*group = (struct group){ .x = cells->x[i], .from = i };
		else
			group = &groups[--n];
		double off = cells->y[i] - group->y;

		group->weight += cells->weight[i];
		group->y += off * (cells->weight[i] / group->weight);
		group->spread +=
			cells->spread[i] + cells->weight[i] * off * (cells->y[i] - group->y);
		group->count += cells->count[i];
		group->to = i + 1;
		n++;
	}
	return n;
}

static double place(const struct group *group, bool is_log)
{
	return is_log ? log(group->x) : group->x;
}

/* The line through the logarithms of @at and two neighbours on each side, at @at. */
static double level_of(const struct group groups[], size_t n, size_t at, bool is_log)
{
	size_t from = at > 2 ? at - 2 : 0, to = at + 3 < n ? at + 3 : n;
	double weight = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0;

	for (size_t i = from; i < to; i++) {
		double x = place(&groups[i], is_log), y = log(groups[i].y), w = groups[i].weight,
		       off = x - mean_x;

		weight += w;
		mean_x += off * (w / weight);
		mean_y += (y - mean_y) * (w / weight);
		xx += w * off * (x - mean_x);
		xy += w * off * (y - mean_y);
	}
	return exp(mean_y + (xx > 0 ? xy / xx * (place(&groups[at], is_log) - mean_x) : 0));
}

bool rarog_weigh_levels(const struct rarog_data *data, double levels[])
{
	rarog_cleanup(rarog_freep) struct group *groups =
		calloc(data->cells.n + 1, sizeof(struct group));
	size_t n = groups ? make_groups(&data->cells, groups) : 0;

	for (size_t i = 0; i < n; i++)
		if (!(groups[i].y > 0))
			return false;
	for (size_t i = 0; i < n; i++) {
		double level = level_of(groups, n, i, groups[0].x > 0);

		for (size_t k = groups[i].from; k < groups[i].to; k++)
			levels[k] = level;
	}
	return n > 0;
}

/* --- the power --- */

static double likelihood(const struct group groups[], size_t n, const double levels[], double power)
{
	double freedom = 0, squares = 0, logs = 0;

	for (size_t i = 0; i < n; i++) {
		double level = levels[groups[i].from];

		freedom += groups[i].count - 1;
		squares += groups[i].spread * pow(level, -2 * power);
		logs += (groups[i].count - 1) * log(level);
	}
	return -freedom / 2 * log(squares / freedom) - power * logs;
}

double rarog_weigh_power(const struct rarog_data *data, const double levels[])
{
	static const double powers[] = { 0, 0.5, 1 };
	rarog_cleanup(rarog_freep) struct group *groups =
		calloc(data->cells.n + 1, sizeof(struct group));
	size_t n = groups ? make_groups(&data->cells, groups) : 0;
	double best = NAN, most = -INFINITY, freedom = 0, spread = 0;

	for (size_t i = 0; i < n; i++) {
		freedom += groups[i].count - 1;
		spread += groups[i].spread;
	}
	if (freedom < REPEATED || !(spread > 0))
		return NAN;
	for (size_t i = 0; i < RAROG_COUNT(powers); i++) {
		double one = likelihood(groups, n, levels, powers[i]);

		if (one > most) {
			most = one;
			best = powers[i];
		}
	}
	return best;
}
