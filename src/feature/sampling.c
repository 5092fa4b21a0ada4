/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/sampling-own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char *const rarog_sampling_names[] = { "feature-wise", "pair-wise", "random", "regions",
					     "all",          "pairs",     NULL };

static void clear(struct rarog_making *m)
{
	memset(m->chosen, 0, m->n * sizeof(*m->chosen));
}

static int add_each(struct rarog_making *m)
{
	int r;

	clear(m);
	r = rarog_making_propose(m);
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 1; r == 0 && k < rarog_making_values(m, i); k++) {
			clear(m);
			m->chosen[i] = k;
			r = rarog_making_propose(m);
		}
	return r;
}

static int add_pairs(struct rarog_making *m)
{
	int r = 0;

	for (size_t i = 0; i < m->n; i++)
		for (size_t k = i + 1; r == 0 && k < m->n; k++) {
			size_t a = rarog_making_values(m, i);
			size_t b = rarog_making_values(m, k);

			if (a < 2 || b < 2)
				continue;
			clear(m);
			m->chosen[i] = a - 1;
			m->chosen[k] = b - 1;
			r = rarog_making_propose(m);
		}
	return r;
}

static int add_all(struct rarog_making *m)
{
	size_t n = rarog_making_combinations(m);
	int r = 0;

	if (n > RAROG_SAMPLING_MOST)
		return rarog_making_too_many();
	for (size_t i = 0; r == 0 && i < n; i++) {
		rarog_making_combine(m, i);
		r = rarog_making_take(m);
	}
	return r;
}

/* As if each two options met in a region. */
static int cover_pairs(struct rarog_making *m)
{
	struct rarog_meetings pairs = { 0 };
	int r = 0;

	if (m->n > 64)
		return rarog_fail(-E2BIG, "plan: pairs of more than 64 features");
	for (size_t i = 0; r == 0 && i < m->n; i++)
		for (size_t k = i; r == 0 && k < m->n; k++)
			if (rarog_making_values(m, i) > 1 && rarog_making_values(m, k) > 1)
				r = rarog_vec_push(&pairs.sets, UINT64_C(1) << i | UINT64_C(1)
											   << k);
	r = r < 0 ? rarog_oom() : rarog_making_cover(m, &pairs);
	rarog_vec_release(&pairs.sets);
	return r;
}

static bool has_choice(const struct rarog_making *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (rarog_making_values(m, i) > 1)
			return true;
	return false;
}

static int add_random(struct rarog_making *m, const struct rarog_sampling_request *request)
{
	size_t n = request->n ? request->n : RAROG_SAMPLING_COUNT,
	       all = rarog_making_combinations(m);
	int r = rarog_making_fits(m, n < all ? n : all);

	return r < 0 ? r : rarog_making_draw(m, n, request->seed);
}

static int add_planned(struct rarog_making *m, const struct rarog_sampling_request *request)
{
	int r;

	if (request->plan == RAROG_SAMPLING_REGIONS)
		return rarog_making_cover(m, request->meetings);
	if (request->plan == RAROG_SAMPLING_PAIRS)
		return cover_pairs(m);
	r = add_each(m);
	return r == 0 && request->plan == RAROG_SAMPLING_PAIR_WISE ? add_pairs(m) : r;
}

static int add_wanted(struct rarog_making *m, const struct rarog_sampling_request *request)
{
	int r;

	if (request->plan == RAROG_SAMPLING_RANDOM)
		return add_random(m, request);
	if (request->plan == RAROG_SAMPLING_ALL)
		return add_all(m);
	r = add_planned(m, request);
	return r == 0 && request->n > m->sampling->list.n ? add_random(m, request) : r;
}

static int make(struct rarog_making *m, const struct rarog_sampling_request *request)
{
	int r = rarog_rules_make(m->model, "plan", &m->rules);

	m->chosen = calloc(m->n + 1, sizeof(*m->chosen));
	m->tried = calloc(m->n + 1, (m->n + 1) * sizeof(*m->tried));
	m->barred = calloc(m->n + 1, sizeof(*m->barred));
	m->on = calloc(m->n + 1, sizeof(*m->on));
	if (r < 0)
		return r;
	if (!(m->chosen && m->tried && m->barred && m->on))
		return rarog_oom();
	return add_wanted(m, request);
}

static void release(struct rarog_making *m)
{
	rarog_rules_release(&m->rules);
	free(m->chosen);
	free(m->tried);
	free(m->barred);
	free(m->on);
	rarog_vec_release(&m->made);
	rarog_index_release(&m->made_index);
}

int rarog_sampling_make(const struct rarog_feature_model *model,
			const struct rarog_sampling_request *request,
			struct rarog_sampling *ret_sampling)
{
	struct rarog_making m = { .model = model,
				  .sampling = ret_sampling,
				  .n = model->features.n };
	int r;

	*ret_sampling = (struct rarog_sampling){ 0 };
	if (!has_choice(&m))
		return rarog_fail(-EDOM, "plan: no feature of the model has two values; give "
					 "values, or kind: switch");
	r = make(&m, request);
	release(&m);
	if (r == 0 && ret_sampling->list.n == 0 && ret_sampling->n_forbidden > 0)
		return rarog_fail(-EDOM, "plan: the model forbids all that it would propose");
	return r;
}

void rarog_sampling_release(struct rarog_sampling *sampling)
{
	for (size_t i = 0; i < sampling->list.n; i++)
		rarog_configuration_release(&sampling->list.v[i]);
	rarog_vec_release(&sampling->list);
}
