/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks are numbered in the order in which a search in depth leaves them, the outside last. The
 * nearest dominator of a block is where the chains of its predecessors' meet; rounds through all
 * blocks, from the last number down, are made until none changes: two for most code.
 */
#include "binary/dominators.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

#define NONE RAROG_GRAPH_OUTSIDE

struct visit {
	uint32_t block; /* n_blocks: the outside */
	size_t next;    /* edge */
};

struct making {
	const struct rarog_edge_index *into, *out;
	struct rarog_dominators *d;
	uint32_t *blocks; /* [n] by order */
	uint32_t n;
	RAROG_VEC(struct visit) open;
	bool *is_seen;
};

static const struct rarog_code_graph_edge *const *edges_of(const struct rarog_edge_index *index,
							   uint32_t block, size_t *ret_n)
{
	return rarog_edge_index_find(index, block == index->n_blocks ? RAROG_GRAPH_OUTSIDE : block,
				     ret_n);
}

static int enter(struct making *m, uint32_t block)
{
	if (m->is_seen[block])
		return 0;
	m->is_seen[block] = true;
	return rarog_vec_push(&m->open, (struct visit){ block, 0 }) < 0 ? rarog_oom() : 0;
}

/* On with the block that was entered last, or out of it. */
static int go_on(struct making *m)
{
	struct visit *at = &m->open.v[m->open.n - 1];
	size_t n;
	const struct rarog_code_graph_edge *const *edges = edges_of(m->out, at->block, &n);

	while (at->next < n) {
		uint32_t to = edges[at->next++]->to;

		if (to != RAROG_GRAPH_OUTSIDE && !m->is_seen[to])
			return enter(m, to);
	}
	m->d->order[at->block] = m->n;
	m->blocks[m->n++] = at->block;
	m->open.n--;
	return 0;
}

static int number_all(struct making *m)
{
	int r = enter(m, m->d->n_blocks);

	while (r == 0 && m->open.n > 0)
		r = go_on(m);
	return r;
}

static uint32_t meet(const struct rarog_dominators *d, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (d->order[a] < d->order[b])
			a = d->nearest[a];
		while (d->order[b] < d->order[a])
			b = d->nearest[b];
	}
	return a;
}

static uint32_t nearest_of(const struct making *m, uint32_t block)
{
	uint32_t found = NONE;
	size_t n;
	const struct rarog_code_graph_edge *const *edges = edges_of(m->into, block, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t from =
			edges[i]->from == RAROG_GRAPH_OUTSIDE ? m->d->n_blocks : edges[i]->from;

		if (m->d->nearest[from] != NONE)
			found = found == NONE ? from : meet(m->d, found, from);
	}
	return found;
}

static bool make_round(struct making *m)
{
	bool is_changed = false;

	for (uint32_t i = m->n - 1; i-- > 0;) {
		uint32_t block = m->blocks[i], nearest = nearest_of(m, block);

		is_changed |= nearest != m->d->nearest[block];
		m->d->nearest[block] = nearest;
	}
	return is_changed;
}

int rarog_dominators_make(const struct rarog_edge_index *into, const struct rarog_edge_index *out,
			  struct rarog_dominators *ret_dominators)
{
	size_t n = (size_t)into->n_blocks + 1;
	rarog_cleanup(rarog_freep) uint32_t *blocks = calloc(n, sizeof(*blocks));
	rarog_cleanup(rarog_freep) bool *is_seen = calloc(n, sizeof(*is_seen));
	struct making m = {
		.into = into, .out = out, .d = ret_dominators, .blocks = blocks, .is_seen = is_seen
	};
	int r;

	*ret_dominators = (struct rarog_dominators){ .n_blocks = into->n_blocks };
	ret_dominators->nearest = malloc(n * sizeof(*ret_dominators->nearest));
	ret_dominators->order = calloc(n, sizeof(*ret_dominators->order));
	if (!blocks || !is_seen || !ret_dominators->nearest || !ret_dominators->order)
		return rarog_oom();
	memset(ret_dominators->nearest, 0xff, n * sizeof(*ret_dominators->nearest));
	ret_dominators->nearest[into->n_blocks] = into->n_blocks;
	r = number_all(&m);
	while (r == 0 && make_round(&m))
		;
	rarog_vec_release(&m.open);
	return r;
}

void rarog_dominators_release(struct rarog_dominators *dominators)
{
	free(dominators->nearest);
	free(dominators->order);
	*dominators = (struct rarog_dominators){ 0 };
}

bool rarog_dominators_has(const struct rarog_dominators *dominators, uint32_t by, uint32_t block)
{
	if (dominators->nearest[block] == NONE)
		return true;
	if (dominators->nearest[by] == NONE)
		return false;
	while (dominators->order[block] < dominators->order[by])
		block = dominators->nearest[block];
	return block == by;
}
