/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/influence.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "feature/influence-values.h"

#define MAX_ORDER 3
#define FEW       8    /* runs, of which no criterion says much */
#define ENOUGH    1e-3 /* mean relative error of few runs below which no term is added */

struct fitting {
	size_t n, n_factors;
	const struct rarog_influence_run *runs;
	double *values; /* [n * n_factors] */
	double *y;
	double scale;    /* mean of |y|, that errors are parts of */
	uint32_t *group; /* [n]: number of the configuration */
	struct rarog_influence *model;
};

/* --- factors --- */

static int add_factor(struct rarog_influence *model, const char *option, const char *value,
		      uint8_t shape)
{
	struct rarog_influence_factor factor = { .option = strdup(option),
						 .value = value ? strdup(value) : NULL,
						 .shape = shape };

	if (factor.option && (factor.value || !value) &&
	    rarog_vec_push(&model->factors, factor) == 0)
		return 0;
	free(factor.option);
	free(factor.value);
	return rarog_oom();
}

/* Different values of an option, as texts. */
static size_t different(const struct fitting *f, const char *option, const char *values[f->n],
			bool *ret_are_numbers)
{
	size_t found = 0;

	*ret_are_numbers = true;
	for (size_t i = 0; i < f->n; i++) {
		const char *text = rarog_configuration_get(&f->runs[i].configuration, option);
		size_t k = 0;
		double number;

		while (text && k < found && strcmp(values[k], text) != 0)
			k++;
		if (!text || k < found)
			continue;
		*ret_are_numbers &= rarog_influence_number(text, &number);
		values[found++] = text;
	}
	return found;
}

static bool has_negative(size_t n, const char *const values[n])
{
	for (size_t i = 0; i < n; i++)
		if (values[i][0] == '-')
			return true;
	return false;
}

static int note_option(struct rarog_influence *model, const char *name, size_t n,
		       const char *const values[n], bool are_numbers)
{
	struct rarog_influence_option option = { .name = strdup(name),
						 .first = strdup(values[0]),
						 .n_values = n,
						 .is_number = are_numbers,
						 .low = INFINITY,
						 .high = -INFINITY };
	double number;

	for (size_t i = 0; are_numbers && i < n; i++)
		if (rarog_influence_number(values[i], &number)) {
			option.low = fmin(option.low, number);
			option.high = fmax(option.high, number);
		}
	if (option.name && option.first && rarog_vec_push(&model->options, option) == 0)
		return 0;
	free(option.name);
	free(option.first);
	return rarog_oom();
}

static int add_option(struct fitting *f, const char *option)
{
	const char **values = calloc(f->n, sizeof(*values));
	bool are_numbers;
	size_t n = values ? different(f, option, values, &are_numbers) : 0;
	int r = values ? note_option(f->model, option, n, values, are_numbers) : rarog_oom();

	if (n > 1 && are_numbers) {
		uint8_t shapes = n == 2 || has_negative(n, values) ? 1 : RAROG_INFLUENCE_SHAPES;

		for (uint8_t i = 0; r == 0 && i < shapes; i++)
			r = add_factor(f->model, option, NULL, i);
	} else {
		for (size_t i = 1; r == 0 && i < n; i++)
			r = add_factor(f->model, option, values[i], 0);
	}
	free(values);
	return r;
}

/* All runs say what all options were. */
static int check_option(const struct fitting *f, const char *option)
{
	for (size_t i = 0; i < f->n; i++)
		if (!rarog_configuration_get(&f->runs[i].configuration, option))
			return rarog_fail(-EINVAL,
					  "not all runs say what %s was; give only runs of the "
					  "same options",
					  option);
	return 0;
}

static int add_factors(struct fitting *f)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->n; i++) {
		const struct rarog_configuration *its = &f->runs[i].configuration;

		for (size_t k = 0; r == 0 && k < its->list.n; k++) {
			if (rarog_influence_option_find(f->model, its->list.v[k].name))
				continue;
			r = check_option(f, its->list.v[k].name);
			if (r == 0)
				r = add_option(f, its->list.v[k].name);
		}
	}
	f->n_factors = f->model->factors.n;
	f->values = calloc(f->n * (f->n_factors + 1), sizeof(*f->values));
	f->y = calloc(f->n, sizeof(*f->y));
	f->group = calloc(f->n, sizeof(*f->group));
	return r < 0 ? r : f->values && f->y && f->group ? 0 : rarog_oom();
}

