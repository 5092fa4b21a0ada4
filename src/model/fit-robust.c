/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * M-estimates by iteratively reweighted least squares: what is far off counts less (Huber 1964,
 * k = 1.345) or nothing (Tukey's biweight, c = 4.685); both have 95 % of the efficiency of least
 * squares on normal errors. The scale is the median size of the residuals / 0.6745. Tukey's begins
 * where Huber's ends, because it has many minima. Covariance: Huber 1981, section 7.6, first
 * formula.
 */
#include <errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/fit.h"

#define NORMAL  0.6744897501960817 /* the median size of normal errors of deviation 1 */
#define ROUNDS  30
#define SETTLED 1e-8
#define NOT_OFF 1e-12 /* of the largest y: residuals that are rounding */

struct influence {
	/* psi(u) / u, and psi'(u) */
	double (*weight)(double u);
	double (*slope)(double u);
};

static double huber_weight(double u)
{
	return fabs(u) <= 1.345 ? 1 : 1.345 / fabs(u);
}

static double huber_slope(double u)
{
	return fabs(u) <= 1.345;
}

static double tukey_weight(double u)
{
	double t = u / 4.685;

	return fabs(t) < 1 ? (1 - t * t) * (1 - t * t) : 0;
}

static double tukey_slope(double u)
{
	double t = u / 4.685;

	return fabs(t) < 1 ? (1 - t * t) * (1 - 5 * t * t) : 0;
}

static const struct influence influences[] = {
	[RAROG_ROBUST_HUBER] = { huber_weight, huber_slope },
	[RAROG_ROBUST_TUKEY] = { tukey_weight, tukey_slope },
};

struct work {
	struct rarog_data *data;
	double *base;     /* weights before */
	double *residual; /* √base (y - f) */
	double *sizes;
	double scale;
};

static void work_release(struct work *work)
{
	free(work->base);
}

static int work_make(struct rarog_data *data, struct work *work)
{
	size_t n = data->cells.n;

	work->data = data;
	work->base = calloc(3 * n, sizeof(double));
	if (!work->base)
		return rarog_oom();
	work->residual = work->base + n;
	work->sizes = work->residual + n;
	memcpy(work->base, data->cell_weights, n * sizeof(double));
	return 0;
}

/* Residuals of the model, and their scale; false: there is none. */
static bool look(struct work *work, const struct rarog_model *model)
{
	const struct rarog_cells *cells = &work->data->cells;
	size_t n = cells->n;
	double largest = 0;

	for (size_t i = 0; i < n; i++) {
		double root = sqrt(work->base[i]);

		work->residual[i] = root * (cells->y[i] - rarog_model_value(model, cells->x[i]));
		work->sizes[i] = fabs(work->residual[i]);
		largest = fmax(largest, root * fabs(cells->y[i]));
	}
	work->scale = gsl_stats_median(work->sizes, 1, n) / NORMAL;
	return work->scale > NOT_OFF * largest;
}

static void reweigh(struct work *work, const struct influence *influence)
{
	for (size_t i = 0; i < work->data->cells.n; i++)
		work->data->cell_weights[i] =
			work->base[i] *
			fmax(1e-10, influence->weight(work->residual[i] / work->scale));
}

static bool has_settled(const struct rarog_model *a, const struct rarog_model *b, size_t p)
{
	double most = 0;

	for (size_t i = 0; i < p; i++)
		most = fmax(most, fabs(a->b[i] - b->b[i]) / fmax(fabs(b->b[i]), 1e-300));
	return most < SETTLED;
}

/* 0, -EDOM, -ENOMEM. */
static int iterate(struct work *work, const struct influence *influence, struct rarog_model *model)
{
	double power = model->error_power;

	for (int i = 0; i < ROUNDS && look(work, model); i++) {
		struct rarog_model next = { 0 };

		reweigh(work, influence);
		work->data->near = model;
		int r = rarog_fit_family(model->family, work->data, power, &next);

		work->data->near = NULL;
		if (r < 0)
			return r;
		bool settled = has_settled(&next, model, model->family->n_coefficients);

		*model = next; /* parametric ones own nothing */
		if (settled)
			break;
	}
	return 0;
}

/* --- errors --- */

static void fill_normal(const struct work *work, const struct rarog_model *model,
			gsl_matrix *normal)
{
	const struct rarog_cells *cells = &work->data->cells;
	double row[RAROG_MODEL_COEFFICIENTS];

	gsl_matrix_set_zero(normal);
	for (size_t i = 0; i < cells->n; i++) {
		model->family->gradient(model, cells->x[i], row);
		for (size_t j = 0; j < normal->size1; j++)
			for (size_t k = 0; k < normal->size1; k++)
				*gsl_matrix_ptr(normal, j, k) += work->base[i] * row[j] * row[k];
	}
}

static double variance_of(const struct work *work, const struct influence *influence, double p)
{
	double n = (double)work->data->cells.n, squares = 0, slope = 0, slopes = 0;

	for (size_t i = 0; i < work->data->cells.n; i++) {
		double u = work->residual[i] / work->scale, psi = influence->weight(u) * u,
		       one = influence->slope(u);

		squares += psi * psi;
		slope += one;
		slopes += one * one;
	}
	slope /= n;
	double spread = slopes / n - slope * slope, kappa = 1 + p / n * spread / (slope * slope);

	return kappa * kappa * work->scale * work->scale * squares / (n - p) / (slope * slope);
}

/* (X' W X)⁻¹ with balanced columns, which polynomials need. */
static void set_errors(const struct work *work, const struct influence *influence,
		       struct rarog_model *model)
{
	size_t p = model->family->n_coefficients;
	gsl_matrix_view normal = gsl_matrix_view_array(model->covariance, p, p);
	double variance = variance_of(work, influence, (double)p), size[RAROG_MODEL_COEFFICIENTS];

	fill_normal(work, model, &normal.matrix);
	for (size_t j = 0; j < p; j++)
		size[j] = sqrt(gsl_matrix_get(&normal.matrix, j, j));
	for (size_t j = 0; j < p * p; j++)
		model->covariance[j] /= size[j / p] * size[j % p];
	bool is_known = gsl_linalg_cholesky_decomp1(&normal.matrix) == GSL_SUCCESS &&
			gsl_linalg_cholesky_invert(&normal.matrix) == GSL_SUCCESS;

	for (size_t j = 0; j < p * p; j++)
		model->covariance[j] =
			is_known ? model->covariance[j] * variance / (size[j / p] * size[j % p])
				 : NAN;
	for (size_t j = 0; j < p; j++)
		model->error[j] = sqrt(model->covariance[j * p + j]);
	model->deviation = work->scale;
}

/* Cells are medians of their points (fit.c); a single point is off by more than they are. */
static double deviation_of_points(struct work *work, const struct rarog_model *model)
{
	const struct rarog_data *data = work->data;
	size_t stride = data->n / data->cells.n, n = 0;

	for (size_t i = 0; i < data->n && n < data->cells.n; i += stride) {
		double value = rarog_model_value(model, data->x[i]);

		work->sizes[n++] = sqrt(data->weights ? data->weights[i] : 1) *
				   fabs(data->y[i] - value) * pow(fabs(value), -model->error_power);
	}
	return gsl_stats_median(work->sizes, 1, n) / NORMAL;
}

int rarog_fit_robust(const struct rarog_model_family *family, struct rarog_data *data,
		     double error_power, struct rarog_model *ret_model)
{
	rarog_cleanup(work_release) struct work work = { 0 };
	const struct influence *last = &influences[data->options->robust];
	struct rarog_model model = { 0 };
	int r = work_make(data, &work);

	if (r == 0)
		r = rarog_fit_family(family, data, error_power, &model);
	if (r == 0)
		r = iterate(&work, &influences[RAROG_ROBUST_HUBER], &model);
	if (r == 0 && last != &influences[RAROG_ROBUST_HUBER])
		r = iterate(&work, last, &model);
	if (r < 0)
		return r;
	if (look(&work, &model) && data->cells.n > family->n_coefficients) {
		set_errors(&work, last, &model);
		if (data->n > data->cells.n)
			model.deviation = deviation_of_points(&work, &model);
	}
	*ret_model = model;
	return 0;
}
