/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/family.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/least-squares.h"
#include "num/nonlinear.h"

#define LEFT_OUT_MAX 0.1 /* share of points that may have no logarithm; one always may */
#define GRID         120 /* places at which a shape is tried first */
#define GRID_CELLS   512 /* and cells, evenly chosen, on which it is */

/* --- linear in all coefficients --- */

/* Rows and y are scaled by the root of their weight. A family whose columns do not differ enough on
 * these points is no error of the program. */
int rarog_family_fit_linear(const struct rarog_data *data, struct rarog_model *model)
{
	size_t n = data->cells.n, p = model->family->n_coefficients;
	rarog_cleanup(rarog_freep) double *rows = calloc(n * (p + 1), sizeof(double));
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	double *y = rows + n * p;
	int r;

	if (!rows)
		return rarog_oom();
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
	memcpy(model->covariance, fit.covariance, p * p * sizeof(double));
	return 0;
}

/* --- c g(x; k) --- */

struct profile {
	const struct rarog_data *data;
	const struct rarog_model *model;
	const struct rarog_shape *shape;
	size_t stride;
};

/* The least squares that k leaves, and the c that does. */
static double left_by(double k, void *arg, double *ret_c)
{
	const struct profile *profile = arg;
	const struct rarog_cells *cells = &profile->data->cells;
	double yy = 0, yg = 0, gg = 0;

	for (size_t i = 0; i < cells->n; i += profile->stride) {
		double weight = profile->data->cell_weights[i], y = cells->y[i],
		       g = profile->shape->value(profile->model, k, cells->x[i]);

		yy += weight * y * y;
		yg += weight * y * g;
		gg += weight * g * g;
	}
	if (!isfinite(gg) || gg <= 0)
		return INFINITY;
	*ret_c = yg / gg;
	return yy - yg * *ret_c;
}

static double left(double k, void *arg)
{
	double c, sum = left_by(k, arg, &c);

	return isfinite(sum) ? sum : 1e300;
}

static void free_minimizer(gsl_min_fminimizer **minimizer)
{
	if (*minimizer)
		gsl_min_fminimizer_free(*minimizer);
}

/* Brent between the neighbours of the best place of the grid. */
static double descend(double low, double at, double high, struct profile *profile)
{
	rarog_cleanup(free_minimizer) gsl_min_fminimizer *minimizer =
		gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
	gsl_function function = { .function = left, .params = profile };

	if (!minimizer || gsl_min_fminimizer_set(minimizer, &function, at, low, high))
		return at;
	for (int i = 0; i < 60; i++) {
		if (gsl_min_fminimizer_iterate(minimizer))
			break;
		low = gsl_min_fminimizer_x_lower(minimizer);
		high = gsl_min_fminimizer_x_upper(minimizer);
		at = gsl_min_fminimizer_x_minimum(minimizer);
		if (gsl_min_test_interval(low, high, 0, 1e-6) == GSL_SUCCESS)
			break;
	}
	return at;
}

static double search(const struct rarog_shape *shape, struct profile *profile)
{
	double step = (shape->high - shape->low) / GRID, best = NAN, least = INFINITY;

	for (int i = 0; i <= GRID; i++) {
		double k = shape->low + step * i, sum = left(k, profile);

		if (sum < least) {
			least = sum;
			best = k;
		}
	}
	return isnan(best) ? best : descend(best - step, best, best + step, profile);
}

static double shape_value(const void *arg, const double b[], size_t i)
{
	const struct profile *profile = arg;

	return b[0] * profile->shape->value(profile->model, b[1], profile->data->cells.x[i]);
}

static void shape_gradient(const void *arg, const double b[], size_t i, double row[])
{
	const struct profile *profile = arg;
	double x = profile->data->cells.x[i];

	row[0] = profile->shape->value(profile->model, b[1], x);
	row[1] = b[0] * profile->shape->slope(profile->model, b[1], x);
}

static int check_k(double k, const struct rarog_shape *shape, const struct rarog_model *model)
{
	if (!isnan(k) && k > shape->low && k < shape->high)
		return 0;
	return rarog_fail(-EDOM, "no %s model comes near these points", model->family->name);
}

int rarog_family_fit_shape(const struct rarog_data *data, const struct rarog_shape *shape,
			   struct rarog_model *model)
{
	size_t n = data->cells.n;
	struct profile profile = { data, model, shape, n / GRID_CELLS + 1 };
	struct rarog_nonlinear problem = { .n = n,
					   .p = 2,
					   .y = data->cells.y,
					   .weights = data->cell_weights,
					   .value = shape_value,
					   .gradient = shape_gradient,
					   .arg = &profile };
	struct rarog_nonlinear_fit fit;
	double b[2] = { 1, search(shape, &profile) };
	int r = check_k(b[1], shape, model);

	if (r < 0)
		return r;
	profile.stride = 1;
	if (!isfinite(left_by(b[1], &profile, &b[0])))
		return rarog_fail(-EDOM, "the %s model is not finite", model->family->name);
	r = rarog_nonlinear_fit(&problem, b, model->covariance, &fit);
	if (r == 0)
		r = check_k(b[1], shape, model);
	if (r == 0)
		memcpy(model->b, b, sizeof(b));
	return r;
}

void rarog_family_change(struct rarog_model *model, double b0, double b1,
			 const double jacobian[2][2])
{
	double old[2][2], *covariance = model->covariance;

	memcpy(old, covariance, sizeof(old));
	memset(covariance, 0, sizeof(old));
	model->b[0] = b0;
	model->b[1] = b1;
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < 2; j++)
			for (size_t k = 0; k < 4; k++)
				covariance[2 * i + j] +=
					jacobian[i][k / 2] * old[k / 2][k % 2] * jacobian[j][k % 2];
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
