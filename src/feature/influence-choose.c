/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which terms a model gets: the best one first, then the best beside it. What is left of y after
 * the terms so far is at right angles to all of them (Gram and Schmidt), so a candidate is tried by
 * one more direction instead of a fit. What counts is how far the means of configurations are from
 * what the terms tell: repeated runs of one say nothing about the others. Of few configurations the
 * errors themselves say what is best. At the end terms go that the others made needless.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "feature/influence-own.h"

#define MAX_ORDER 3
#define ENOUGH    1e-3  /* mean relative error of few configurations below which no term is added */
#define SAME      1e-9  /* of its length: what is left of a column that others make up */
#define NOTHING   1e-20 /* of Σ y²: what is left is rounding */

static bool has_term(const struct rarog_influence *model, const struct rarog_influence_term *term)
{
	for (size_t i = 0; i < model->terms.n; i++)
		if (model->terms.v[i].n == term->n && memcmp(model->terms.v[i].factor, term->factor,
							     term->n * sizeof(*term->factor)) == 0)
			return true;
	return false;
}

static int push_term(struct rarog_influence *model, const struct rarog_influence_term *term)
{
	return has_term(model, term) ? 0 : rarog_vec_push(&model->terms, *term);
}

/* With all that it consists of. */
static int push_whole(struct rarog_influence *model, const struct rarog_influence_term *term)
{
	int r = 0;

	for (unsigned set = 1; r == 0 && set < 1u << term->n; set++) {
		struct rarog_influence_term part = { 0 };

		for (size_t i = 0; i < term->n; i++)
			if (set >> i & 1)
				part.factor[part.n++] = term->factor[i];
		r = push_term(model, &part);
	}
	return r;
}

/* A larger one from one that is there: options have only one factor in a term. */
static bool extend(const struct rarog_influence *model, const struct rarog_influence_term *from,
		   uint32_t factor, struct rarog_influence_term *ret_term)
{
	*ret_term = *from;
	if (from->n == MAX_ORDER)
		return false;
	for (size_t i = 0; i < from->n; i++)
		if (strcmp(model->factors.v[from->factor[i]].option,
			   model->factors.v[factor].option) == 0)
			return false;
	ret_term->factor[ret_term->n++] = factor;
	for (size_t i = ret_term->n; i-- > 1;)
		if (ret_term->factor[i - 1] > ret_term->factor[i]) {
			uint32_t other = ret_term->factor[i];

			ret_term->factor[i] = ret_term->factor[i - 1];
			ret_term->factor[i - 1] = other;
		}
	return !has_term(model, ret_term);
}

/* As many terms as configurations hit all of them and tell nothing, but of switches alone. */
static bool is_too_free(const struct rarog_fitting *f)
{
	const struct rarog_influence *model = f->model;

	for (size_t i = 0; model->terms.n >= model->n_configurations && i < model->terms.n; i++)
		for (size_t k = 0; k < model->terms.v[i].n; k++) {
			const struct rarog_influence_factor *its =
				&model->factors.v[model->terms.v[i].factor[k]];

			if ((!its->value || its->shape == RAROG_INFLUENCE_STEP) &&
			    rarog_influence_option_find(model, its->option)->n_values > 2)
				return true;
		}
	return false;
}

/* --- trying --- */

/* Directions of the terms so far, and what is left of y; room for all that may come. */
struct basis {
	size_t n;           /* directions */
	double *directions; /* [RAROG_INFLUENCE_TERMS * runs] */
	double *rest;       /* [runs] */
	double whole, left; /* Σ y², Σ rest² */
};

struct step {
	struct rarog_influence_term term;
	double score; /* the less the better */
	bool is_there;
};

