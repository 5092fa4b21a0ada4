/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four shapes of small graphs, each around one block, where a count follows from others. What the
 * spanning tree finds is more; this is there to be compared with it. Also part of the compiler
 * plug-in: it needs nothing but the C library.
 */
#include "blocks/flow-patterns.h"

#include <errno.h>
#include <stdlib.h>

/* What a pattern asks of a block. The outside is a neighbour of the first block only. */
struct neighbours {
	uint32_t n_before, n_after;
	uint32_t after[2]; /* the first two */
};

struct search {
	struct rarog_flow *flow;
	struct neighbours *blocks;
	struct rarog_flow_patterns found;
};

static uint32_t block_of(uint32_t node)
{
	return (node - 1) / 2;
}

static void find_neighbours(struct search *s)
{
	const struct rarog_flow *flow = s->flow;

	for (size_t i = flow->n_blocks; i < flow->n_edges; i++) {
		const struct rarog_flow_edge *edge = &flow->edges[i];
		struct neighbours *from;

		if (edge->to == RAROG_FLOW_OUTSIDE)
			continue;
		s->blocks[block_of(edge->to)].n_before++;
		if (edge->from == RAROG_FLOW_OUTSIDE)
			continue;
		from = &s->blocks[block_of(edge->from)];
		if (from->n_after < 2)
			from->after[from->n_after] = block_of(edge->to);
		from->n_after++;
	}
}

static void save(struct search *s, uint32_t block)
{
	s->flow->edges[block].state = RAROG_FLOW_FREE;
}

static void try_jump(struct search *s, uint32_t block)
{
	const struct neighbours *b = &s->blocks[block];

	if (b->n_after != 1 || b->after[0] == block || s->blocks[b->after[0]].n_before != 1)
		return;
	s->found.n_jumps++;
	save(s, block);
}

/* Is @side nothing but a way from one block to @join? */
static bool is_side(const struct search *s, uint32_t side, uint32_t join)
{
	const struct neighbours *b = &s->blocks[side];

	return b->n_before == 1 && b->n_after == 1 && b->after[0] == join && side != join;
}

static void try_half_diamond(struct search *s, uint32_t block)
{
	const struct neighbours *b = &s->blocks[block];

	if (b->n_after != 2)
		return;
	for (int i = 0; i < 2; i++) {
		uint32_t join = b->after[i];

		if (join == block || s->blocks[join].n_before != 2 ||
		    !is_side(s, b->after[1 - i], join))
			continue;
		s->found.n_half_diamonds++;
		save(s, block);
		return;
	}
}

/* The ways on of @block that lead to @join and nowhere else. */
static uint32_t sides(const struct search *s, size_t *edge, uint32_t block, uint32_t join)
{
	const struct rarog_flow *flow = s->flow;
	uint32_t n = 0;

	while (*edge < flow->n_edges && flow->edges[*edge].from != RAROG_FLOW_OUT(block))
		++*edge;
	for (; *edge < flow->n_edges && flow->edges[*edge].from == RAROG_FLOW_OUT(block); ++*edge)
		if (flow->edges[*edge].to != RAROG_FLOW_OUTSIDE)
			n += is_side(s, block_of(flow->edges[*edge].to), join);
	return n;
}

/* @edge: of an earlier block; those of one block are together. */
static void try_diamond(struct search *s, size_t *edge, uint32_t block)
{
	const struct neighbours *b = &s->blocks[block];
	uint32_t join;

	if (b->n_after < 2 || s->blocks[b->after[0]].n_after != 1)
		return;
	join = s->blocks[b->after[0]].after[0];
	if (join == block || s->blocks[join].n_before != b->n_after ||
	    sides(s, edge, block, join) != b->n_after)
		return;
	s->found.n_diamonds++;
	save(s, block);
	save(s, join);
}

static void try_all(struct search *s)
{
	size_t edge = s->flow->n_blocks;

	for (uint32_t i = 0; i < s->flow->n_blocks; i++) {
		try_jump(s, i);
		try_half_diamond(s, i);
		try_diamond(s, &edge, i);
	}
	if (s->flow->n_blocks > 1 && s->blocks[0].n_before == 1) {
		s->found.n_exits = 1;
		save(s, 0);
	}
}

int rarog_flow_find_patterns(struct rarog_flow *flow, struct rarog_flow_patterns *ret_patterns)
{
	struct search s = { .flow = flow,
			    .blocks = calloc(flow->n_blocks + 1, sizeof(struct neighbours)) };

	if (!s.blocks)
		return -ENOMEM;
	for (size_t i = 0; i < flow->n_edges; i++)
		flow->edges[i].state = i < flow->n_blocks ? RAROG_FLOW_COUNTED : RAROG_FLOW_BLIND;
	find_neighbours(&s);
	try_all(&s);
	free(s.blocks);
	if (ret_patterns)
		*ret_patterns = s.found;
	return 0;
}
