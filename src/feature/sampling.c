/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/sampling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "num/random.h"

const char *const rarog_sampling_names[] = { "feature-wise", "pair-wise", "random", NULL };

/* A feature's value is a number: 0 is the first, which is off, unless the feature is mandatory. */
struct making {
	const struct rarog_feature_model *model;
	struct rarog_sampling *sampling;
	size_t n;
	size_t *chosen; /* [n] */
	const char **on;
	RAROG_VEC(size_t) made; /* n numbers a configuration */
};

static size_t count_values(const struct rarog_feature_entry *entry)
{
	return entry->is_switch ? 2 : entry->values.n;
}

static const char *value_of(const struct rarog_feature_entry *entry, size_t number)
{
	static const char *const truths[] = { "false", "true" };

	return entry->is_switch ? truths[number] : entry->values.v[number];
}

/* A mandatory option is on with each of its values; a switch is not. */
static bool is_on(const struct making *m, size_t feature)
{
	const struct rarog_feature_entry *entry = &m->model->features.v[feature];

	return m->chosen[feature] > 0 || (entry->is_mandatory && !entry->is_switch);
}

/* What is needed for what is on. */
static void close_over(struct making *m)
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

				if (!is_on(m, number) && count_values(other) > 1) {
					m->chosen[number] = 1;
					has_changed = true;
				}
			}
		}
	}
}

static bool is_made(const struct making *m)
{
	for (size_t i = 0; i + m->n <= m->made.n; i += m->n)
		if (memcmp(m->made.v + i, m->chosen, m->n * sizeof(*m->chosen)) == 0)
			return true;
	return false;
}

static int push(struct making *m)
{
	struct rarog_configuration configuration = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n; i++) {
		const struct rarog_feature_entry *entry = &m->model->features.v[i];

		if (rarog_vec_push(&m->made, m->chosen[i]) < 0)
			r = rarog_oom();
		else if (count_values(entry) > 0)
			r = rarog_configuration_set(&configuration,
						    entry->option ? entry->option : entry->name,
						    value_of(entry, m->chosen[i]));
	}
	if (r == 0 && rarog_vec_push(&m->sampling->list, configuration) == 0)
		return 0;
	rarog_configuration_release(&configuration);
	return r < 0 ? r : rarog_oom();
}

/* What is chosen now, if it may be and is not there yet. */
static int propose(struct making *m)
{
	size_t n_on = 0;

	close_over(m);
	for (size_t i = 0; i < m->n; i++)
		if (is_on(m, i))
			m->on[n_on++] = m->model->features.v[i].name;
	if (!rarog_feature_model_allows(m->model, n_on, m->on, NULL)) {
		m->sampling->n_forbidden++;
		return 0;
	}
	return is_made(m) ? 0 : push(m);
}

static void clear(struct making *m)
{
	memset(m->chosen, 0, m->n * sizeof(*m->chosen));
}

static int add_each(struct making *m)
{
	int r;

	clear(m);
	r = propose(m);
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 1; r == 0 && k < count_values(&m->model->features.v[i]); k++) {
			clear(m);
			m->chosen[i] = k;
			r = propose(m);
		}
	return r;
}

static int add_pairs(struct making *m)
{
	int r = 0;

	for (size_t i = 0; i < m->n; i++)
		for (size_t k = i + 1; r == 0 && k < m->n; k++) {
			size_t a = count_values(&m->model->features.v[i]);
			size_t b = count_values(&m->model->features.v[k]);

			if (a < 2 || b < 2)
				continue;
			clear(m);
			m->chosen[i] = a - 1;
			m->chosen[k] = b - 1;
			r = propose(m);
		}
	return r;
}

static int add_random(struct making *m, size_t n, uint64_t seed)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(seed);
	int r = random ? 0 : rarog_oom();

	for (size_t tries = 0; r == 0 && m->sampling->list.n < n && tries < 100 * n; tries++) {
		for (size_t i = 0; i < m->n; i++) {
			size_t values = count_values(&m->model->features.v[i]);

			m->chosen[i] = values > 1 ? rarog_random_below(random, values) : 0;
		}
		r = propose(m);
	}
	return r;
}

static bool has_choice(const struct rarog_feature_model *model)
{
	for (size_t i = 0; i < model->features.n; i++)
		if (count_values(&model->features.v[i]) > 1)
			return true;
	return false;
}

int rarog_sampling_make(const struct rarog_feature_model *model, enum rarog_sampling_plan plan,
			size_t n, uint64_t seed, struct rarog_sampling *ret_sampling)
{
	struct making m = { .model = model, .sampling = ret_sampling, .n = model->features.n };
	int r = 0;

	*ret_sampling = (struct rarog_sampling){ 0 };
	if (!has_choice(model))
		return rarog_fail(-EDOM, "plan: no feature of the model has two values; give "
					 "values, or kind: switch");
	m.chosen = calloc(m.n + 1, sizeof(*m.chosen));
	m.on = calloc(m.n + 1, sizeof(*m.on));
	if (!m.chosen || !m.on)
		r = rarog_oom();
	else if (plan == RAROG_SAMPLING_RANDOM)
		r = add_random(&m, n, seed);
	else
		r = add_each(&m);
	if (r == 0 && plan == RAROG_SAMPLING_PAIR_WISE)
		r = add_pairs(&m);
	free(m.chosen);
	free(m.on);
	rarog_vec_release(&m.made);
	return r;
}

void rarog_sampling_release(struct rarog_sampling *sampling)
{
	for (size_t i = 0; i < sampling->list.n; i++)
		rarog_configuration_release(&sampling->list.v[i]);
	rarog_vec_release(&sampling->list);
}
