/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The documents' level estimator. The highest entry of a node's list of levels is all that is ever
 * asked for, and a caller looks at each of its callees once, so a maximum and a count stand for the
 * two lists of Algorithm 1. Of a node that is done its level counts, as in the example of the text,
 * not what it was estimated before: read by the letter, line 28 would give chains one level.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/call-order.h"

enum state { STATE_UNSEEN, STATE_CANDIDATE, STATE_FINISHED };

struct look {
	uint32_t callee, level;
};

struct estimate {
	const struct rarog_digraph *out, *in;
	const uint32_t *rank;
	uint32_t *level, *highest; /* what was decided; that, or the highest estimate so far */
	uint32_t *waits;           /* for so many callers */
	uint32_t *candidates, n_candidates;
	uint32_t *place; /* of a node among the candidates */
	uint8_t *state;
	struct look *queue;
	size_t head, tail;
};

/* Only callers that the root leads to count: the others are not in the function map. */
static void count_callers(struct estimate *e, uint32_t root)
{
	uint32_t *stack = e->place, n = 0;
	bool *seen = (bool *)e->state;

	stack[n++] = root;
	seen[root] = true;
	while (n > 0) {
		uint32_t node = stack[--n];

		for (uint32_t i = e->out->first[node]; i < e->out->first[node + 1]; i++) {
			uint32_t to = e->out->to[i];

			e->waits[to]++;
			if (!seen[to])
				stack[n++] = to;
			seen[to] = true;
		}
	}
	for (uint32_t i = 0; i < e->out->n; i++)
		e->state[i] = STATE_UNSEEN;
}

static uint32_t highest_of(const struct estimate *e, const struct rarog_digraph *arcs,
			   uint32_t node)
{
	uint32_t highest = 0;

	for (uint32_t i = arcs->first[node]; i < arcs->first[node + 1]; i++)
		if (e->highest[arcs->to[i]] > highest)
			highest = e->highest[arcs->to[i]];
	return highest;
}

static void look_at_callees(struct estimate *e, uint32_t node)
{
	for (uint32_t i = e->out->first[node]; i < e->out->first[node + 1]; i++)
		e->queue[e->tail++] = (struct look){ e->out->to[i], e->level[node] };
}

static void finish(struct estimate *e, uint32_t node)
{
	uint32_t callers = highest_of(e, e->in, node), callees = highest_of(e, e->out, node);
	uint32_t last = e->candidates[--e->n_candidates];

	e->candidates[e->place[node]] = last;
	e->place[last] = e->place[node];
	e->level[node] = (callers > callees ? callers : callees) + 1;
	e->highest[node] = e->level[node];
	e->state[node] = STATE_FINISHED;
	look_at_callees(e, node);
}

static void look(struct estimate *e, const struct look *at)
{
	uint32_t node = at->callee;

	if (e->state[node] == STATE_FINISHED)
		return;
	if (e->state[node] == STATE_UNSEEN) {
		e->place[node] = e->n_candidates;
		e->candidates[e->n_candidates++] = node;
		e->state[node] = STATE_CANDIDATE;
	}
	if (at->level > e->highest[node])
		e->highest[node] = at->level;
	if (--e->waits[node] == 0)
		finish(e, node);
}

static bool is_before(const struct estimate *e, uint32_t a, uint32_t b)
{
	if (e->highest[a] != e->highest[b])
		return e->highest[a] < e->highest[b];
	return e->rank[a] < e->rank[b];
}

static uint32_t lowest_candidate(const struct estimate *e)
{
	uint32_t lowest = e->candidates[0];

	for (uint32_t i = 1; i < e->n_candidates; i++)
		if (is_before(e, e->candidates[i], lowest))
			lowest = e->candidates[i];
	return lowest;
}

static void estimate(struct estimate *e, uint32_t root)
{
	for (uint32_t i = 0; i < e->out->n; i++)
		e->level[i] = RAROG_LEVEL_NONE;
	count_callers(e, root);
	e->level[root] = 0;
	e->state[root] = STATE_FINISHED;
	look_at_callees(e, root);
	while (e->head < e->tail || e->n_candidates > 0) {
		if (e->head < e->tail)
			look(e, &e->queue[e->head++]);
		else
			finish(e, lowest_candidate(e));
	}
}

int rarog_levels_estimate(const struct rarog_digraph *out, const struct rarog_digraph *in,
			  uint32_t root, const uint32_t rank[], uint32_t ret_levels[])
{
	size_t n = (size_t)out->n + 1;
	uint32_t *room = calloc(4 * n, sizeof(*room));
	uint8_t *state = calloc(n, sizeof(*state));
	struct look *queue = calloc((size_t)out->first[out->n] + 1, sizeof(*queue));
	struct estimate e = { .out = out, .in = in, .rank = rank, .level = ret_levels };
	bool ok = room && state && queue;

	if (ok) {
		e.highest = room, e.waits = room + n;
		e.candidates = room + 2 * n, e.place = room + 3 * n;
		e.state = state;
		e.queue = queue;
		estimate(&e, root);
	}
	free(room);
	free(state);
	free(queue);
	return ok ? 0 : rarog_oom();
}
