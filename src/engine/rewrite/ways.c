/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comes from outside or goes there has no row. Where jumps through tables meet is a block: a
 * way from each of them to each target would be one, if it were counted. */
#include "engine/rewrite/ways.h"

#include <stdlib.h>

#include "binary/instruction.h"

uint32_t rarog_rewrite_way_from(const struct rarog_rewrite_shape *shape, size_t edge)
{
	const struct rarog_flow_edge *e = &shape->flow.edges[edge];
	uint32_t to = (e->to - 1) / 2;

	if (e->from != RAROG_FLOW_OUTSIDE)
		return (e->from - 1) / 2;
	if (e->to == RAROG_FLOW_OUTSIDE || shape->blocks[to].arrive != edge ||
	    !shape->blocks[to].is_return)
		return RAROG_NO_EDGE;
	return to - 1;
}

bool rarog_rewrite_is_again(const struct rarog_rewrite_shape *shape, uint32_t edge)
{
	const struct rarog_flow_edge *e = &shape->flow.edges[edge];
	uint32_t to = (e->to - 1) / 2;

	return shape->first_cell != RAROG_NO_EDGE && edge >= shape->n_blocks &&
	       e->from != RAROG_FLOW_OUTSIDE && e->to != RAROG_FLOW_OUTSIDE &&
	       to == (e->from - 1) / 2 && shape->blocks[to].taken == edge &&
	       shape->blocks[to].flow != RAROG_FLOW_INDIRECT_JUMP && shape->blocks[to].live == 0;
}

static int by_from(const void *a, const void *b)
{
	const struct rarog_edge_count *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

size_t rarog_rewrite_ways(const struct rarog_rewrite_shape *shape,
			  const struct rarog_flow_count *counts, uint32_t first,
			  struct rarog_edge_count rows[])
{
	size_t n = 0;

	for (size_t i = shape->n_blocks; i < shape->flow.n_edges; i++) {
		uint32_t from = rarog_rewrite_way_from(shape, i);
		uint32_t to = (shape->flow.edges[i].to - 1) / 2;

		if (from == RAROG_NO_EDGE || shape->flow.edges[i].to == RAROG_FLOW_OUTSIDE)
			continue;
		rows[n] = (struct rarog_edge_count){ .from = first + from, .to = first + to };
		if (counts && counts[i].count > 0)
			rows[n].count = (uint64_t)counts[i].count;
		if (counts)
			rows[n].is_unknown =
				!counts[i].is_known || shape->blocks[to].is_return_and_more;
		if (rows[n].is_unknown)
			rows[n].count = 0;
		n++;
	}
	if (n > 1)
		qsort(rows, n, sizeof(*rows), by_from);
	return n;
}
