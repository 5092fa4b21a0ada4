/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/nonlinear.h"

#include <errno.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/sample.h"

#define ROUNDS 2000

struct ways {
	const gsl_multifit_nlinear_trs *const *trs;
	const gsl_multifit_nlinear_scale *const *scale;
};

/* The first is the best on most problems; the others find a way where it does not. */
static const struct ways ways[] = {
	{ &gsl_multifit_nlinear_trs_lm, &gsl_multifit_nlinear_scale_more },
	{ &gsl_multifit_nlinear_trs_lmaccel, &gsl_multifit_nlinear_scale_more },
	{ &gsl_multifit_nlinear_trs_lm, &gsl_multifit_nlinear_scale_levenberg },
	{ &gsl_multifit_nlinear_trs_lmaccel, &gsl_multifit_nlinear_scale_marquardt },
};

static void free_work(gsl_multifit_nlinear_workspace **work)
{
	if (*work)
		gsl_multifit_nlinear_free(*work);
}

static int residuals(const gsl_vector *b, void *arg, gsl_vector *f)
{
	const struct rarog_nonlinear *problem = arg;

	for (size_t i = 0; i < problem->n; i++) {
		double value = problem->value(problem->arg, b->data, i);

		if (!isfinite(value))
			return GSL_EDOM;
		gsl_vector_set(f, i, value - problem->y[i]);
	}
	return GSL_SUCCESS;
}

static int derivatives(const gsl_vector *b, void *arg, gsl_matrix *jacobian)
{
	const struct rarog_nonlinear *problem = arg;

	for (size_t i = 0; i < problem->n; i++)
		problem->gradient(problem->arg, b->data, i, gsl_matrix_ptr(jacobian, i, 0));
	return GSL_SUCCESS;
}

static double weighted_squares(const struct rarog_nonlinear *problem, const double b[])
{
	double sum = 0;

	for (size_t i = 0; i < problem->n; i++) {
		double off = problem->value(problem->arg, b, i) - problem->y[i];

		sum += (problem->weights ? problem->weights[i] : 1) * off * off;
	}
	return sum;
}

static int start(const struct rarog_nonlinear *problem, gsl_multifit_nlinear_fdf *fdf,
		 const double b[], gsl_multifit_nlinear_workspace *work)
{
	gsl_vector_const_view from = gsl_vector_const_view_array(b, problem->p);

	if (!problem->weights)
		return gsl_multifit_nlinear_init(&from.vector, fdf, work);
	gsl_vector_const_view weights = gsl_vector_const_view_array(problem->weights, problem->n);

	return gsl_multifit_nlinear_winit(&from.vector, &weights.vector, fdf, work);
}

/* Goes @way from b; b and the covariance of a smaller sum are kept. 1: it came to rest; 0;
 * -ENOMEM. */
static int go(const struct rarog_nonlinear *problem, const struct ways *way, const double from[],
	      double b[], double covariance[], double *least)
{
	gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_fdf fdf = { .f = residuals,
					 .df = problem->gradient ? derivatives : NULL,
					 .n = problem->n,
					 .p = problem->p,
					 .params = (void *)(uintptr_t)problem };
	rarog_cleanup(free_work) gsl_multifit_nlinear_workspace *work = NULL;
	gsl_matrix_view ret = gsl_matrix_view_array(covariance, problem->p, problem->p);
	size_t rounds = problem->rounds > 0 ? problem->rounds : ROUNDS;
	int info = 0;

	parameters.trs = *way->trs;
	parameters.scale = *way->scale;
	parameters.fdtype = GSL_MULTIFIT_NLINEAR_CTRDIFF;
	work = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, problem->n,
					  problem->p);
	if (!work)
		return rarog_oom();
	if (start(problem, &fdf, from, work) != GSL_SUCCESS)
		return 0;
	/* That it stops because no step helps any more is no failure; the sum tells. */
	int status = gsl_multifit_nlinear_driver(rounds, 1e-13, 1e-15, 0, NULL, NULL, &info, work);
	double sum = weighted_squares(problem, work->x->data);

	if (!(sum < *least))
		return 0;
	*least = sum;
	memcpy(b, work->x->data, problem->p * sizeof(double));
	gsl_multifit_nlinear_covar(work->J, 0, &ret.matrix);
	return status == GSL_SUCCESS || problem->rounds > 0;
}

static int check(const struct rarog_nonlinear *problem)
{
	int r = rarog_sample_check("y", problem->n, problem->p, problem->y);

	if (r == 0 && problem->weights)
		r = rarog_sample_check("weights", problem->n, problem->p, problem->weights);
	return r;
}

int rarog_nonlinear_fit(const struct rarog_nonlinear *problem, double b[], double ret_covariance[],
			struct rarog_nonlinear_fit *ret_fit)
{
	size_t p = problem->p;
	rarog_cleanup(rarog_freep) double *best = calloc(p * (p + 1), sizeof(double));
	double least = INFINITY, freedom = (double)problem->n - (double)p;
	int r = check(problem);

	if (r < 0)
		return r;
	if (!best)
		return rarog_oom();

	for (size_t i = 0; r >= 0 && i < RAROG_COUNT(ways); i++) {
		r = go(problem, &ways[i], b, best, best + p, &least);
		if (r > 0 && problem->is_near)
			break;
	}
	if (r < 0)
		return r;
	if (!isfinite(least))
		return rarog_fail(-EDOM, "nonlinear least squares: no minimum from this start");
	double variance = freedom > 0 ? least / freedom : 0;

	memcpy(b, best, p * sizeof(double));
	for (size_t i = 0; i < p * p; i++)
		ret_covariance[i] = best[p + i] * variance;
	*ret_fit =
		(struct rarog_nonlinear_fit){ .residual_ss = least, .deviation = sqrt(variance) };
	return 0;
}
