/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Terms are chosen from all products of up to three factors x^i log2(x)^j: the one that explains
 * most of what is left comes next, then each is exchanged if another explains more beside the rest,
 * as long as the extended criterion of Schwarz falls (Chen, Chen 2008: it counts how many terms
 * there were to choose from, which the plain one does not). Columns are orthogonal to those that
 * were chosen, so that a candidate costs two sums.
 */
#include "model/normal-form.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/normal-form-own.h"
#include "num/least-squares.h"
#include "num/random.h"
#include "num/sample.h"

#define ROWS     2000 /* by which terms are chosen; all of them are fitted to */
#define EXCHANGE 10   /* rounds of */

/* --- what there is to choose from --- */

static const double powers[] = { 0, 0.5, 1, 1.5, 2, 2.5, 3 };

#define LOGS    3
#define FACTORS (RAROG_COUNT(powers) * LOGS) /* the first one is 1 */

static struct rarog_normal_factor factor_of(size_t k)
{
	return (struct rarog_normal_factor){ powers[k / LOGS], (unsigned)(k % LOGS) };
}

/* A term by the numbers of its factors. */
struct choice {
	unsigned char of[RAROG_NORMAL_VARIABLES];
};

struct selection {
	size_t n, variables;
	const double *y;
	double *weights; /* roots */
	double *factors; /* [variable][factor][n] */
	double *basis;   /* [RAROG_NORMAL_TERMS + 1][n], orthonormal */
	double *left;    /* what they leave of y, weighted */
	double *column;
	size_t n_candidates;
	size_t n_terms;
	struct choice terms[RAROG_NORMAL_TERMS];
};

static void selection_release(struct selection *s)
{
	free(s->factors);
}

/* The next choice of at most three factors after @choice; false: there is none. */
static bool next(const struct selection *s, struct choice *choice)
{
	for (;;) {
		size_t v = 0, used = 0;

		while (v < s->variables && ++choice->of[v] == FACTORS)
			choice->of[v++] = 0;
		if (v == s->variables)
			return false;
		for (v = 0; v < s->variables; v++)
			used += choice->of[v] > 0;
		if (used <= 3)
			return true;
	}
}

static const double *factor_column(const struct selection *s, size_t variable, size_t factor)
{
	return s->factors + (variable * FACTORS + factor) * s->n;
}

static void fill_column(const struct selection *s, const struct choice *choice, double column[])
{
	memcpy(column, s->weights, s->n * sizeof(double));
	for (size_t v = 0; v < s->variables; v++) {
		const double *factor = factor_column(s, v, choice->of[v]);

		for (size_t i = 0; choice->of[v] > 0 && i < s->n; i++)
			column[i] *= factor[i];
	}
}

static double dot(size_t n, const double a[], const double b[])
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Takes the basis' part out of column; what is left of its square, as a share. */
static double orthogonalize(const struct selection *s, size_t n_basis, double column[])
{
	double before = dot(s->n, column, column);

	for (int twice = 0; twice < 2; twice++) /* once leaves rounding */
		for (size_t k = 0; k < n_basis; k++) {
			const double *q = s->basis + k * s->n;
			double along = dot(s->n, q, column);

			for (size_t i = 0; i < s->n; i++)
				column[i] -= along * q[i];
		}
	return dot(s->n, column, column) / before;
}

static bool add_to_basis(struct selection *s, size_t n_basis, const struct choice *choice)
{
	double *q = s->basis + n_basis * s->n, size;

	fill_column(s, choice, q);
	if (!(orthogonalize(s, n_basis, q) > 1e-10))
		return false;
	size = sqrt(dot(s->n, q, q));
	for (size_t i = 0; i < s->n; i++)
		q[i] /= size;
	return true;
}

/* Basis and residuals of the constant and the chosen terms, but for @without. Returns its size. */
static size_t rebuild(struct selection *s, size_t without)
{
	static const struct choice constant;
	size_t n_basis = add_to_basis(s, 0, &constant);

	for (size_t k = 0; k < s->n_terms; k++)
		if (k != without)
			n_basis += add_to_basis(s, n_basis, &s->terms[k]);
	for (size_t i = 0; i < s->n; i++)
		s->left[i] = s->y[i] * s->weights[i];
	(void)orthogonalize(s, n_basis, s->left);
	return n_basis;
}

/* How much of what is left a candidate explains. */
static double explains(struct selection *s, size_t n_basis, const struct choice *choice)
{
	double along, square, whole;

	fill_column(s, choice, s->column);
	along = dot(s->n, s->column, s->left);
	square = whole = dot(s->n, s->column, s->column);
	for (size_t k = 0; k < n_basis; k++)
		square -= pow(dot(s->n, s->basis + k * s->n, s->column), 2);
	return square > 1e-9 * whole ? along * along / square : 0;
}

static double find_best(struct selection *s, size_t n_basis, struct choice *ret_choice)
{
	struct choice choice = { { 0 } };
	double most = 0;

	while (next(s, &choice)) {
		double one = explains(s, n_basis, &choice);

		if (one > most) {
			most = one;
			*ret_choice = choice;
		}
	}
	return most;
}