static bool is_same(const struct fitting *f, size_t a, size_t b)
{
	for (size_t k = 0; k < f->n_factors; k++)
		if (f->values[a * f->n_factors + k] != f->values[b * f->n_factors + k])
			return false;
	return true;
}

static int fill(struct fitting *f)
{
	for (size_t i = 0; i < f->n; i++) {
		f->y[i] = f->runs[i].y;
		f->scale += fabs(f->y[i]) / (double)f->n;
		for (size_t k = 0; k < f->n_factors; k++)
			if (rarog_influence_factor_value(&f->model->factors.v[k],
							 &f->runs[i].configuration,
							 &f->values[i * f->n_factors + k]) < 0)
				return rarog_fail(-EINVAL,
						  "%s has values that are no numbers for its terms",
						  f->model->factors.v[k].option);
		for (f->group[i] = 0; f->group[i] < i; f->group[i]++)
			if (is_same(f, f->group[i], i))
				break;
		f->model->n_configurations += f->group[i] == i;
	}
	return 0;
}

/* --- fitting --- */

static double term_value(const struct fitting *f, const struct rarog_influence_term *term,
			 size_t run)
{
	double value = 1;

	for (size_t i = 0; i < term->n; i++)
		value *= f->values[run * f->n_factors + term->factor[i]];
	return value;
}

/* @but: without runs of this configuration; UINT32_MAX: with all. */
static int fit(const struct fitting *f, uint32_t but, struct rarog_fit *ret_fit)
{
	size_t p = f->model->terms.n, n = 0;
	double *columns = calloc(f->n * p, sizeof(*columns)), *y = calloc(f->n, sizeof(*y));
	int r = columns && y ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < f->n; i++) {
		if (f->group[i] == but)
			continue;
		for (size_t k = 0; k < p; k++)
			columns[n * p + k] = term_value(f, &f->model->terms.v[k], i);
		y[n++] = f->y[i];
	}
	if (r == 0)
		r = n < p ? -EDOM : rarog_least_squares(n, p, columns, y, true, ret_fit);
	free(columns);
	free(y);
	return r;
}

/* A region that does not run in some configurations is 0 there. */
static double relative(const struct fitting *f, double told, double y)
{
	return fabs(told - y) / (f->scale > 0 ? f->scale : 1);
}

static double own_error(const struct fitting *f, const struct rarog_fit *its)
{
	double sum = 0;

	for (size_t i = 0; i < f->n; i++)
		sum += relative(f, its->fitted[i], f->y[i]);
	return sum / (double)f->n;
}

/* --- which terms --- */

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

struct step {
	struct rarog_influence_term term;
	double score; /* the less the better */
	double error;
	bool is_there;
};

static double score_of(const struct fitting *f, const struct rarog_fit *its)
{
	return f->n < FEW ? own_error(f, its) : its->aicc;
}

/* As many terms as configurations hit all of them and tell nothing, but of switches alone. */
static bool is_too_free(const struct fitting *f)
{
	const struct rarog_influence *model = f->model;

	for (size_t i = 0; model->terms.n >= model->n_configurations && i < model->terms.n; i++)
		for (size_t k = 0; k < model->terms.v[i].n; k++) {
			const struct rarog_influence_factor *its =
				&model->factors.v[model->terms.v[i].factor[k]];

			if (!its->value &&
			    rarog_influence_option_find(model, its->option)->n_values > 2)
				return true;
		}
	return false;
}

/* The model with @term; it is taken out again. */
static int try_term(struct fitting *f, const struct rarog_influence_term *term, struct step *best)
{
	size_t before = f->model->terms.n;
	struct rarog_fit its = { 0 };
	int r = push_whole(f->model, term);

	if (r == 0 && f->model->terms.n <= RAROG_INFLUENCE_TERMS && !is_too_free(f))
		r = fit(f, UINT32_MAX, &its);
	else if (r == 0)
		r = -EDOM;
	f->model->terms.n = before;
	if (r == 0 && (!best->is_there || score_of(f, &its) < best->score))
		*best = (struct step){ *term, score_of(f, &its), own_error(f, &its), true };
	rarog_fit_release(&its);
	return r == -EDOM ? 0 : r;
}

