/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"

/* --- names --- */

struct name {
	const char *text;
	int32_t number;
};

/* Sorted. */
struct names {
	size_t n;
	struct name *v;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static int sort_names(const struct rarog_feature_model *model, const char *file,
		      struct names *ret_names)
{
	size_t n = model->features.n;
	struct name *v = calloc(n + 1, sizeof(*v));

	if (!v)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		v[i] = (struct name){ model->features.v[i].name, (int32_t)i };
	qsort(v, n, sizeof(*v), compare_names);
	*ret_names = (struct names){ n, v };
	for (size_t i = 1; i < n; i++)
		if (strcmp(v[i - 1].text, v[i].text) == 0)
			return rarog_fail(-EINVAL, "%s: two features are called %s", file,
					  v[i].text);
	return 0;
}

static int compare_to(const char *text, const char *name, size_t n)
{
	int order = strncmp(text, name, n);

	return order == 0 && text[n] ? 1 : order;
}

static int32_t number_of(const void *user, const char *name, size_t n)
{
	const struct names *names = user;
	size_t i = rarog_lower_bound(k, names->n, compare_to(names->v[k].text, name, n) < 0);

	return i < names->n && compare_to(names->v[i].text, name, n) == 0 ? names->v[i].number : -1;
}

/* --- reading --- */

static int read_numbers(const struct names *names, const char *file,
			const struct rarog_feature_names *from, struct rarog_rules_numbers *into)
{
	for (size_t i = 0; i < from->n; i++) {
		int32_t number = number_of(names, from->v[i], strlen(from->v[i]));

		if (number < 0)
			return rarog_fail(-EINVAL, "%s: %s is no feature", file, from->v[i]);
		if (rarog_vec_push(&into->list, (uint32_t)number) < 0)
			return rarog_oom();
	}
	return 0;
}

static int read_feature(const struct names *names, const char *file,
			const struct rarog_feature_entry *entry, struct rarog_rules *rules)
{
	struct rarog_rules_feature feature = { .is_mandatory = entry->is_mandatory };
	int r = read_numbers(names, file, &entry->implies, &feature.implies);

	if (r == 0)
		r = read_numbers(names, file, &entry->excludes, &feature.excludes);
	if (rarog_vec_push(&rules->features, feature) == 0)
		return r;
	rarog_vec_release(&feature.implies.list);
	rarog_vec_release(&feature.excludes.list);
	return rarog_oom();
}

static int read_alternatives(const struct names *names, const char *file,
			     const struct rarog_feature_names *from, struct rarog_rules *rules)
{
	if (rarog_vec_push(&rules->alternatives, ((struct rarog_rules_numbers){ 0 })) < 0)
		return rarog_oom();
	return read_numbers(names, file, from, &rules->alternatives.v[rules->alternatives.n - 1]);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int list_features(struct rarog_rules_constraint *constraint)
{
	struct rarog_rules_numbers *features = &constraint->features;
	size_t n = 0;

	for (size_t i = 0; i < constraint->its.code.n; i++)
		if (constraint->its.code.v[i] >= 0 &&
		    rarog_vec_push(&features->list, (uint32_t)constraint->its.code.v[i]) < 0)
			return rarog_oom();
	qsort(features->list.v, features->list.n, sizeof(*features->list.v), compare_numbers);
	for (size_t i = 0; i < features->list.n; i++)
		if (n == 0 || features->list.v[n - 1] != features->list.v[i])
			features->list.v[n++] = features->list.v[i];
	features->list.n = n;
	return 0;
}

static int read_constraint(const struct names *names, const char *file, const char *text,
			   struct rarog_rules *rules)
{
	struct rarog_rules_constraint *into;
	int r;

	if (rarog_vec_push(&rules->constraints, ((struct rarog_rules_constraint){ 0 })) < 0)
		return rarog_oom();
	into = &rules->constraints.v[rules->constraints.n - 1];
	r = rarog_constraint_read(text, number_of, names, &into->its);
	if (r == -EINVAL)
		return rarog_fail(r,
				  "%s: '%s' is no constraint: it has names of features, !, &, |, "
				  "=>, <=> and parentheses",
				  file, text);
	return r < 0 ? r : list_features(into);
}

static int read_all(const struct rarog_feature_model *model, const struct names *names,
		    const char *file, struct rarog_rules *rules)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < model->features.n; i++)
		r = read_feature(names, file, &model->features.v[i], rules);
	for (size_t i = 0; r == 0 && i < model->alternatives.n; i++)
		r = read_alternatives(names, file, &model->alternatives.v[i], rules);
	for (size_t i = 0; r == 0 && i < model->constraints.n; i++)
		r = read_constraint(names, file, model->constraints.v[i], rules);
	return r;
}