/* Σ weighted squares that the chosen terms leave. */
static double left_of(struct selection *s)
{
	(void)rebuild(s, SIZE_MAX);
	return dot(s->n, s->left, s->left);
}

static double criterion(const struct selection *s, double squares)
{
	double n = (double)s->n;
	unsigned terms = (unsigned)s->n_terms;

	return n * log(fmax(squares, 1e-300) / n) + (terms + 1) * log(n) +
	       2 * gsl_sf_lnchoose((unsigned)s->n_candidates, terms);
}

static void exchange(struct selection *s)
{
	for (int round = 0; round < EXCHANGE; round++) {
		bool changed = false;

		for (size_t k = 0; k < s->n_terms; k++) {
			size_t n_basis = rebuild(s, k);
			double own = explains(s, n_basis, &s->terms[k]);
			struct choice choice = s->terms[k];

			if (find_best(s, n_basis, &choice) > own * (1 + 1e-9)) {
				s->terms[k] = choice;
				changed = true;
			}
		}
		if (!changed)
			break;
	}
}

static void choose_terms(struct selection *s, double nothing)
{
	double squares = left_of(s), least = criterion(s, squares);

	while (s->n_terms < RAROG_NORMAL_TERMS && s->n > s->n_terms + 3 && squares > nothing) {
		struct selection before = *s;
		size_t n_basis = rebuild(s, SIZE_MAX);

		if (!(find_best(s, n_basis, &s->terms[s->n_terms]) > 0))
			return;
		s->n_terms++;
		if (s->n_terms > 1)
			exchange(s);
		squares = left_of(s);
		if (criterion(s, squares) >= least) {
			*s = before;
			return;
		}
		least = criterion(s, squares);
	}
}

/* --- points --- */

static int check(size_t n, size_t variables, const double x[], const double y[])
{
	int r = rarog_sample_check("y", n, 5, y);

	if (variables < 1 || variables > RAROG_NORMAL_VARIABLES)
		return rarog_fail(-EINVAL, "normal form: %zu variables; 1 to %d can be", variables,
				  RAROG_NORMAL_VARIABLES);
	if (r == 0)
		r = rarog_sample_check("x", n * variables, 1, x);
	for (size_t v = 0; r == 0 && v < variables; v++) {
		bool is_same = true;

		for (size_t i = 0; i < n; i++) {
			if (x[i * variables + v] <= 0)
				return rarog_fail(-EDOM,
						  "normal form: variable %zu is not above 0 at "
						  "point %zu",
						  v + 1, i + 1);
			is_same = is_same && x[i * variables + v] == x[v];
		}
		if (is_same)
			r = rarog_fail(-EDOM, "normal form: variable %zu never changes", v + 1);
	}
	return r;
}

static int select_rows(size_t n, size_t variables, const double x[], const double weights[],
		       struct selection *s)
{
	size_t stride = n / ROWS + 1, rows = (n + stride - 1) / stride;
	struct choice choice = { { 0 } };

	s->n = rows;
	s->variables = variables;
	s->factors = calloc(rows * (variables * FACTORS + RAROG_NORMAL_TERMS + 5), sizeof(double));
	if (!s->factors)
		return rarog_oom();
	s->basis = s->factors + rows * variables * FACTORS;
	s->left = s->basis + rows * (RAROG_NORMAL_TERMS + 1);
	s->column = s->left + rows;
	s->weights = s->column + rows;
	for (size_t i = 0; i < rows; i++)
		s->weights[i] = sqrt(weights[i * stride]);
	for (size_t v = 0; v < variables; v++)
		for (size_t k = 0; k < FACTORS; k++) {
			struct rarog_normal_factor factor = factor_of(k);

			for (size_t i = 0; i < rows; i++)
				s->factors[(v * FACTORS + k) * rows + i] =
					rarog_normal_factor_value(&factor,
								  x[i * stride * variables + v]);
		}
	while (next(s, &choice))
		s->n_candidates++;
	return 0;
}

static int select_terms(size_t n, size_t variables, const double x[], const double y[],
			const double weights[], struct rarog_normal_form *form)
{
	rarog_cleanup(selection_release) struct selection s = { 0 };
	size_t stride = n / ROWS + 1;
	int r = select_rows(n, variables, x, weights, &s);
	double *taken = s.weights + s.n, nothing = 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < s.n; i++) {
		taken[i] = y[i * stride];
		nothing += 1e-24 * pow(taken[i] * s.weights[i], 2);
	}
	s.y = taken;
	choose_terms(&s, nothing);
	form->n_terms = s.n_terms;
	for (size_t k = 0; k < s.n_terms; k++)
		for (size_t v = 0; v < RAROG_NORMAL_VARIABLES; v++)
			form->terms[k].of[v] = factor_of(s.terms[k].of[v]);
	return 0;
}

/* --- coefficients --- */

