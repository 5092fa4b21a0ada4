/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/weights.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/lower-bound.h"

void rarog_weights_release(struct rarog_weights *weights)
{
	rarog_vec_release(&weights->every);
	rarog_vec_release(&weights->rests.v);
	rarog_vec_release(&weights->skipped.v);
	rarog_vec_release(&weights->totals);
	rarog_epochs_release(&weights->epochs);
}

bool rarog_weights_are_any(const struct rarog_weights *weights)
{
	return weights->every.n > 0 || weights->skipped.v.n > 0;
}

int rarog_weights_set(struct rarog_weights *weights, uint32_t location, uint32_t n)
{
	if (n <= 1)
		return 0;
	while (weights->every.n <= location)
		if (rarog_vec_push(&weights->every, 1) < 0)
			return rarog_oom();
	weights->every.v[location] = n;
	return 0;
}

/* --- calls by location and strand --- */

static int add(struct rarog_weights_list *list, uint32_t location, uint32_t strand, uint64_t n)
{
	const struct rarog_weights_calls calls = { location, strand, n, false };

	list->is_sorted = false;
	return rarog_vec_push(&list->v, calls) < 0 ? rarog_oom() : 0;
}

int rarog_weights_rest(struct rarog_weights *weights, uint32_t location, uint32_t strand,
		       uint64_t n)
{
	return add(&weights->rests, location, strand, n);
}

int rarog_weights_skip(struct rarog_weights *weights, uint32_t location, uint32_t strand,
		       uint64_t n)
{
	return add(&weights->skipped, location, strand, n);
}

static int compare(const void *a, const void *b)
{
	const struct rarog_weights_calls *x = a, *y = b;

	if (x->location != y->location)
		return x->location < y->location ? -1 : 1;
	return x->strand < y->strand ? -1 : x->strand > y->strand;
}

static void sort(struct rarog_weights_list *list)
{
	if (!list->is_sorted && list->v.n > 0)
		qsort(list->v.v, list->v.n, sizeof(*list->v.v), compare);
	list->is_sorted = true;
}

static size_t first_at(const struct rarog_weights_list *list, uint32_t location, uint32_t strand)
{
	const struct rarog_weights_calls wanted = { location, strand, 0, false };
	return rarog_lower_bound(i, list->v.n, compare(&list->v.v[i], &wanted) < 0);
}

/* Of one strand, or of all. */
static uint64_t sum_of(struct rarog_weights_list *list, uint32_t location, uint32_t strand)
{
	uint64_t n = 0;

	sort(list);
	for (size_t i = first_at(list, location, strand == RAROG_NONE ? 0 : strand);
	     i < list->v.n && list->v.v[i].location == location &&
	     (strand == RAROG_NONE || list->v.v[i].strand == strand);
	     i++)
		n += list->v.v[i].n;
	return n;
}

uint64_t rarog_weights_skipped(struct rarog_weights *weights, uint32_t location)
{
	return sum_of(&weights->skipped, location, RAROG_NONE);
}

/* --- weighing --- */

static uint64_t scale(uint64_t ticks, uint64_t count, uint64_t timed)
{
	unsigned __int128 all = (unsigned __int128)ticks * count / timed;

	return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

/* Calls that were not recorded, of as many as were. */
static uint64_t left_out(struct rarog_weights *w, const struct rarog_summary *s)
{
	uint64_t every = s->location < w->every.n ? w->every.v[s->location] : 1;
	uint64_t more = s->timed * (every - (every > 0)), rest;

	/* At least those that were recorded: where events were lost, the rests say too much. */
	rest = more > 0 ? sum_of(&w->rests, s->location, s->strand) : 0;
	return (rest < more ? more - rest : 0) + sum_of(&w->skipped, s->location, s->strand);
}

static void note_weighed(struct rarog_weights *w, const struct rarog_summary *s, uint64_t n)
{
	if (s->strand != RAROG_NONE)
		return;
	w->left_out += n;
	for (size_t i = first_at(&w->skipped, s->location, 0);
	     i < w->skipped.v.n && w->skipped.v.v[i].location == s->location; i++)
		w->skipped.v.v[i].is_weighed = true;
}

/* Where the weight changed, over all strands. */
static int weigh_epochs(struct rarog_weights *w, struct rarog_summary *s)
{
	struct rarog_bound bound = { s->location, "total", "ticks", 0, 0, "95 %, --overhead" };
	struct rarog_epochs_total t;

	if (s->strand != RAROG_NONE ||
	    !rarog_epochs_total(&w->epochs, s->location,
				sum_of(&w->skipped, s->location, RAROG_NONE), &t))
		return 0;
	s->total = (uint64_t)t.total;
	bound.least = isfinite(t.high) ? (uint64_t)t.low : 0;
	bound.most = isfinite(t.high) ? (uint64_t)t.high : UINT64_MAX;
	return rarog_vec_push(&w->totals, bound);
}

int rarog_weights_weigh(struct rarog_weights *w, struct rarog_summary *s)
{
	uint64_t n;

	if (!w || s->timed == 0 || !rarog_weights_are_any(w))
		return 0;
	n = left_out(w, s);
	if (n == 0)
		return 0;
	s->count = s->timed + n;
	s->total = scale(s->sum, s->count, s->timed);
	note_weighed(w, s, n);
	return weigh_epochs(w, s);
}

long rarog_weights_unweighed(struct rarog_weights *w, uint32_t from,
			     struct rarog_summary *ret_summary)
{
	struct rarog_summary s = { .strand = RAROG_NONE };
	size_t i;

	sort(&w->skipped);
	for (i = first_at(&w->skipped, from, 0); i < w->skipped.v.n && w->skipped.v.v[i].is_weighed;
	     i++)
		;
	if (i == w->skipped.v.n)
		return -1;
	s.location = w->skipped.v.v[i].location;
	s.count = sum_of(&w->skipped, s.location, RAROG_NONE);
	note_weighed(w, &s, s.count);
	*ret_summary = s;
	return (long)s.location;
}