int rarog_rules_make(const struct rarog_feature_model *model, const char *file,
		     struct rarog_rules *ret_rules)
{
	struct names names = { 0 };
	int r;

	*ret_rules = (struct rarog_rules){ 0 };
	r = sort_names(model, file, &names);
	if (r == 0)
		r = read_all(model, &names, file, ret_rules);
	free(names.v);
	return r;
}

void rarog_rules_release(struct rarog_rules *rules)
{
	for (size_t i = 0; i < rules->features.n; i++) {
		rarog_vec_release(&rules->features.v[i].implies.list);
		rarog_vec_release(&rules->features.v[i].excludes.list);
	}
	for (size_t i = 0; i < rules->alternatives.n; i++)
		rarog_vec_release(&rules->alternatives.v[i].list);
	for (size_t i = 0; i < rules->constraints.n; i++) {
		rarog_constraint_release(&rules->constraints.v[i].its);
		rarog_vec_release(&rules->constraints.v[i].features.list);
	}
	rarog_vec_release(&rules->features);
	rarog_vec_release(&rules->alternatives);
	rarog_vec_release(&rules->constraints);
}

/* --- asking --- */

/* The first of @numbers that is on, or is not. */
static size_t find(const struct rarog_rules_numbers *numbers, const bool on[], bool is_on)
{
	for (size_t i = 0; i < numbers->list.n; i++)
		if (on[numbers->list.v[i]] == is_on)
			return numbers->list.v[i];
	return RAROG_RULES_NONE;
}

static size_t find_second(const struct rarog_rules_numbers *numbers, const bool on[])
{
	size_t n_on = 0;

	for (size_t i = 0; i < numbers->list.n; i++)
		if (on[numbers->list.v[i]] && n_on++ > 0)
			return numbers->list.v[i];
	return RAROG_RULES_NONE;
}

size_t rarog_rules_names(const struct rarog_rules *rules, const bool on[])
{
	size_t found = RAROG_RULES_NONE;

	for (size_t i = 0; i < rules->features.n && found == RAROG_RULES_NONE; i++) {
		const struct rarog_rules_feature *feature = &rules->features.v[i];

		if (feature->is_mandatory && !on[i])
			return i;
		if (on[i])
			found = find(&feature->implies, on, false);
		if (on[i] && found == RAROG_RULES_NONE)
			found = find(&feature->excludes, on, true);
	}
	for (size_t i = 0; i < rules->alternatives.n && found == RAROG_RULES_NONE; i++)
		found = find_second(&rules->alternatives.v[i], on);
	return found;
}

size_t rarog_rules_constraint(const struct rarog_rules *rules, const bool on[])
{
	for (size_t i = 0; i < rules->constraints.n; i++)
		if (!rarog_constraint_holds(&rules->constraints.v[i].its, on))
			return i;
	return RAROG_RULES_NONE;
}

bool rarog_rules_allow(const struct rarog_rules *rules, const bool on[])
{
	return rarog_rules_names(rules, on) == RAROG_RULES_NONE &&
	       rarog_rules_constraint(rules, on) == RAROG_RULES_NONE;
}