static double product(size_t n, const double a[n], const double b[n])
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* The next direction: of what @term adds. false: nothing. */
static bool add_direction(const struct rarog_fitting *f, struct basis *basis,
			  const struct rarog_influence_term *term)
{
	double *column = basis->directions + basis->n * f->n, length, left;

	for (size_t i = 0; i < f->n; i++)
		column[i] = rarog_fitting_term(f, term, i);
	length = sqrt(product(f->n, column, column));
	for (size_t twice = 0; twice < 2; twice++)
		for (size_t k = 0; k < basis->n; k++) {
			const double *other = basis->directions + k * f->n;
			double part = product(f->n, other, column);

			for (size_t i = 0; i < f->n; i++)
				column[i] -= part * other[i];
		}
	left = sqrt(product(f->n, column, column));
	if (!(left > SAME * length))
		return false;
	for (size_t i = 0; i < f->n; i++)
		column[i] /= left;
	left = product(f->n, column, basis->rest);
	basis->left = fmax(basis->left - left * left, 0);
	basis->n++;
	return true;
}

static double score_basis(const struct rarog_fitting *f, const struct basis *basis)
{
	double left = basis->left - f->within;

	return rarog_aicc((double)f->model->n_configurations, (double)basis->n + 1,
			  left > NOTHING * basis->whole ? left : 0);
}

/* The terms that came since the basis was made. NAN: they say nothing new. */
static double score_many(const struct rarog_fitting *f, struct basis *basis)
{
	size_t n = basis->n;
	double left = basis->left, score;
	bool are_new = true;

	for (size_t i = n; are_new && i < f->model->terms.n; i++)
		are_new = add_direction(f, basis, &f->model->terms.v[i]);
	score = are_new ? score_basis(f, basis) : NAN;
	basis->n = n;
	basis->left = left;
	return score;
}

/* Of terms that are good enough the first ones win, which are the simplest. */
static int score_few(const struct rarog_fitting *f, double *ret_score)
{
	struct rarog_fit its = { 0 };
	int r = rarog_fitting_fit(f, &its);

	*ret_score = r == 0 ? fmax(rarog_fitting_error(f, &its), ENOUGH) : NAN;
	rarog_fit_release(&its);
	return r == -EDOM ? 0 : r;
}

static int score_of(const struct rarog_fitting *f, struct basis *basis, double *ret_score)
{
	if (f->has_few)
		return score_few(f, ret_score);
	*ret_score = score_many(f, basis);
	return 0;
}

/* By more than rounding: of terms that say the same the first one is taken. */
static bool is_less(double a, double b)
{
	return a < b - SAME * fabs(b) || (isinf(b) && a < b);
}

/* The model with @term; it is taken out again. */
static int try_term(struct rarog_fitting *f, const struct rarog_influence_term *term,
		    struct basis *basis, struct step *best)
{
	size_t before = f->model->terms.n;
	double score = NAN;
	int r = push_whole(f->model, term);

	if (r == 0 && f->model->terms.n <= RAROG_INFLUENCE_TERMS && !is_too_free(f))
		r = score_of(f, basis, &score);
	f->model->terms.n = before;
	if (r == 0 && !isnan(score) && (!best->is_there || is_less(score, best->score)))
		*best = (struct step){ *term, score, true };
	return r;
}

static int find_step(struct rarog_fitting *f, struct basis *basis, struct step *best)
{
	struct rarog_influence_term term;
	size_t n = f->model->terms.n;
	int r = 0;

	*best = (struct step){ .is_there = false };
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; r == 0 && k < f->n_factors; k++) {
			const struct rarog_influence_term from = f->model->terms.v[i];

			if (extend(f->model, &from, k, &term))
				r = try_term(f, &term, basis, best);
		}
	/* two that matter only together */
	for (uint32_t i = 0; i < f->n_factors; i++)
		for (uint32_t k = i + 1; r == 0 && k < f->n_factors; k++) {
			const struct rarog_influence_term from = { .n = 1, .factor = { i } };

			if (extend(f->model, &from, k, &term))
				r = try_term(f, &term, basis, best);
		}
	return r;
}

static bool is_worth(const struct rarog_fitting *f, const struct step *best, double score)
{
	if (!best->is_there)
		return false;
	return f->has_few ? score > ENOUGH && best->score < score * 0.9 : best->score < score - 2;
}

/* --- choosing --- */

/* The new terms for good. */
static void keep(const struct rarog_fitting *f, struct basis *basis)
{
	while (basis->n < f->model->terms.n) {
		const double *direction = basis->directions + basis->n * f->n;
		double part;

		if (!add_direction(f, basis, &f->model->terms.v[basis->n]))
			return;
		part = product(f->n, direction, basis->rest);
		for (size_t i = 0; i < f->n; i++)
			basis->rest[i] -= part * direction[i];
		basis->left = product(f->n, basis->rest, basis->rest);
	}
}

