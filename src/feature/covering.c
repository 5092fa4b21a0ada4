/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Few configurations in which all that meets in a region meets in each combination of values: one
 * configuration serves many regions. The first combination that no configuration has yet begins the
 * next one; all others that fit into it are put into it, too. What is left has its first value.
 * The model has the last word: if it forbids all of it together, the first one is tried alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "feature/sampling-own.h"

#define OPEN SIZE_MAX /* a value that is not chosen yet */

/* Values for the features of a set; number: as if these were digits. */
struct target {
	uint64_t set;
	size_t number;
	bool is_done;
};

struct targets {
	RAROG_VEC(struct target) list;
};

static bool is_in(uint64_t set, size_t feature)
{
	return set >> feature & 1;
}

static size_t count_combinations(const struct rarog_making *m, uint64_t set)
{
	size_t n = 1;

	for (size_t i = 0; i < m->n; i++)
		if (is_in(set, i) && rarog_making_values(m, i) > 1 &&
		    __builtin_mul_overflow(n, rarog_making_values(m, i), &n))
			return SIZE_MAX;
	return n;
}

/* What is in a larger set has its combinations there. */
static bool is_in_another(const struct rarog_meetings *meetings, size_t which)
{
	uint64_t set = meetings->sets.v[which];

	for (size_t i = 0; i < meetings->sets.n; i++)
		if (i != which && (meetings->sets.v[i] & set) == set &&
		    (meetings->sets.v[i] != set || i < which))
			return true;
	return false;
}

static int list_targets(const struct rarog_making *m, const struct rarog_meetings *meetings,
			struct targets *targets)
{
	for (size_t i = 0; i < meetings->sets.n; i++) {
		size_t n = count_combinations(m, meetings->sets.v[i]);

		if (is_in_another(meetings, i))
			continue;
		if (n > RAROG_SAMPLING_MOST - targets->list.n)
			return rarog_fail(-E2BIG,
					  "plan: more than %d combinations meet in regions; give "
					  "options fewer values, or choose another plan",
					  RAROG_SAMPLING_MOST);
		for (size_t k = 0; k < n; k++)
			if (rarog_vec_push(&targets->list,
					   ((struct target){ meetings->sets.v[i], k, false })) < 0)
				return rarog_oom();
	}
	return 0;
}

/* Put it in if it contradicts nothing. */
static bool put_in(const struct rarog_making *m, const struct target *target, size_t *chosen)
{
	size_t number = target->number;

	for (size_t pass = 0; pass < 2; pass++, number = target->number)
		for (size_t i = 0; i < m->n; i++) {
			size_t n = rarog_making_values(m, i);

			if (!is_in(target->set, i) || n < 2)
				continue;
			if (pass == 0 && chosen[i] != OPEN && chosen[i] != number % n)
				return false;
			if (pass > 0)
				chosen[i] = number % n;
			number /= n;
		}
	return true;
}

static void fill(struct rarog_making *m, const size_t *chosen)
{
	for (size_t i = 0; i < m->n; i++)
		m->chosen[i] = chosen[i] == OPEN ? 0 : chosen[i];
}

static void forget(const struct rarog_making *m, size_t *chosen)
{
	for (size_t i = 0; i < m->n; i++)
		chosen[i] = OPEN;
}

/* Of as many as go together; false: not even the first is allowed. */
static bool make_one(struct rarog_making *m, const struct targets *targets, size_t first,
		     size_t *chosen)
{
	const struct target *v = targets->list.v;

	forget(m, chosen);
	put_in(m, &v[first], chosen);
	for (size_t i = first + 1; i < targets->list.n; i++)
		if (!v[i].is_done)
			put_in(m, &v[i], chosen);
	fill(m, chosen);
	if (rarog_making_allows(m))
		return true;
	forget(m, chosen);
	put_in(m, &v[first], chosen);
	fill(m, chosen);
	return rarog_making_allows(m);
}

/* The model may have changed what was put in. */
static void mark_done(struct rarog_making *m, struct targets *targets)
{
	for (size_t i = 0; i < targets->list.n; i++)
		if (put_in(m, &targets->list.v[i], m->chosen))
			targets->list.v[i].is_done = true;
}

int rarog_making_cover(struct rarog_making *m, const struct rarog_meetings *meetings)
{
	rarog_cleanup(rarog_freep) size_t *chosen = calloc(m->n + 1, sizeof(*chosen));
	struct targets targets = { 0 };
	int r = chosen ? list_targets(m, meetings, &targets) : rarog_oom();

	for (size_t i = 0; r == 0 && i < targets.list.n; i++) {
		if (targets.list.v[i].is_done)
			continue;
		targets.list.v[i].is_done = true;
		if (!make_one(m, &targets, i, chosen)) {
			m->sampling->n_forbidden++;
			continue;
		}
		r = rarog_making_propose(m);
		mark_done(m, &targets);
	}
	rarog_vec_release(&targets.list);
	return r;
}
