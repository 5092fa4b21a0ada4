/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families with one coefficient that they are not linear in: separable least squares (Golub,
 * Pereyra 1973), by a grid, Brent's minimizer and Levenberg-Marquardt. */
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/family.h"
#include "num/nonlinear.h"

#define GRID       120 /* places of k that are tried first */
#define STEPS      2   /* towards what will be fitted again, by other weights */
#define GRID_CELLS 512 /* and cells, evenly chosen, on which they are */

struct profile {
	const struct rarog_data *data;
	const struct rarog_model *model;
	const struct rarog_shape *shape;
	size_t stride;
};

/* The least squares that k leaves, and the c and a that do. */
static double left_by(double k, const struct profile *profile, double *ret_c, double *ret_a)
{
	const struct rarog_cells *cells = &profile->data->cells;
	double weights = 0, mean_y = 0, mean_g = 0, yy = 0, yg = 0, gg = 0;

	for (size_t i = 0; i < cells->n; i += profile->stride) {
		double weight = profile->data->cell_weights[i], y = cells->y[i],
		       g = profile->shape->value(profile->model, k, cells->x[i]);
		double off_y = y - mean_y, off_g = g - mean_g;

		weights += weight;
		if (profile->shape->has_offset) {
			mean_y += off_y * (weight / weights);
			mean_g += off_g * (weight / weights);
		}
		yy += weight * off_y * (y - mean_y);
		yg += weight * off_g * (y - mean_y);
		gg += weight * off_g * (g - mean_g);
	}
	if (!isfinite(gg) || gg <= 0)
		return INFINITY;
	*ret_c = yg / gg;
	*ret_a = mean_y - *ret_c * mean_g;
	return yy - yg * *ret_c;
}

static double left(double k, void *profile)
{
	double c, a, sum = left_by(k, profile, &c, &a);

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
	gsl_function curve = { .function = left, .params = profile };

	if (!minimizer || gsl_min_fminimizer_set(minimizer, &curve, at, low, high))
		return at;
	for (int i = 0; i < 60 && !gsl_min_fminimizer_iterate(minimizer); i++) {
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

	/* Not at 0 itself, where a shape with an offset is nothing but that. */
	for (int i = 0; i < GRID; i++) {
		double k = shape->low + step * (i + 0.5), sum = left(k, profile);

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
	double a = profile->shape->has_offset ? b[2] : 0;

	return a + b[0] * profile->shape->value(profile->model, b[1], profile->data->cells.x[i]);
}

static void shape_gradient(const void *arg, const double b[], size_t i, double row[])
{
	const struct profile *profile = arg;
	double x = profile->data->cells.x[i];

	row[0] = profile->shape->value(profile->model, b[1], x);
	row[1] = b[0] * profile->shape->slope(profile->model, b[1], x);
	if (profile->shape->has_offset)
		row[2] = 1;
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
	size_t n = data->cells.n, p = model->family->n_coefficients;
	struct profile profile = { data, model, shape, n / GRID_CELLS + 1 };
	struct rarog_nonlinear problem = { .n = n,
					   .p = p,
					   .y = data->cells.y,
					   .weights = data->cell_weights,
					   .value = shape_value,
					   .gradient = shape_gradient,
					   .arg = &profile,
					   .is_near = true,
					   .rounds = data->near ? STEPS : 0 };
	struct rarog_nonlinear_fit fit;
	double b[3] = { 1, data->near ? data->near->shape : search(shape, &profile), 0 };
	int r = model->x_end > model->x_start
			? check_k(b[1], shape, model)
			: rarog_fail(-EDOM, "%s: all x are equal", model->family->name);

	if (r < 0)
		return r;
	profile.stride = 1;
	if (!isfinite(left_by(b[1], &profile, &b[0], &b[2])))
		return rarog_fail(-EDOM, "the %s model is not finite", model->family->name);
	r = rarog_nonlinear_fit(&problem, b, model->covariance, &fit);
	if (r == 0)
		r = check_k(b[1], shape, model);
	if (r < 0)
		return r;
	memcpy(model->b, b, p * sizeof(double));
	model->shape = b[1];
	return 0;
}

void rarog_family_change(struct rarog_model *model, const double b[], const double jacobian[])
{
	size_t p = model->family->n_coefficients;
	double old[RAROG_MODEL_COEFFICIENTS * RAROG_MODEL_COEFFICIENTS];

	memcpy(old, model->covariance, p * p * sizeof(double));
	memcpy(model->b, b, p * sizeof(double));
	for (size_t at = 0; at < p * p; at++) {
		double sum = 0;

		for (size_t k = 0; k < p * p; k++)
			sum += jacobian[at / p * p + k / p] * old[k] * jacobian[at % p * p + k % p];
		model->covariance[at] = sum;
	}
}