static int start(struct rarog_fitting *f, struct basis *basis, double *ret_score)
{
	int r = rarog_vec_push(&f->model->terms, (struct rarog_influence_term){ 0 });

	basis->directions = calloc(RAROG_INFLUENCE_TERMS * f->n, sizeof(*basis->directions));
	basis->rest = calloc(f->n, sizeof(*basis->rest));
	if (r < 0 || !basis->directions || !basis->rest)
		return rarog_oom();
	memcpy(basis->rest, f->y, f->n * sizeof(*basis->rest));
	basis->whole = basis->left = product(f->n, f->y, f->y);
	keep(f, basis);
	*ret_score = score_basis(f, basis);
	return f->has_few ? score_few(f, ret_score) : 0;
}

static int add_terms(struct rarog_fitting *f, struct basis *basis)
{
	double score;
	int r = start(f, basis, &score);

	while (r == 0) {
		struct step best;

		r = find_step(f, basis, &best);
		if (r < 0 || !is_worth(f, &best, score))
			return r;
		r = push_whole(f->model, &best.term);
		keep(f, basis);
		score = f->has_few ? best.score : score_basis(f, basis);
	}
	return r;
}

/* A larger term has all that it consists of. */
static bool is_part_of_another(const struct rarog_influence *model, size_t number)
{
	const struct rarog_influence_term *term = &model->terms.v[number];

	for (size_t i = 0; i < model->terms.n; i++) {
		const struct rarog_influence_term *other = &model->terms.v[i];
		size_t n = 0;

		for (size_t k = 0; k < other->n && n < term->n; k++)
			n += other->factor[k] == term->factor[n];
		if (n == term->n && other->n > n)
			return true;
	}
	return false;
}

static void rebuild(const struct rarog_fitting *f, struct basis *basis)
{
	basis->n = 0;
	memcpy(basis->rest, f->y, f->n * sizeof(*basis->rest));
	basis->left = basis->whole;
	keep(f, basis);
}

static int score_again(const struct rarog_fitting *f, struct basis *basis, double *ret_score)
{
	if (f->has_few)
		return score_few(f, ret_score);
	rebuild(f, basis);
	*ret_score = score_basis(f, basis);
	return 0;
}

static void take_out(struct rarog_influence *model, size_t number)
{
	model->terms.n--;
	memmove(model->terms.v + number, model->terms.v + number + 1,
		(model->terms.n - number) * sizeof(*model->terms.v));
}

/* There is still room for it. */
static void put_back(struct rarog_influence *model, size_t number, struct rarog_influence_term term)
{
	memmove(model->terms.v + number + 1, model->terms.v + number,
		(model->terms.n - number) * sizeof(*model->terms.v));
	model->terms.v[number] = term;
	model->terms.n++;
}

/* Leaves term @number out where the model is as good without. */
static int try_without(const struct rarog_fitting *f, size_t number, struct basis *basis,
		       double *score)
{
	struct rarog_influence_term term = f->model->terms.v[number];
	double without;
	int r;

	if (is_part_of_another(f->model, number))
		return 0;
	take_out(f->model, number);
	r = score_again(f, basis, &without);
	if (r == 0 && without <= *score)
		*score = without;
	else
		put_back(f->model, number, term);
	return r;
}

/* What came first for want of the right terms says nothing more once these are there. */
static int drop_terms(const struct rarog_fitting *f, struct basis *basis)
{
	const struct rarog_influence *model = f->model;
	size_t before = 0;
	double score;
	int r = score_again(f, basis, &score);

	while (r == 0 && before != model->terms.n) {
		before = model->terms.n;
		for (size_t i = before; r == 0 && i-- > 1;)
			r = try_without(f, i, basis, &score);
	}
	return r;
}

int rarog_fitting_choose(struct rarog_fitting *f)
{
	struct basis basis = { 0 };
	int r = add_terms(f, &basis);

	if (r == 0)
		r = drop_terms(f, &basis);
	free(basis.directions);
	free(basis.rest);
	return r;
}
