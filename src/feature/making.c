/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One configuration after the other: what it needs is put on, and the model has the last word. */
#include <string.h>

#include "base/error.h"
#include "feature/sampling-own.h"

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

static bool is_allowed(struct rarog_making *m)
{
	size_t n_on = 0;

	close_over(m);
	for (size_t i = 0; i < m->n; i++)
		if (is_on(m, i))
			m->on[n_on++] = m->model->features.v[i].name;
	return rarog_feature_model_allows(m->model, n_on, m->on, NULL);
}

/* Of alternatives one is on: where a constraint wants another one that is off, it is put on. */
bool rarog_making_allows(struct rarog_making *m)
{
	if (is_allowed(m))
		return true;
	memcpy(m->tried, m->chosen, m->n * sizeof(*m->chosen));
	for (size_t i = 0; m->model->constraints.n > 0 && i < m->n; i++) {
		if (is_on(m, i) || rarog_making_values(m, i) < 2)
			continue;
		m->chosen[i] = 1;
		if (is_allowed(m))
			return true;
		memcpy(m->chosen, m->tried, m->n * sizeof(*m->chosen));
	}
	return false;
}

int rarog_making_propose(struct rarog_making *m)
{
	if (!rarog_making_allows(m)) {
		m->sampling->n_forbidden++;
		return 0;
	}
	return is_made(m) ? 0 : push(m);
}
