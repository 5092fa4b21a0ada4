/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where one law of cost ends and another begins: at a cache's size, at a change of algorithm. The
 * ends are those with the smallest sum of squares (Bellman 1961: the best k segments up to a place
 * are the best k - 1 up to some place before it, and one more), each segment being as good as the
 * best of a constant and of lines in ln x, x, x ln x, x², x³. Their number is that of the smallest
 * criterion of Schwarz; one more has to make it much smaller.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/fit.h"
#include "model/pieces-own.h"

#define MOST      5
#define PLACES    200   /* at which a segment may end */
#define LEAST     3     /* places of one */
#define EVIDENCE  10.0  /* of the criterion, for one more */
#define ROUNDING  1e-13 /* of the sum of squares: so much is left of exact data */
#define PER_PIECE 4     /* parameters: two coefficients, an end, and which line it is */

/* Lines in g(x), summed up as places are added. */
struct line {
	double weight, mean_g, mean_y, gg, gy, yy;
};

enum { LINES = 5 };

static void columns(double x, double row[LINES])
{
	double ln = x > 0 ? log(x) : 0;

	row[0] = ln;
	row[1] = x;
	row[2] = x * ln;
	row[3] = x * x;
	row[4] = x * x * x;
}

static void add(struct line *line, double weight, double g, double y)
{
	double off_g = g - line->mean_g, off_y = y - line->mean_y;

	line->weight += weight;
	line->mean_g += off_g * (weight / line->weight);
	line->mean_y += off_y * (weight / line->weight);
	line->gg += weight * off_g * (g - line->mean_g);
	line->gy += weight * off_g * (y - line->mean_y);
	line->yy += weight * off_y * (y - line->mean_y);
}

struct plan {
	size_t n, most;         /* places, segments */
	double points, squares; /* squares: Σ of y */
	double *cost;           /* [n × n]: of places i … j as one segment */
	double *best;           /* [most × n]: of k + 1 segments up to place j */
	size_t *before;         /* [most × n]: the last place of the one before; n: none */
};

static void plan_release(struct plan *plan)
{
	free(plan->cost);
	free(plan->before);
}

static int plan_make(const struct rarog_data *data, size_t most, struct plan *plan)
{
	plan->n = data->cells.n;
	plan->most = most;
	plan->points = (double)data->n;
	plan->cost = calloc(plan->n * plan->n + most * plan->n, sizeof(double));
	plan->before = calloc(most * plan->n, sizeof(size_t));
	if (!plan->cost || !plan->before)
		return rarog_oom();
	plan->best = plan->cost + plan->n * plan->n;
	return 0;
}

static double least_of(const struct line lines[LINES], double spread)
{
	double least = lines[0].yy;

	for (int k = 0; k < LINES; k++)
		if (lines[k].gg > 0)
			least = fmin(least, lines[k].yy - lines[k].gy * lines[k].gy / lines[k].gg);
	return fmax(0, least) + spread;
}

static void fill_costs(const struct rarog_data *data, struct plan *plan)
{
	const struct rarog_cells *cells = &data->cells;

	for (size_t i = 0; i < plan->n; i++) {
		struct line lines[LINES] = { 0 };
		double row[LINES], spread = 0;

		for (size_t j = i; j < plan->n; j++) {
			columns(cells->x[j], row);
			for (int k = 0; k < LINES; k++)
				add(&lines[k], data->cell_weights[j], row[k], cells->y[j]);
			spread += data->cell_weights[j] * cells->spread[j] / cells->weight[j];
			plan->cost[i * plan->n + j] =
				j < i + LEAST - 1 ? INFINITY : least_of(lines, spread);
		}
		plan->squares += data->cell_weights[i] * cells->y[i] * cells->y[i];
	}
}

static void find_ends(struct plan *plan)
{
	size_t n = plan->n;

	for (size_t j = 0; j < n; j++) {
		plan->best[j] = plan->cost[j];
		plan->before[j] = n;
	}
	for (size_t k = 1; k < plan->most; k++)
		for (size_t j = 0; j < n; j++) {
			double *best = &plan->best[k * n + j];

			*best = INFINITY;
			for (size_t i = 0; i < j; i++) {
				double sum =
					plan->best[(k - 1) * n + i] + plan->cost[(i + 1) * n + j];

				if (sum < *best) {
					*best = sum;
					plan->before[k * n + j] = i;
				}
			}
		}
}

