/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/family.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/least-squares.h"

#define LEFT_OUT_MAX 0.1 /* share of points that may have no logarithm; one always may */

/* A family whose columns do not differ enough on these points is no error of the program. */
static int fit(size_t n, size_t p, const double *columns, const double *y,
	       struct rarog_model *model)
{
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	int r = rarog_least_squares(n, p, columns, y, true, &fit);

	if (r < 0)
		return r;
	memcpy(model->b, fit.b, p * sizeof(double));
	return 0;
}

int rarog_family_fit_columns(size_t n, const double x[], const double y[],
			     void (*columns)(double x, double row[]), struct rarog_model *model)
{
	size_t p = model->family->n_coefficients;
	rarog_cleanup(rarog_freep) double *rows = calloc(n * p, sizeof(double));

	if (!rows)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		columns(fmax(x[i], model->x_floor), rows + i * p);
	return fit(n, p, rows, y, model);
}

static int too_few(size_t left, size_t n, const char *what)
{
	if (left >= 3 && (double)(n - left) <= fmax(1, LEFT_OUT_MAX * (double)n))
		return 0;
	return rarog_fail(-EDOM, "%zu of %zu points have no logarithm of %s", n - left, n, what);
}

int rarog_family_set_floor(size_t n, const double x[], struct rarog_model *model)
{
	size_t first = 0;

	while (first < n && x[first] <= 0)
		first++;
	if (first < n)
		model->x_floor = x[first];
	return too_few(n - first, n, "x");
}

int rarog_family_fit_logs(size_t n, const double x[], const double y[], bool is_log_x,
			  struct rarog_model *model)
{
	rarog_cleanup(rarog_freep) double *rows = calloc(n * 3, sizeof(double));
	double *logs = rows ? rows + 2 * n : NULL;
	size_t left = 0;
	int r;

	if (!rows)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		if (y[i] <= 0 || (is_log_x && x[i] <= 0))
			continue;
		rows[2 * left] = 1;
		rows[2 * left + 1] = is_log_x ? log(x[i]) : x[i];
		logs[left++] = log(y[i]);
	}
	r = too_few(left, n, is_log_x ? "x and y" : "y");
	if (r == 0)
		r = fit(left, 2, rows, logs, model);
	if (r == 0)
		model->b[0] = exp(model->b[0]);
	return r;
}

int rarog_family_knots(struct rarog_model *model, size_t n)
{
	model->knots_x = calloc(2 * n, sizeof(double));
	if (!model->knots_x)
		return rarog_oom();
	model->knots_y = model->knots_x + n;
	model->n_knots = n;
	return 0;
}
