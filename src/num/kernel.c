/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/kernel.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"

#define GRID     24
#define SETTLED  0.01  /* of a bandwidth, which is known far less well */
#define SINGULAR 1e-10 /* of a pivot's own column: points that determine no such degree */

static double epanechnikov(double u)
{
	return fabs(u) <= 1 ? 0.75 * (1 - u * u) : 0;
}

static double tricube(double u)
{
	double rest = 1 - fabs(u * u * u);

	return fabs(u) <= 1 ? 70.0 / 81 * rest * rest * rest : 0;
}

static double normal(double u)
{
	return exp(-u * u / 2) * (M_2_SQRTPI * M_SQRT1_2 / 2);
}

static double epanechnikov4(double u)
{
	return fabs(u) <= 1 ? 9.0 / 8 - 15.0 / 8 * u * u : 0;
}

static double normal4(double u)
{
	return (3 - u * u) / 2 * normal(u);
}

static double box(double u)
{
	return fabs(u) <= 1 ? 0.5 : 0;
}

const struct rarog_kernel_row rarog_kernels[] = {
	{ "epanechnikov", epanechnikov, 1 },
	{ "tricube", tricube, 1 },
	{ "normal", normal, 8 },
	{ "epanechnikov4", epanechnikov4, 1 },
	{ "normal4", normal4, 8 },
	{ "box", box, 1 },
	{ NULL, NULL, 0 },
};

/* --- one place --- */

