/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One configuration after the other: what it needs is put on, and the model has the last word. */
#include <string.h>

#include "base/error.h"
#include "feature/constraint.h"
#include "feature/sampling-own.h"

#define STEPS 2000 /* of a search: constraints of real models are short, and need few */

size_t rarog_making_values(const struct rarog_making *m, size_t feature)
{
	const struct rarog_feature_entry *entry = &m->model->features.v[feature];

	return entry->is_switch ? 2 : entry->values.n;
}

static const char *value_of(const struct rarog_feature_entry *entry, size_t number)
{
	static const char *const truths[] = { "false", "true" };

	return entry->is_switch ? truths[number] : entry->values.v[number];
}

/* A mandatory option is on with each of its values; a switch is not. */
static bool is_on(const struct rarog_making *m, size_t feature)
{
	const struct rarog_feature_entry *entry = &m->model->features.v[feature];

	return m->chosen[feature] > 0 || (entry->is_mandatory && !entry->is_switch);
}

/* What is needed for what is on. */
static void close_over(struct rarog_making *m)
{
	bool has_changed = true;

	while (has_changed) {
		has_changed = false;
		for (size_t i = 0; i < m->n; i++) {
			const struct rarog_feature_entry *entry = &m->model->features.v[i];

			if (entry->is_mandatory && !is_on(m, i)) {
				m->chosen[i] = 1;
				has_changed = true;
			}
			for (size_t k = 0; is_on(m, i) && k < entry->implies.n; k++) {
				const struct rarog_feature_entry *other =
					rarog_feature_model_find(m->model, entry->implies.v[k]);
				size_t number = other ? (size_t)(other - m->model->features.v) : i;

				if (!is_on(m, number) && rarog_making_values(m, number) > 1) {
					m->chosen[number] = 1;
					has_changed = true;
				}
			}
		}
	}
}

size_t rarog_making_combinations(const struct rarog_making *m)
{
	size_t n = 1;

	for (size_t i = 0; i < m->n; i++)
		if (rarog_making_values(m, i) > 1 &&
		    __builtin_mul_overflow(n, rarog_making_values(m, i), &n))
			return SIZE_MAX;
	return n;
}

void rarog_making_combine(struct rarog_making *m, size_t number)
{
	for (size_t i = m->n; i-- > 0;) {
		size_t values = rarog_making_values(m, i);

		m->chosen[i] = values > 1 ? number % values : 0;
		number /= values > 1 ? values : 1;
	}
}

static bool is_made(const struct rarog_making *m)
{
	for (size_t i = 0; i + m->n <= m->made.n; i += m->n)
		if (memcmp(m->made.v + i, m->chosen, m->n * sizeof(*m->chosen)) == 0)
			return true;
	return false;
}

static int push(struct rarog_making *m)
{
	struct rarog_configuration configuration = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n; i++) {
		const struct rarog_feature_entry *entry = &m->model->features.v[i];

		if (rarog_vec_push(&m->made, m->chosen[i]) < 0)
			r = rarog_oom();
		else if (rarog_making_values(m, i) > 0)
			r = rarog_configuration_set(&configuration,
						    entry->option ? entry->option : entry->name,
						    value_of(entry, m->chosen[i]));
	}
	if (r == 0 && rarog_vec_push(&m->sampling->list, configuration) == 0)
		return 0;
	rarog_configuration_release(&configuration);
	return r < 0 ? r : rarog_oom();
}

static size_t list_on(struct rarog_making *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		if (is_on(m, i))
			m->on[n++] = m->model->features.v[i].name;
	return n;
}

/* @ret_why: what is in the way; NULL: nothing can be added that would help. */
static bool is_allowed(struct rarog_making *m, const char **ret_why)
{
	*ret_why = NULL;
	close_over(m);
	for (size_t i = 0; i < m->n; i++)
		if (m->barred[i] && m->chosen[i] > 0)
			return false;
	return rarog_feature_model_allows(m->model, list_on(m), m->on, ret_why);
}

static bool is_constraint(const struct rarog_making *m, const char *text)
{
	for (size_t i = 0; i < m->model->constraints.n; i++)
		if (m->model->constraints.v[i] == text)
			return true;
	return false;
}

struct wanted_name {
	const char *name;
	bool is_there;
};

static int look_at(void *user, const char *name, size_t n)
{
	struct wanted_name *wanted = user;

	wanted->is_there |=
		*wanted->name == *name && strncmp(wanted->name, name, n) == 0 && !wanted->name[n];
	return 0;
}

static bool names_feature(const struct rarog_making *m, const char *constraint, size_t feature)
{
	struct wanted_name wanted = { .name = m->model->features.v[feature].name };

	rarog_feature_constraint(constraint, look_at, &wanted);
	return wanted.is_there;
}

/* May it be put on because of @constraint? */
static bool may_help(const struct rarog_making *m, const char *constraint, size_t feature)
{
	return !is_on(m, feature) && !m->barred[feature] && rarog_making_values(m, feature) > 1 &&
	       names_feature(m, constraint, feature);
}

/* Of the constraints that do not hold the one for which there is the least choice: where there is
 * none, nothing else helps. */
static const char *find_tightest(struct rarog_making *m)
{
	const struct rarog_feature_names *all = &m->model->constraints;
	const char *found = NULL;
	size_t n_on = list_on(m), least = SIZE_MAX;

	for (size_t i = 0; i < all->n && least > 0; i++) {
		size_t n = 0;

		if (rarog_feature_model_holds(m->model, all->v[i], n_on, m->on))
			continue;
		for (size_t k = 0; k < m->n && n < least; k++)
			n += may_help(m, all->v[i], k);
		if (n < least) {
			least = n;
			found = all->v[i];
		}
	}
	return found;
}

/*
 * What is on stays on, so all that can help is to put on what a constraint that does not hold
 * names. Once that failed with one of its features, this one stays off for the others: no set is
 * tried twice, and none is left out.
 */
static bool search(struct rarog_making *m, size_t depth)
{
	size_t *saved = m->tried + depth * m->n;
	const char *why;
	bool is_found = is_allowed(m, &why);

	if (is_found || depth == m->n || m->steps == 0 || !why || !is_constraint(m, why))
		return is_found;
	m->steps--;
	why = find_tightest(m);
	memcpy(saved, m->chosen, m->n * sizeof(*saved));
	for (size_t i = 0; !is_found && i < m->n; i++) {
		if (!may_help(m, why, i))
			continue;
		m->chosen[i] = 1;
		is_found = search(m, depth + 1);
		if (!is_found) {
			memcpy(m->chosen, saved, m->n * sizeof(*saved));
			m->barred[i] = depth + 1;
		}
	}
	for (size_t i = 0; i < m->n; i++)
		if (m->barred[i] == depth + 1)
			m->barred[i] = 0;
	return is_found;
}

bool rarog_making_allows(struct rarog_making *m)
{
	m->steps = STEPS;
	return search(m, 0);
}

int rarog_making_propose(struct rarog_making *m)
{
	if (!rarog_making_allows(m)) {
		m->sampling->n_forbidden++;
		return 0;
	}
	return is_made(m) ? 0 : push(m);
}

bool rarog_making_holds(struct rarog_making *m)
{
	return rarog_feature_model_allows(m->model, list_on(m), m->on, NULL);
}

int rarog_making_take(struct rarog_making *m)
{
	if (!rarog_making_holds(m)) {
		m->sampling->n_forbidden++;
		return 0;
	}
	return is_made(m) ? 0 : push(m);
}
