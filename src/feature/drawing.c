/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random configurations of which each that the model allows is as likely as any other. Where all
 * combinations can be listed, those that are allowed are drawn from; else combinations are thrown
 * away until one is allowed. Where hardly any is, a walk goes from one that is to the next: some
 * options get other values, and if that is allowed it goes there (Metropolis et al. 1953; a change
 * is as likely as its reverse, so no configuration is preferred). To mend what is forbidden would
 * prefer those that have much on.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "feature/sampling-own.h"
#include "num/random.h"

#define TRIES  200 /* a configuration */
#define STEPS  30  /* of the walk from one that is taken to the next, an option */
#define FIRST  5   /* … that many times before the first is taken */
#define CHANGE 3   /* options that a step changes at most */

/* All that are allowed, by their numbers. */
static int draw_listed(struct rarog_making *m, struct rarog_random *random, size_t n)
{
	size_t n_all = rarog_making_combinations(m), n_allowed = 0;
	rarog_cleanup(rarog_freep) double *numbers = calloc(n_all, sizeof(*numbers));
	int r = numbers ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < n_all; i++) {
		rarog_making_combine(m, i);
		if (rarog_making_holds(m))
			numbers[n_allowed++] = (double)i;
	}
	if (n_allowed == 0)
		m->sampling->n_forbidden = n_all;
	if (r == 0)
		rarog_random_shuffle(random, n_allowed, numbers);
	for (size_t i = 0; r == 0 && i < n_allowed && m->sampling->list.n < n; i++) {
		rarog_making_combine(m, (size_t)numbers[i]);
		r = rarog_making_take(m);
	}
	return r;
}

static void choose_value(struct rarog_making *m, struct rarog_random *random, size_t feature)
{
	const struct rarog_feature_entry *entry = &m->model->features.v[feature];
	size_t values = rarog_making_values(m, feature);

	if (entry->is_switch && entry->is_mandatory)
		m->chosen[feature] = 1;
	else
		m->chosen[feature] = values > 1 ? rarog_random_below(random, values) : 0;
}

static int draw_freely(struct rarog_making *m, struct rarog_random *random, size_t n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < TRIES * n && m->sampling->list.n < n; i++) {
		for (size_t k = 0; k < m->n; k++)
			choose_value(m, random, k);
		r = rarog_making_take(m);
	}
	return r;
}

/* Any that is allowed: from here on it does not matter how it was found. What is on stays on while
 * it is looked for, so little is on at first. */
static bool find_one(struct rarog_making *m, struct rarog_random *random)
{
	for (size_t i = 0; i < TRIES; i++) {
		for (size_t k = 0; k < m->n; k++)
			m->chosen[k] = 0;
		if (i > 0 && m->n > 0)
			choose_value(m, random, rarog_random_below(random, m->n));
		if (rarog_making_allows(m))
			return true;
	}
	return false;
}

static void walk(struct rarog_making *m, struct rarog_random *random, size_t steps, size_t *saved)
{
	for (size_t i = 0; i < steps; i++) {
		size_t n = 1 + rarog_random_below(random, CHANGE);

		memcpy(saved, m->chosen, m->n * sizeof(*saved));
		for (size_t k = 0; k < n; k++)
			choose_value(m, random, rarog_random_below(random, m->n));
		if (!rarog_making_holds(m))
			memcpy(m->chosen, saved, m->n * sizeof(*saved));
	}
}

static int draw_walking(struct rarog_making *m, struct rarog_random *random, size_t n)
{
	rarog_cleanup(rarog_freep) size_t *saved = calloc(m->n, sizeof(*saved));
	int r = saved ? 0 : rarog_oom();

	if (r < 0 || !find_one(m, random))
		return r;
	walk(m, random, FIRST * STEPS * m->n, saved);
	for (size_t i = 0; r == 0 && i < FIRST * n && m->sampling->list.n < n; i++) {
		walk(m, random, STEPS * m->n, saved);
		r = rarog_making_take(m);
	}
	return r;
}

int rarog_making_draw(struct rarog_making *m, size_t n, uint64_t seed)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(seed);
	size_t n_forbidden = m->sampling->n_forbidden;
	int r;

	if (!random)
		return rarog_oom();
	if (rarog_making_combinations(m) <= RAROG_SAMPLING_MOST)
		return draw_listed(m, random, n);
	r = draw_freely(m, random, n);
	if (r == 0 && m->sampling->list.n < n)
		r = draw_walking(m, random, n);
	if (m->sampling->list.n > 0) /* what was thrown away was not proposed */
		m->sampling->n_forbidden = n_forbidden;
	return r;
}
