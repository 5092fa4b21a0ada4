/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/family.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/least-squares.h"

#define ROUNDING     1e-14
#define LEFT_OUT_MAX 0.1 /* share of points that may have no logarithm; one always may */

/* --- linear in all coefficients --- */

/* A term of which all values are rounding errors of the largest y is none. */
static void drop_rounding(size_t n, size_t p, const double rows[], const double y[], double b[])
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(y[i]));
	for (size_t j = 0; j < p; j++) {
		double term = 0;

		for (size_t i = 0; i < n; i++)
			term = fmax(term, fabs(b[j] * rows[i * p + j]));
		if (term < ROUNDING * most)
			b[j] = 0;
	}
}

/* Rows and y are scaled by the root of their weight. A family whose columns do not differ enough on
 * these points is no error of the program. */
int rarog_family_fit_linear(const struct rarog_data *data, struct rarog_model *model)
{
	size_t n = data->cells.n, p = model->family->n_coefficients;
	rarog_cleanup(rarog_freep) double *rows = calloc(n * (p + 1), sizeof(double));
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	double *y;
	int r;

	if (!rows)
		return rarog_oom();
	y = rows + n * p;
	for (size_t i = 0; i < n; i++) {
		double root = sqrt(data->cell_weights[i]);

		model->family->gradient(model, data->cells.x[i], rows + i * p);
		for (size_t j = 0; j < p; j++)
			rows[i * p + j] *= root;
		y[i] = data->cells.y[i] * root;
	}
	r = rarog_least_squares(n, p, rows, y, true, &fit);
	if (r < 0)
		return r;
	memcpy(model->b, fit.b, p * sizeof(double));
	drop_rounding(n, p, rows, y, model->b);
	memcpy(model->covariance, fit.covariance, p * p * sizeof(double));
	return 0;
}

/* --- logarithms --- */

static int too_few(size_t left_out, size_t n, const char *what)
{
	if (n - left_out >= 3 && (double)left_out <= fmax(1, LEFT_OUT_MAX * (double)n))
		return 0;
	return rarog_fail(-EDOM, "%zu of %zu points have no logarithm of %s", left_out, n, what);
}

/* Rows of 1 and g(x), logarithms of y after them; how many there are. */
static size_t take_logs(const struct rarog_data *data, bool is_log_x, double rows[])
{
	const struct rarog_cells *cells = &data->cells;
	double *logs = rows + 2 * cells->n;
	size_t left = 0;

	for (size_t i = 0; i < cells->n; i++) {
		double root = sqrt(cells->weight[i]), x = cells->x[i];

		if (cells->y[i] <= 0 || (is_log_x && x <= 0))
			continue;
		rows[2 * left] = root;
		rows[2 * left + 1] = root * (is_log_x ? log(x) : x);
		logs[left++] = root * log(cells->y[i]);
	}
	return left;
}

static double r2_of_logs(const struct rarog_fit *fit, const double rows[], const double logs[])
{
	double weight = 0, mean = 0, total = 0;

	for (size_t i = 0; i < fit->n; i++) {
		weight += rows[2 * i] * rows[2 * i];
		mean += (logs[i] - mean * rows[2 * i]) * rows[2 * i] / weight;
	}
	for (size_t i = 0; i < fit->n; i++)
		total += pow(logs[i] - mean * rows[2 * i], 2);
	return total > 0 ? 1 - fit->residual_ss / total : 1;
}

int rarog_family_fit_logs(const struct rarog_data *data, bool is_log_x, struct rarog_model *model)
{
	size_t n = data->cells.n, left;
	rarog_cleanup(rarog_freep) double *rows = calloc(3 * n, sizeof(double));
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	int r;

	if (!rows)
		return rarog_oom();
	left = take_logs(data, is_log_x, rows);
	model->left_out = n - left;
	r = too_few(n - left, n, is_log_x ? "x and y" : "y");
	if (r == 0)
		r = rarog_least_squares(left, 2, rows, rows + 2 * n, true, &fit);
	if (r < 0)
		return r;
	memcpy(model->b, fit.b, 2 * sizeof(double));
	memcpy(model->covariance, fit.covariance, 4 * sizeof(double));
	model->r2_logs = r2_of_logs(&fit, rows, rows + 2 * n);
	return 0;
}

/* --- all of them --- */

int rarog_family_set_floor(const struct rarog_data *data, struct rarog_model *model)
{
	size_t n = data->n, first = 0;

	while (first < n && data->x[first] <= 0)
		first++;
	int r = too_few(first, n, "x");

	if (r < 0)
		return r;
	model->x_floor = data->x[first];
	model->left_out = first;
	return 0;
}