static int find_step(struct fitting *f, struct step *best)
{
	struct rarog_influence_term term;
	size_t n = f->model->terms.n;
	int r = 0;

	*best = (struct step){ .is_there = false };
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; r == 0 && k < f->n_factors; k++) {
			const struct rarog_influence_term from = f->model->terms.v[i];

			if (extend(f->model, &from, k, &term))
				r = try_term(f, &term, best);
		}
	/* two that matter only together */
	for (uint32_t i = 0; i < f->n_factors; i++)
		for (uint32_t k = i + 1; r == 0 && k < f->n_factors; k++) {
			const struct rarog_influence_term from = { .n = 1, .factor = { i } };

			if (extend(f->model, &from, k, &term))
				r = try_term(f, &term, best);
		}
	return r;
}

static bool is_worth(const struct fitting *f, const struct step *best, double score)
{
	if (!best->is_there)
		return false;
	return f->n < FEW ? score > ENOUGH && best->score < score * 0.9 : best->score < score - 2;
}

static int choose(struct fitting *f)
{
	struct rarog_fit its = { 0 };
	int r = rarog_vec_push(&f->model->terms, (struct rarog_influence_term){ 0 });
	double score;

	if (r == 0)
		r = fit(f, UINT32_MAX, &its);
	if (r < 0)
		return r;
	score = score_of(f, &its);
	rarog_fit_release(&its);
	for (;;) {
		struct step best;

		r = find_step(f, &best);
		if (r < 0 || !is_worth(f, &best, score))
			return r;
		r = push_whole(f->model, &best.term);
		if (r < 0)
			return r;
		score = best.score;
	}
}

/* --- how good it is --- */

static double told(const struct fitting *f, const struct rarog_fit *its, size_t run)
{
	double sum = 0;

	for (size_t k = 0; k < f->model->terms.n; k++)
		sum += its->b[k] * term_value(f, &f->model->terms.v[k], run);
	return sum;
}

/* Each configuration from the others, with the same terms. */
static int cross_validate(struct fitting *f)
{
	double sum = 0;
	size_t n = 0;

	for (uint32_t group = 0; group < f->n; group++) {
		struct rarog_fit its = { 0 };
		int r = f->group[group] == group ? fit(f, group, &its) : -EDOM;

		for (size_t i = 0; r == 0 && i < f->n; i++)
			if (f->group[i] == group) {
				sum += relative(f, told(f, &its, i), f->y[i]);
				n++;
			}
		f->model->n_cv += r == 0;
		rarog_fit_release(&its);
		if (r < 0 && r != -EDOM)
			return r;
	}
	f->model->cv_error = n > 0 ? sum / (double)n : NAN;
	return 0;
}

static int make(struct fitting *f)
{
	int r = add_factors(f);

	if (r == 0)
		r = fill(f);
	if (r == 0 && f->model->n_configurations < 2)
		r = rarog_fail(-EDOM, "influence: all runs are of one configuration; measure "
				      "others, too (--option, options of a job)");
	if (r == 0)
		r = choose(f);
	if (r == 0)
		r = fit(f, UINT32_MAX, &f->model->fit);
	if (r < 0)
		return r;
	f->model->freedom = (double)(f->n - f->model->terms.n);
	f->model->own_error = own_error(f, &f->model->fit);
	return cross_validate(f);
}

int rarog_influence_fit(size_t n, const struct rarog_influence_run runs[n],
			struct rarog_influence *ret_influence)
{
	struct fitting f = { .n = n, .runs = runs, .model = ret_influence };
	int r;

	*ret_influence = (struct rarog_influence){ 0 };
	if (n < 2)
		return rarog_fail(-EDOM, "influence: two runs are needed, of two configurations");
	r = make(&f);
	free(f.values);
	free(f.y);
	free(f.group);
	return r;
}

void rarog_influence_release(struct rarog_influence *influence)
{
	for (size_t i = 0; i < influence->factors.n; i++) {
		free(influence->factors.v[i].option);
		free(influence->factors.v[i].value);
	}
	for (size_t i = 0; i < influence->options.n; i++) {
		free(influence->options.v[i].name);
		free(influence->options.v[i].first);
	}
	rarog_vec_release(&influence->options);
	rarog_vec_release(&influence->factors);
	rarog_vec_release(&influence->terms);
	rarog_fit_release(&influence->fit);
}
