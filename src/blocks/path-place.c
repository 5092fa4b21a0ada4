/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kruskal's algorithm for the spanning tree of largest weight (Ball and Larus 1994, 1996): of nodes
 * with an offset each, a way adds its value and the difference of the offsets of its ends. Along a
 * tree offsets can be chosen so that this is 0. All paths begin and end at one more node, whose
 * offset is 0, so that a whole path still sums up to its number.
 */
#include "blocks/path-number.h"

#include <errno.h>
#include <stdlib.h>

struct edge {
	uint32_t from, to; /* blocks; n_blocks: the outside */
	uint64_t value, weight;
};

static int by_weight(const void *a, const void *b)
{
	const struct edge *one = a, *other = b;

	if (one->weight != other->weight)
		return one->weight > other->weight ? -1 : 1;
	if (one->from != other->from)
		return one->from < other->from ? -1 : 1;
	return (one->to > other->to) - (one->to < other->to);
}

static size_t list_edges(const struct rarog_path_numbers *p, const uint64_t *ways,
			 const uint64_t *blocks, struct edge *edges)
{
	uint32_t outside = (uint32_t)p->n_blocks;
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_blocks; i++) {
		if (p->n_paths[i] == 0)
			continue;
		/* a path begins as often as its block runs, at most */
		if (p->begins[i] != RAROG_PATH_NOWHERE)
			edges[n++] = (struct edge){ outside, i, p->begins[i], blocks[i] };
		if (p->first_way[i] == p->first_way[i + 1])
			edges[n++] = (struct edge){ i, outside, 0, blocks[i] };
		for (uint32_t k = p->first_way[i]; k < p->first_way[i + 1]; k++)
			edges[n++] = (struct edge){ i, p->ways[k].is_cut ? outside : p->ways[k].to,
						    p->ways[k].value, ways[k] };
	}
	return n;
}

/* Sets of nodes that grow together; of each node how far its offset is from that of its parent. */
struct node {
	uint32_t parent;
	uint64_t offset;
};

/* The root of @at, and how far @at is from it. Halving the paths keeps them short. */
static uint32_t find(struct node *nodes, uint32_t at, uint64_t *ret_offset)
{
	*ret_offset = 0;
	while (nodes[at].parent != at) {
		const struct node *parent = &nodes[nodes[at].parent];

		nodes[at].offset += parent->offset;
		nodes[at].parent = parent->parent;
		*ret_offset += nodes[at].offset;
		at = nodes[at].parent;
	}
	return at;
}

/* A way of the tree adds nothing. */
static void join(struct node *nodes, const struct edge *edge)
{
	uint64_t from_offset, to_offset;
	uint32_t from = find(nodes, edge->from, &from_offset);
	uint32_t to = find(nodes, edge->to, &to_offset);

	if (from != to)
		nodes[to] = (struct node){ from, from_offset + edge->value - to_offset };
}

int rarog_path_numbers_place(const struct rarog_path_numbers *numbers, const uint64_t *ways,
			     const uint64_t *blocks, uint64_t *ret_offsets)
{
	size_t n_blocks = numbers->n_blocks, n;
	struct edge *edges =
		calloc(2 * n_blocks + numbers->first_way[n_blocks] + 1, sizeof(*edges));
	struct node *nodes = calloc(n_blocks + 1, sizeof(*nodes));
	uint64_t outside, offset;

	if (!edges || !nodes) {
		free(edges);
		free(nodes);
		return -ENOMEM;
	}
	n = list_edges(numbers, ways, blocks, edges);
	qsort(edges, n, sizeof(*edges), by_weight);
	for (uint32_t i = 0; i <= n_blocks; i++)
		nodes[i].parent = i;
	for (size_t i = 0; i < n; i++)
		join(nodes, &edges[i]);
	find(nodes, (uint32_t)n_blocks, &outside);
	for (uint32_t i = 0; i < n_blocks; i++) {
		find(nodes, i, &offset);
		ret_offsets[i] = numbers->n_paths[i] > 0 ? offset - outside : 0;
	}
	free(edges);
	free(nodes);
	return 0;
}