/* Below what rounding leaves, less is no better. */
static size_t how_many(const struct plan *plan)
{
	double least = INFINITY, nothing = fmax(ROUNDING * plan->squares, 1e-300);
	size_t segments = 1;

	for (size_t k = 0; k < plan->most; k++) {
		double sum = fmax(plan->best[k * plan->n + plan->n - 1], nothing),
		       criterion = plan->points * log(sum / plan->points) +
				   (double)(PER_PIECE * (k + 1)) * log(plan->points);

		if (k == 0 || criterion < least - EVIDENCE * (double)(k + 1 - segments)) {
			least = criterion;
			segments = k + 1;
		}
	}
	return segments;
}

/* The number of the first point after place @at. */
static size_t point_after(const struct rarog_part *all, const struct rarog_cells *cells, size_t at)
{
	double end = 0;

	for (size_t i = 0; i <= at; i++)
		end += cells->count[i];
	return (size_t)end < all->n ? (size_t)end : all->n;
}

static int cut(const struct rarog_part *all, const struct rarog_data *data, const struct plan *plan,
	       const struct rarog_pieces_options *options, struct rarog_pieces *pieces)
{
	size_t segments = how_many(plan), ends[MOST * 4], at = plan->n - 1, from = 0;
	int r = 0;

	for (size_t k = segments; k-- > 0;) {
		ends[k] = at;
		at = plan->before[k * plan->n + at];
	}
	for (size_t k = 0; r == 0 && k < segments; k++) {
		size_t to = point_after(all, &data->cells, ends[k]);
		struct rarog_part part = rarog_part_of(all, from, to);
		struct rarog_piece piece;

		r = rarog_piece_fit(&part, options, &piece);
		if (r == 0)
			r = rarog_piece_add(pieces, &piece);
		from = to;
	}
	return r;
}

/* Places: the different x, or so many with about as many points each. */
static int make_places(const struct rarog_part *all, struct rarog_data *data)
{
	struct rarog_cells merged = { 0 };
	int r = rarog_cells_merge(all->n, all->x, all->y, all->weights, &merged);

	if (r == 0 && merged.n > PLACES) {
		rarog_cells_release(&merged);
		r = rarog_cells_equal(all->n, all->x, all->y, all->weights, PLACES, &merged);
	}
	if (r < 0)
		return r;
	rarog_cells_release(&data->cells);
	data->cells = merged;
	return 0;
}

static int weigh(struct rarog_data *data)
{
	rarog_cleanup(rarog_freep) double *levels = calloc(data->cells.n, sizeof(double));
	double power = 0;

	if (!levels)
		return rarog_oom();
	if (data->options->errors != RAROG_ERRORS_CONSTANT && rarog_weigh_levels(data, levels))
		power = data->options->errors == RAROG_ERRORS_RELATIVE
				? 1
				: rarog_weigh_power(data, levels);
	rarog_weigh(data, levels, isnan(power) ? 1 : power);
	return 0;
}

int rarog_pieces_of_segments(const struct rarog_part *all,
			     const struct rarog_pieces_options *options,
			     struct rarog_pieces *pieces)
{
	rarog_cleanup(rarog_data_release) struct rarog_data data = { 0 };
	rarog_cleanup(plan_release) struct plan plan = { 0 };
	struct rarog_model_options with = options->model;
	size_t most = options->steps ? options->steps : MOST;
	int r;

	with.weights = all->weights;
	if (most > MOST * 4)
		return rarog_fail(-EINVAL, "segments: %zu are too many; at most %d", most,
				  MOST * 4);
	r = rarog_data_make(all->n, all->x, all->y, &with, &data);
	if (r == 0)
		r = make_places(all, &data);
	if (r == 0 && data.cells.n < LEAST)
		r = rarog_fail(-EDOM, "segments: %zu different x are too few", data.cells.n);
	if (r == 0)
		r = weigh(&data);
	if (r == 0)
		r = plan_make(&data, most, &plan);
	if (r < 0)
		return r;
	fill_costs(&data, &plan);
	find_ends(&plan);
	return cut(all, &data, &plan, options, pieces);
}