/* The first cell at or after x. */
static size_t first_at(const struct rarog_cells *cells, double x)
{
	size_t low = 0, high = cells->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cells->x[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Moments of the cells near: Σ k w u^i, Σ k² w u^i and Σ k w u^i y with u = (x - at) / h. */
struct moments {
	double s[2 * RAROG_KERNEL_DEGREE + 1], squared[2 * RAROG_KERNEL_DEGREE + 1];
	double y[RAROG_KERNEL_DEGREE + 1];
	size_t n; /* different places */
};

static void gather(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit, double x,
		   struct moments *m)
{
	double h = fit->bandwidth, reach = h * fit->kernel->reach, last = NAN;

	*m = (struct moments){ .n = 0 };
	for (size_t i = first_at(cells, x - reach); i < cells->n && cells->x[i] <= x + reach; i++) {
		double u = (cells->x[i] - x) / h, k = fit->kernel->weight(u),
		       power = k * cells->weight[i];

		if (k == 0)
			continue;
		m->n += !(cells->x[i] == last);
		last = cells->x[i];
		for (unsigned j = 0; j <= 2 * fit->degree; j++) {
			m->s[j] += power;
			m->squared[j] += k * power;
			if (j <= fit->degree)
				m->y[j] += power * cells->y[i];
			power *= u;
		}
	}
}

/* The first row of (S + ridge)⁻¹, by which the value is a sum of y; false: S is singular. */
static bool solve(const struct moments *m, unsigned degree, double ridge, double row[])
{
	double matrix[(RAROG_KERNEL_DEGREE + 1) * (RAROG_KERNEL_DEGREE + 1)];
	size_t p = degree + 1;
	int sign;

	for (size_t i = 0; i < p * p; i++)
		matrix[i] = m->s[i / p + i % p] + (i / p == i % p && i > 0 ? ridge * m->s[0] : 0);
	gsl_matrix_view a = gsl_matrix_view_array(matrix, p, p);
	gsl_permutation permutation = { p, (size_t[RAROG_KERNEL_DEGREE + 1]){ 0 } };
	double unit[RAROG_KERNEL_DEGREE + 1] = { 1 };
	gsl_vector_view b = gsl_vector_view_array(unit, p), x = gsl_vector_view_array(row, p);

	if (gsl_linalg_LU_decomp(&a.matrix, &permutation, &sign))
		return false;
	for (size_t i = 0; i < p; i++) {
		double size = fabs(m->s[2 * permutation.data[i]]) + ridge * fabs(m->s[0]);

		if (!(fabs(gsl_matrix_get(&a.matrix, i, i)) > SINGULAR * size))
			return false;
	}
	return gsl_linalg_LU_solve(&a.matrix, &permutation, &b.vector, &x.vector) == GSL_SUCCESS;
}

struct rarog_kernel_value rarog_kernel_at(const struct rarog_cells *cells,
					  const struct rarog_kernel_fit *fit, double x)
{
	struct rarog_kernel_value value = { NAN, NAN, NAN };
	double row[RAROG_KERNEL_DEGREE + 1];
	unsigned degree = fit->degree;
	struct moments m;

	gather(cells, fit, x, &m);
	if (m.n == 0)
		return value;
	if (degree >= m.n)
		degree = (unsigned)m.n - 1;
	while (!solve(&m, degree, fit->ridge, row))
		if (degree-- == 0)
			return value;
	value.y = value.squares = 0;
	for (unsigned i = 0; i <= degree; i++) {
		value.y += row[i] * m.y[i];
		for (unsigned j = 0; j <= degree; j++)
			value.squares += row[i] * row[j] * m.squared[i + j];
	}
	value.own = row[0] * fit->kernel->weight(0);
	return value;
}

/* --- bandwidths --- */

/* What has no neighbour at this bandwidth is foretold by its nearest one. */
static double nearest_off(const struct rarog_cells *cells, size_t i)
{
	double before = i > 0 ? cells->x[i] - cells->x[i - 1] : INFINITY,
	       after = i + 1 < cells->n ? cells->x[i + 1] - cells->x[i] : INFINITY;

	return cells->y[i] - cells->y[before < after ? i - 1 : i + 1];
}

void rarog_kernel_score(const struct rarog_cells *cells, const struct rarog_kernel_fit *fit,
			const bool is_alone[], struct rarog_kernel_score *ret_score)
{
	struct rarog_kernel_score score = { 0 };
	double squares = 0, n = cells->points;

	for (size_t i = 0; i < cells->n; i++) {
		struct rarog_kernel_value value = rarog_kernel_at(cells, fit, cells->x[i]);
		double one = cells->weight[i] / cells->count[i], off = cells->y[i] - value.y,
		       rest = 1 - value.own * one, counts = fit->errors ? fit->errors[i] : 1,
		       error = counts * (cells->weight[i] * off * off + cells->spread[i]);

		if (is_alone && is_alone[i])
			continue;
		score.trace += value.own * cells->weight[i];
		squares += error;
		score.left_out +=
			rest > 1e-9 ? error / (rest * rest)
				    : counts * cells->weight[i] * pow(nearest_off(cells, i), 2);
	}
	score.aicc = n > score.trace + 2
			     ? log(squares / n) + 1 + 2 * (score.trace + 1) / (n - score.trace - 2)
			     : INFINITY;
	if (isnan(score.left_out))
		score.left_out = INFINITY;
	*ret_score = score;
}

static double quantile(const struct rarog_cells *cells, double share)
{
	double before = 0;

	for (size_t i = 0; i < cells->n; i++) {
		before += cells->count[i];
		if (before >= share * cells->points)
			return cells->x[i];
	}
	return cells->x[cells->n - 1];
}

static double spread_of(const struct rarog_cells *cells)
{
	double mean = 0, squares = 0, n = 0, range;

	for (size_t i = 0; i < cells->n; i++) {
		double off = cells->x[i] - mean;

		n += cells->count[i];
		mean += off * cells->count[i] / n;
		squares += cells->count[i] * off * (cells->x[i] - mean);
	}
	range = (quantile(cells, 0.75) - quantile(cells, 0.25)) / 1.349;
	squares = sqrt(squares / (n - 1));
	return (range > 0 ? fmin(range, squares) : squares) * pow(n, -0.2);
}

double rarog_kernel_scott(const struct rarog_cells *cells)
{
	return 1.059 * spread_of(cells);
}

double rarog_kernel_silverman(const struct rarog_cells *cells)
{
	return 0.9 * spread_of(cells);
}

struct search {
	const struct rarog_cells *cells;
	bool *is_alone;
	struct rarog_kernel_fit fit;
	bool by_aic;
};

static double score_of(double log_width, void *arg)
{
	struct search *search = arg;
	struct rarog_kernel_score score;

	search->fit.bandwidth = exp(log_width);
	rarog_kernel_score(search->cells, &search->fit, search->is_alone, &score);
	double value = search->by_aic ? score.aicc : log(score.left_out);

	return isfinite(value) ? value : 1e300;
}

static void free_minimizer(gsl_min_fminimizer **minimizer)
{
	if (*minimizer)
		gsl_min_fminimizer_free(*minimizer);
}

static double descend(double low, double at, double high, struct search *search)
{
	rarog_cleanup(free_minimizer) gsl_min_fminimizer *minimizer =
		gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
	gsl_function curve = { .function = score_of, .params = search };

	if (!minimizer || gsl_min_fminimizer_set(minimizer, &curve, at, low, high))
		return at;
	for (int i = 0; i < 12 && !gsl_min_fminimizer_iterate(minimizer); i++) {
		at = gsl_min_fminimizer_x_minimum(minimizer);
		if (gsl_min_fminimizer_x_upper(minimizer) - gsl_min_fminimizer_x_lower(minimizer) <
		    SETTLED)
			break;
	}
	return at;
}

/* Half of the places have a neighbour so near. */
static double typical_gap(const struct rarog_cells *cells)
{
	rarog_cleanup(rarog_freep) double *gaps = calloc(cells->n, sizeof(double));

	if (!gaps)
		return NAN;
	for (size_t i = 1; i < cells->n; i++)
		gaps[i - 1] = cells->x[i] - cells->x[i - 1];
	return gsl_stats_median(gaps, 1, cells->n - 1);
}

/* A single point far from all others is foretold by none of them, whatever the bandwidth; its
 * error, which may be larger than all others' together, says nothing of how smooth they are. */
static void find_alone(const struct rarog_cells *cells, struct rarog_kernel_fit fit,
		       bool is_alone[])
{
	fit.bandwidth = rarog_kernel_scott(cells);
	for (size_t i = 0; i < cells->n; i++)
		is_alone[i] = rarog_kernel_at(cells, &fit, cells->x[i]).own * cells->weight[i] /
				      cells->count[i] >
			      0.95;
}

double rarog_kernel_search(const struct rarog_cells *cells, struct rarog_kernel_fit fit,
			   bool by_aic)
{
	rarog_cleanup(rarog_freep) bool *is_alone = calloc(cells->n, sizeof(bool));
	struct search search = { cells, is_alone, fit, by_aic };
	double range = cells->x[cells->n - 1] - cells->x[0], best = NAN, least = 1e299,
	       low = log(fmin(range / 2, typical_gap(cells))),
	       step = (log(2 * range) - low) / (GRID - 1);

	if (!is_alone)
		return NAN;
	find_alone(cells, fit, is_alone);
	for (int i = 0; i < GRID; i++) {
		double score = score_of(low + step * i, &search);

		if (score < least) {
			least = score;
			best = low + step * i;
		}
	}
	return isnan(best) ? best : exp(descend(best - step, best, best + step, &search));
}