static int solve(size_t n, const double x[], const double y[], const double weights[],
		 struct rarog_normal_form *form)
{
	size_t p = form->n_terms + 1;
	rarog_cleanup(rarog_freep) double *rows = calloc(n * (p + 1), sizeof(double));
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	double *scaled;
	int r;

	if (!rows)
		return rarog_oom();
	scaled = rows + n * p;
	for (size_t i = 0; i < n; i++) {
		double root = sqrt(weights[i]);

		rarog_normal_form_row(form, x + i * form->n_variables, rows + i * p);
		for (size_t k = 0; k < p; k++)
			rows[i * p + k] *= root;
		scaled[i] = y[i] * root;
	}
	r = rarog_least_squares(n, p, rows, scaled, true, &fit);
	if (r < 0)
		return r;
	memcpy(form->b, fit.b, p * sizeof(double));
	memcpy(form->error, fit.error, p * sizeof(double));
	memcpy(form->covariance, fit.covariance, p * p * sizeof(double));
	form->deviation = fit.residual_deviation;
	form->freedom = (double)n - (double)p;
	form->aicc = fit.aicc;
	return 0;
}

static void rate(size_t n, const double x[], const double y[], struct rarog_normal_form *form)
{
	size_t variables = form->n_variables;
	double mean = 0, residual = 0, total = 0;

	for (size_t i = 0; i < n; i++)
		mean += (y[i] - mean) / (double)(i + 1);
	for (size_t i = 0; i < n; i++) {
		residual += pow(y[i] - rarog_normal_form_value(form, x + i * variables), 2);
		total += pow(y[i] - mean, 2);
	}
	form->r2 = total > 0 ? 1 - residual / total : residual == 0;
	form->rmse = sqrt(residual / (double)n);
	for (size_t v = 0; v < variables; v++) {
		form->from[v] = form->to[v] = x[v];
		for (size_t i = 0; i < n; i++) {
			form->from[v] = fmin(form->from[v], x[i * variables + v]);
			form->to[v] = fmax(form->to[v], x[i * variables + v]);
		}
	}
}

struct points {
	size_t n;
	const double *x, *y, *given; /* given: the caller's weights; NULL: 1 each */
	double *weights;
};

static int fit_once(const struct points *points, struct rarog_normal_form *form)
{
	int r = select_terms(points->n, form->n_variables, points->x, points->y, points->weights,
			     form);

	return r < 0 ? r : solve(points->n, points->x, points->y, points->weights, form);
}

/* Weights by @levels; with @form by its values. false: they are not all above 0. */
static bool weigh(const struct points *points, const struct rarog_normal_form *form, double power)
{
	for (size_t i = 0; i < points->n; i++) {
		double level =
			form ? rarog_normal_form_value(form, points->x + i * form->n_variables)
			     : points->y[i];

		if (power > 0 && level <= 0)
			return false;
		points->weights[i] = (points->given ? points->given[i] : 1) *
				     (power > 0 ? pow(level, -2 * power) : 1);
	}
	return true;
}

static double unlikeliness(const struct points *points, const struct rarog_normal_form *form)
{
	double logs = 0;

	for (size_t i = 0; i < points->n; i++)
		logs += log(points->weights[i]);
	return form->aicc - logs;
}

/* Relative errors: by the values of y, then by those of the model. */
static int fit_relative(const struct points *points, struct rarog_normal_form *form)
{
	struct rarog_normal_form first = *form;
	int r = fit_once(points, &first);

	*form = first;
	form->error_power = 1;
	if (r == 0 && weigh(points, &first, 1)) {
		*form = (struct rarog_normal_form){ .n = first.n,
						    .n_variables = first.n_variables,
						    .error_power = 1 };
		r = fit_once(points, form);
	}
	return r;
}

static int fit(const struct points *points, enum rarog_errors errors,
	       struct rarog_normal_form *form)
{
	struct rarog_normal_form relative = *form;
	double constant;
	int r;

	(void)weigh(points, NULL, 0);
	r = fit_once(points, form);
	constant = unlikeliness(points, form);
	if (r < 0 || errors == RAROG_ERRORS_CONSTANT || !weigh(points, NULL, 1))
		return r;
	r = fit_relative(points, &relative);
	if (r == 0 &&
	    (errors == RAROG_ERRORS_RELATIVE || unlikeliness(points, &relative) < constant))
		*form = relative;
	return r;
}

int rarog_normal_form_fit(size_t n, size_t n_variables, const double x[], const double y[],
			  const struct rarog_model_options *options,
			  struct rarog_normal_form *ret_form)
{
	struct rarog_normal_form form = { .n = n, .n_variables = n_variables };
	rarog_cleanup(rarog_freep) double *weights = calloc(n ? n : 1, sizeof(double));
	struct points points = { n, x, y, options ? options->weights : NULL, weights };
	int r = check(n, n_variables, x, y);

	if (r != 0)
		return r;
	if (!weights)
		return rarog_oom();
	r = fit(&points, options ? options->errors : RAROG_ERRORS_CONSTANT, &form);
	if (r < 0)
		return r;
	rate(n, x, y, &form);
	*ret_form = form;
	return 0;
}
