/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One configuration after the other: what it needs is put on, and the model has the last word. */
#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
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
			const struct rarog_rules_numbers *implies = &m->rules.features.v[i].implies;

			if (m->rules.features.v[i].is_mandatory && !is_on(m, i)) {
				m->chosen[i] = 1;
				has_changed = true;
			}
			for (size_t k = 0; is_on(m, i) && k < implies->list.n; k++) {
				uint32_t other = implies->list.v[k];

				if (!is_on(m, other) && rarog_making_values(m, other) > 1) {
					m->chosen[other] = 1;
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

static bool is_row(const void *list, size_t number, const void *key)
{
	const struct rarog_making *m = list;

	return memcmp(m->made.v + number * m->n, key, m->n * sizeof(*m->chosen)) == 0;
}

static int add_option(const struct rarog_making *m, size_t feature,
		      struct rarog_configuration *configuration)
{
	const struct rarog_feature_entry *entry = &m->model->features.v[feature];

	if (rarog_making_values(m, feature) == 0)
		return 0;
	return rarog_configuration_set(configuration, entry->option ? entry->option : entry->name,
				       value_of(entry, m->chosen[feature]));
}

static int add_configuration(struct rarog_making *m)
{
	struct rarog_configuration configuration = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n; i++)
		r = add_option(m, i, &configuration);
	if (r == 0 && rarog_vec_push(&m->sampling->list, configuration) == 0)
		return 0;
	rarog_configuration_release(&configuration);
	return r < 0 ? r : rarog_oom();
}

int rarog_making_too_many(void)
{
	return rarog_fail(-E2BIG, "plan: more than %d configurations; let another plan choose some",
			  RAROG_SAMPLING_MOST);
}

int rarog_making_fits(const struct rarog_making *m, size_t n)
{
	if (n > RAROG_SAMPLING_MOST)
		return rarog_making_too_many();
	if (n * m->n <= RAROG_SAMPLING_CELLS)
		return 0;
	return rarog_fail(-E2BIG,
			  "plan: more than %d values, as each configuration has one of each of %zu "
			  "options; plan fewer of them",
			  RAROG_SAMPLING_CELLS, m->n);
}

/* What is chosen now, if it is not there yet. */
static int push(struct rarog_making *m)
{
	size_t size = m->n * sizeof(*m->chosen), end = m->made.n + m->n;
	struct rarog_index_slot *slot =
		rarog_index_at(&m->made_index, XXH3_64bits(m->chosen, size), is_row, m, m->chosen);

	if (!slot || rarog_vec_reserve(&m->made, end) < 0)
		return rarog_oom();
	if (slot->entry)
		return 0;
	if (rarog_making_fits(m, m->sampling->list.n + 1) < 0)
		return -E2BIG;
	memcpy(m->made.v + m->made.n, m->chosen, size);
	m->made.n = end;
	slot->entry = (uint32_t)(end / m->n);
	return add_configuration(m);
}

static void list_on(struct rarog_making *m)
{
	for (size_t i = 0; i < m->n; i++)
		m->on[i] = is_on(m, i);
}

/* @ret_may_change: a constraint is in the way; what else is no addition would help. */
static bool is_allowed(struct rarog_making *m, bool *ret_may_change)
{
	*ret_may_change = false;
	close_over(m);
	for (size_t i = 0; i < m->n; i++)
		if (m->barred[i] && m->chosen[i] > 0)
			return false;
	list_on(m);
	if (rarog_rules_names(&m->rules, m->on) != RAROG_RULES_NONE)
		return false;
	*ret_may_change = rarog_rules_constraint(&m->rules, m->on) != RAROG_RULES_NONE;
	return !*ret_may_change;
}

/* May it be put on? */
static bool may_help(const struct rarog_making *m, size_t feature)
{
	return !is_on(m, feature) && !m->barred[feature] && rarog_making_values(m, feature) > 1;
}

/* Of the constraints that do not hold the one for which there is the least choice: where there is
 * none, nothing else helps. NULL: all hold. */
static const struct rarog_rules_numbers *find_tightest(const struct rarog_making *m)
{
	const struct rarog_rules_numbers *found = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < m->rules.constraints.n && least > 0; i++) {
		const struct rarog_rules_constraint *one = &m->rules.constraints.v[i];
		size_t n = 0;

		if (rarog_constraint_holds(&one->its, m->on))
			continue;
		for (size_t k = 0; k < one->features.list.n && n < least; k++)
			n += may_help(m, one->features.list.v[k]);
		if (n < least) {
			least = n;
			found = &one->features;
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
	const struct rarog_rules_numbers *names;
	bool may_change, is_found = is_allowed(m, &may_change);

	if (is_found || depth == m->n || m->steps == 0 || !may_change)
		return is_found;
	m->steps--;
	names = find_tightest(m);
	memcpy(saved, m->chosen, m->n * sizeof(*saved));
	for (size_t i = 0; !is_found && i < names->list.n; i++) {
		uint32_t feature = names->list.v[i];

		if (!may_help(m, feature))
			continue;
		m->chosen[feature] = 1;
		is_found = search(m, depth + 1);
		if (!is_found) {
			memcpy(m->chosen, saved, m->n * sizeof(*saved));
			m->barred[feature] = depth + 1;
		}
	}
	for (size_t i = 0; i < names->list.n; i++)
		if (m->barred[names->list.v[i]] == depth + 1)
			m->barred[names->list.v[i]] = 0;
	return is_found;
}

bool rarog_making_allows(struct rarog_making *m)
{
	m->steps = STEPS;
	return search(m, 0);
}

int rarog_making_propose(struct rarog_making *m)
{
	if (++m->proposed * m->n > RAROG_SAMPLING_TRIED)
		return rarog_fail(-E2BIG,
				  "plan: too many combinations of %zu options to try; plan fewer "
				  "of them",
				  m->n);
	if (rarog_making_allows(m))
		return push(m);
	m->sampling->n_forbidden++;
	return 0;
}

bool rarog_making_holds(struct rarog_making *m)
{
	list_on(m);
	return rarog_rules_allow(&m->rules, m->on);
}

int rarog_making_take(struct rarog_making *m)
{
	if (!rarog_making_holds(m)) {
		m->sampling->n_forbidden++;
		return 0;
	}
	return push(m);
}
