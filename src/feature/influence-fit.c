/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terms that there are, fitted. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "feature/influence-own.h"

double rarog_fitting_term(const struct rarog_fitting *f, const struct rarog_influence_term *term,
			  size_t run)
{
	double value = 1;

	for (size_t i = 0; i < term->n; i++)
		value *= f->values[run * f->n_factors + term->factor[i]];
	return value;
}

int rarog_fitting_fit(const struct rarog_fitting *f, struct rarog_fit *ret_fit)
{
	size_t p = f->model->terms.n;
	rarog_cleanup(rarog_freep) double *columns = calloc(f->n * p, sizeof(*columns));

	if (!columns)
		return rarog_oom();
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < p; k++)
			columns[i * p + k] = rarog_fitting_term(f, &f->model->terms.v[k], i);
	return f->n < p ? -EDOM : rarog_least_squares(f->n, p, columns, f->y, true, ret_fit);
}

/* Repeated runs of a configuration are off together where the model is: they say how noisy a run
 * is, not how right the model. Only where it goes through all configurations is there nothing but
 * the noise, and of others nothing is known. */
void rarog_fitting_weigh(const struct rarog_fitting *f)
{
	struct rarog_influence *model = f->model;
	struct rarog_fit *fit = &model->fit;
	double n = (double)fit->n, p = (double)fit->p, groups = (double)model->n_configurations;
	double noise = n > groups ? f->within / (n - groups) : 0;
	double part = fit->residual_deviation > 0 ? 1 / fit->residual_deviation : 0;
	double variance = noise;

	model->freedom = n - groups;
	model->deviation = NAN;
	if (groups > p) {
		model->freedom = groups - p;
		variance = fmax(fit->residual_ss - f->within, 0) / model->freedom;
		model->deviation = sqrt(variance * groups / n + noise * (1 - groups / n));
	}
	part *= sqrt(variance);
	for (size_t i = 0; i < fit->p; i++)
		fit->error[i] *= part;
	for (size_t i = 0; i < fit->p * fit->p; i++)
		fit->covariance[i] *= part * part;
}

/* A region that does not run in some configurations is 0 there. */
double rarog_fitting_relative(const struct rarog_fitting *f, double told, double y)
{
	return fabs(told - y) / (f->scale > 0 ? f->scale : 1);
}

double rarog_fitting_error(const struct rarog_fitting *f, const struct rarog_fit *its)
{
	double sum = 0;

	for (size_t i = 0; i < f->n; i++)
		sum += rarog_fitting_relative(f, its->fitted[i], f->y[i]);
	return sum / (double)f->n;
}
