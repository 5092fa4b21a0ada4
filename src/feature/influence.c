/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/influence.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "feature/influence-own.h"

#define STEPS 20 /* different numbers, each of which may be where something changes */
#define FOLDS 10

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
static size_t different(const struct rarog_fitting *f, const char *option, const char *values[f->n],
			bool *ret_are_numbers)
{
	size_t found = 0;

	*ret_are_numbers = true;
	for (size_t i = 0; i < f->n; i++) {
		const char *text = rarog_configuration_get(&f->runs[i].configuration, option);
		size_t k = 0;
		double number;

		if (!text)
			continue;
		while (k < found && !rarog_influence_is_same(values[k], text))
			k++;
		if (k < found)
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
						 .first = strdup(n > 0 ? values[0] : ""),
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

/* At all numbers but the least. */
static int add_steps(struct rarog_influence *model, const char *option, size_t n,
		     const char *const values[n])
{
	double least = INFINITY, number = 0;
	int r = 0;

	for (size_t i = 0; i < n; i++)
		if (rarog_influence_number(values[i], &number))
			least = fmin(least, number);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (rarog_influence_number(values[i], &number) && number > least)
			r = add_factor(model, option, values[i], RAROG_INFLUENCE_STEP);
	return r;
}

static int add_option(struct rarog_fitting *f, const char *option)
{
	const char **values = calloc(f->n, sizeof(*values));
	bool are_numbers;
	size_t n = values ? different(f, option, values, &are_numbers) : 0;
	int r = values ? note_option(f->model, option, n, values, are_numbers) : rarog_oom();

	if (n > 1 && are_numbers) {
		uint8_t shapes = n == 2 || has_negative(n, values) ? 1 : RAROG_INFLUENCE_SHAPES;

		for (uint8_t i = 0; r == 0 && i < shapes; i++)
			r = add_factor(f->model, option, NULL, i);
		if (r == 0 && n > 2 && n <= STEPS)
			r = add_steps(f->model, option, n, values);
	} else {
		for (size_t i = 1; r == 0 && i < n; i++)
			r = add_factor(f->model, option, values[i], 0);
	}
	free(values);
	return r;
}

/* All runs say what all options were. */
static int check_option(const struct rarog_fitting *f, const char *option)
{
	for (size_t i = 0; i < f->n; i++)
		if (!rarog_configuration_get(&f->runs[i].configuration, option))
			return rarog_fail(-EINVAL,
					  "not all runs say what %s was; give only runs of the "
					  "same options",
					  option);
	return 0;
}

static int add_factors(struct rarog_fitting *f)
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

static bool is_same(const struct rarog_fitting *f, size_t a, size_t b)
{
	for (size_t k = 0; k < f->n_factors; k++)
		if (f->values[a * f->n_factors + k] != f->values[b * f->n_factors + k])
			return false;
	return true;
}

static void count_configurations(struct rarog_fitting *f)
{
	f->model->n_configurations = 0;
	f->within = 0;
	for (size_t i = 0; i < f->n; i++) {
		size_t n = 0, n_before = 0;
		double sum = 0;

		for (size_t k = 0; k < f->n; k++)
			if (f->group[k] == f->group[i]) {
				sum += f->y[k];
				n_before += k < i;
				n++;
			}
		f->model->n_configurations += n_before == 0;
		f->within += pow(f->y[i] - sum / (double)n, 2);
	}
}

static int fill(struct rarog_fitting *f)
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
	}
	count_configurations(f);
	f->has_few = f->model->n_configurations < RAROG_INFLUENCE_FEW;
	return 0;
}

/* --- how good it is --- */

/* The runs that are not of part @fold. */
static int leave_out(const struct rarog_fitting *f, const size_t *fold_of, size_t fold,
		     struct rarog_fitting *rest)
{
	rest->n = 0;
	rest->values = calloc(f->n * (f->n_factors + 1), sizeof(*rest->values));
	rest->y = calloc(f->n, sizeof(*rest->y));
	rest->group = calloc(f->n, sizeof(*rest->group));
	if (!rest->values || !rest->y || !rest->group)
		return rarog_oom();
	for (size_t i = 0; i < f->n; i++) {
		if (fold_of[f->group[i]] == fold)
			continue;
		memcpy(rest->values + rest->n * f->n_factors, f->values + i * f->n_factors,
		       f->n_factors * sizeof(*f->values));
		rest->group[rest->n] = f->group[i];
		rest->y[rest->n++] = f->y[i];
	}
	count_configurations(rest);
	return 0;
}

/* One part of the configurations from all others, whose terms are chosen without it. */
static int validate_fold(struct rarog_fitting *f, const size_t *fold_of, size_t fold, double *sum,
			 size_t *n)
{
	struct rarog_influence model = *f->model;
	struct rarog_fitting rest = *f;
	struct rarog_fit its = { 0 };
	int r;

	memset(&model.terms, 0, sizeof(model.terms));
	rest.model = &model;
	r = leave_out(f, fold_of, fold, &rest);
	if (r == 0)
		r = rarog_fitting_choose(&rest);
	if (r == 0)
		r = rarog_fitting_fit(&rest, &its);
	for (size_t i = 0; r == 0 && i < f->n; i++) {
		double y = 0;

		if (fold_of[f->group[i]] != fold)
			continue;
		for (size_t k = 0; k < model.terms.n; k++)
			y += its.b[k] * rarog_fitting_term(f, &model.terms.v[k], i);
		*sum += rarog_fitting_relative(f, y, f->y[i]);
		++*n;
		f->model->n_cv += f->group[i] == i;
	}
	rarog_fit_release(&its);
	rarog_vec_release(&model.terms);
	free(rest.values);
	free(rest.y);
	free(rest.group);
	return r == -EDOM ? 0 : r;
}

/* Terms that go through all configurations leave nothing to try them on. */
static int cross_validate(struct rarog_fitting *f)
{
	rarog_cleanup(rarog_freep) size_t *fold_of = calloc(f->n, sizeof(*fold_of));
	size_t n = 0, n_groups = 0;
	double sum = 0;
	int r = 0;

	f->model->cv_error = NAN;
	if (!fold_of)
		return rarog_oom();
	if (f->model->terms.n >= f->model->n_configurations)
		return 0;
	for (size_t i = 0; i < f->n; i++)
		if (f->group[i] == i)
			fold_of[i] = n_groups++ % FOLDS;
	for (size_t fold = 0; r == 0 && fold < FOLDS && fold < n_groups; fold++)
		r = validate_fold(f, fold_of, fold, &sum, &n);
	f->model->cv_error = n > 0 ? sum / (double)n : NAN;
	return r;
}

static int make(struct rarog_fitting *f)
{
	int r = add_factors(f);

	if (r == 0)
		r = fill(f);
	if (r == 0 && f->model->n_configurations < 2)
		r = rarog_fail(-EDOM, "influence: all runs are of one configuration; measure "
				      "others, too (--option, options of a job)");
	if (r == 0)
		r = rarog_fitting_choose(f);
	if (r == 0)
		r = rarog_fitting_fit(f, &f->model->fit);
	if (r < 0)
		return r;
	rarog_fitting_weigh(f);
	f->model->own_error = rarog_fitting_error(f, &f->model->fit);
	return cross_validate(f);
}

int rarog_influence_fit(size_t n, const struct rarog_influence_run runs[n],
			struct rarog_influence *ret_influence)
{
	struct rarog_fitting f = { .n = n, .runs = runs, .model = ret_influence };
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
