/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/weights.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/lower-bound.h"

void rarog_weights_release(struct rarog_weights *weights)
{
	rarog_vec_release(&weights->every);
	rarog_vec_release(&weights->rests);
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

int rarog_weights_rest(struct rarog_weights *weights, uint32_t location, uint32_t strand,
		       uint64_t n)
{
	const struct rarog_weights_rest rest = { location, strand, n };

	weights->is_sorted = false;
	return rarog_vec_push(&weights->rests, rest) < 0 ? rarog_oom() : 0;
}

static int compare(const void *a, const void *b)
{
	const struct rarog_weights_rest *x = a, *y = b;

	if (x->location != y->location)
		return x->location < y->location ? -1 : 1;
	return x->strand < y->strand ? -1 : x->strand > y->strand;
}

static size_t first_at(const struct rarog_weights *w, uint32_t location, uint32_t strand)
{
	const struct rarog_weights_rest wanted = { location, strand, 0 };
	return rarog_lower_bound(i, w->rests.n, compare(&w->rests.v[i], &wanted) < 0);
}

/* Of one strand, or of all. */
static uint64_t rests_of(struct rarog_weights *w, uint32_t location, uint32_t strand)
{
	uint64_t n = 0;

	if (!w->is_sorted && w->rests.n > 0)
		qsort(w->rests.v, w->rests.n, sizeof(*w->rests.v), compare);
	w->is_sorted = true;
	for (size_t i = first_at(w, location, strand == RAROG_NONE ? 0 : strand);
	     i < w->rests.n && w->rests.v[i].location == location &&
	     (strand == RAROG_NONE || w->rests.v[i].strand == strand);
	     i++)
		n += w->rests.v[i].n;
	return n;
}

static uint64_t scale(uint64_t ticks, uint64_t count, uint64_t timed)
{
	unsigned __int128 all = (unsigned __int128)ticks * count / timed;

	return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

void rarog_weights_weigh(struct rarog_weights *w, struct rarog_summary *s)
{
	uint64_t every = w && s->location < w->every.n ? w->every.v[s->location] : 1, all, rest;

	if (every <= 1 || s->timed == 0)
		return;
	all = s->timed * every;
	rest = rests_of(w, s->location, s->strand);
	/* At least those that were recorded: where events were lost, the rests say too much. */
	s->count = rest < all - s->timed ? all - rest : s->timed;
	if (s->strand == RAROG_NONE)
		w->left_out += s->count - s->timed;
	s->total = scale(s->sum, s->count, s->timed);
}
