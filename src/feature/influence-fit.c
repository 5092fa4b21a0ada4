/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terms that there are, fitted. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

/* @but: without runs of this configuration; UINT32_MAX: with all. */
int rarog_fitting_fit(const struct rarog_fitting *f, uint32_t but, struct rarog_fit *ret_fit)
{
	size_t p = f->model->terms.n, n = 0;
	double *columns = calloc(f->n * p, sizeof(*columns)), *y = calloc(f->n, sizeof(*y));
	int r = columns && y ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < f->n; i++) {
		if (f->group[i] == but)
			continue;
		for (size_t k = 0; k < p; k++)
			columns[n * p + k] = rarog_fitting_term(f, &f->model->terms.v[k], i);
		y[n++] = f->y[i];
	}
	if (r == 0)
		r = n < p ? -EDOM : rarog_least_squares(n, p, columns, y, true, ret_fit);
	free(columns);
	free(y);
	return r;
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
