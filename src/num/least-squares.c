/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/least-squares.h"

#include <gsl/gsl_multifit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/sample.h"

static void free_work(gsl_multifit_linear_workspace **work)
{
	if (*work)
		gsl_multifit_linear_free(*work);
}

void rarog_fit_release(struct rarog_fit *fit)
{
	free(fit->b);
	free(fit->error);
	free(fit->covariance);
	free(fit->fitted);
	*fit = (struct rarog_fit){ 0 };
}

double rarog_r2(size_t n, const double y[], const double fitted[], bool about_mean)
{
	double mean = about_mean && n ? gsl_stats_mean(y, 1, n) : 0, residual = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		residual += (y[i] - fitted[i]) * (y[i] - fitted[i]);
		total += (y[i] - mean) * (y[i] - mean);
	}
	return total > 0 ? 1 - residual / total : NAN;
}

double rarog_aicc(double n, double k, double residual_ss)
{
	if (n <= k + 1)
		return INFINITY;
	return n * log(residual_ss / n) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

static int allocate(size_t n, size_t p, struct rarog_fit *fit)
{
	fit->n = n;
	fit->p = p;
	fit->b = calloc(p, sizeof(double));
	fit->error = calloc(p, sizeof(double));
	fit->covariance = calloc(p * p, sizeof(double));
	fit->fitted = calloc(n, sizeof(double));
	return fit->b && fit->error && fit->covariance && fit->fitted ? 0 : rarog_oom();
}

static int solve(const double *columns, const double *y, struct rarog_fit *fit)
{
	rarog_cleanup(free_work) gsl_multifit_linear_workspace *work =
		gsl_multifit_linear_alloc(fit->n, fit->p);
	gsl_matrix_const_view x = gsl_matrix_const_view_array(columns, fit->n, fit->p);
	gsl_vector_const_view observed = gsl_vector_const_view_array(y, fit->n);
	gsl_vector_view b = gsl_vector_view_array(fit->b, fit->p);
	gsl_matrix_view covariance = gsl_matrix_view_array(fit->covariance, fit->p, fit->p);
	double chi2;
	size_t rank = 0;

	if (!work)
		return rarog_oom();
	int r = gsl_multifit_linear_tsvd(&x.matrix, &observed.vector, 1e-15, &b.vector,
					 &covariance.matrix, &chi2, &rank, work);

	if (r)
		return rarog_fail(-EDOM, "least squares: %s", gsl_strerror(r));
	if (rank < fit->p)
		return rarog_fail(-EDOM,
				  "least squares: the data determine %zu of %zu coefficients; more "
				  "different inputs are needed",
				  rank, fit->p);
	return 0;
}

static void describe(const double *columns, const double *y, bool has_constant,
		     struct rarog_fit *fit)
{
	size_t n = fit->n, p = fit->p;
	double freedom = (double)(n - p), total_freedom = (double)(n - has_constant);
	double scale = 0; /* GSL divides by no degrees of freedom when n = p */

	fit->residual_ss = 0;
	for (size_t i = 0; i < n; i++) {
		fit->fitted[i] = 0;
		for (size_t j = 0; j < p; j++)
			fit->fitted[i] += columns[i * p + j] * fit->b[j];
		fit->residual_ss += (y[i] - fit->fitted[i]) * (y[i] - fit->fitted[i]);
	}
	scale = n > p ? fit->residual_ss / freedom : 0;
	fit->residual_deviation = sqrt(scale);
	for (size_t j = 0; j < p; j++)
		fit->error[j] = n > p ? sqrt(fit->covariance[j * p + j]) : 0;
	fit->r2 = rarog_r2(n, y, fit->fitted, has_constant);
	fit->adjusted_r2 = n > p ? 1 - (1 - fit->r2) * total_freedom / freedom : NAN;
	fit->aicc = rarog_aicc((double)n, (double)p + 1, fit->residual_ss);
}

int rarog_least_squares(size_t n, size_t p, const double columns[], const double y[],
			bool has_constant, struct rarog_fit *ret_fit)
{
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	int r;

	if (p < 1)
		return rarog_fail(-EINVAL, "least squares: no columns");
	r = rarog_sample_check("y", n, p, y);
	if (r < 0 || (r = rarog_sample_check("x", n * p, 1, columns)) < 0 ||
	    (r = allocate(n, p, &fit)) < 0 || (r = solve(columns, y, &fit)) < 0)
		return r;
	describe(columns, y, has_constant, &fit);
	*ret_fit = rarog_take_struct(fit);
	return 0;
}

void rarog_fit_predict(const struct rarog_fit *fit, const double row[], double *ret_value,
		       double *ret_error)
{
	double value = 0, variance = 0;

	for (size_t i = 0; i < fit->p; i++) {
		value += row[i] * fit->b[i];
		for (size_t j = 0; j < fit->p; j++)
			variance += row[i] * fit->covariance[i * fit->p + j] * row[j];
	}
	*ret_value = value;
	*ret_error = sqrt(fmax(0, variance));
}
