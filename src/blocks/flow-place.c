/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kruskal's algorithm for the spanning tree of largest weight. Blind edges are joined first: they
 * are part of the tree because nothing else is possible; where they form circles, what is joined
 * counts as one node, inside of which the blind edges remain unknown but every block is known.
 * This file and joined.c are also part of the compiler plug-in: they need nothing but the C
 * library.
 */
#include "blocks/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "blocks/joined.h"

/* What should go without a counter comes first. */
static int by_weight(const void *a, const void *b)
{
	const struct rarog_flow_edge *one = *(struct rarog_flow_edge *const *)a;
	const struct rarog_flow_edge *other = *(struct rarog_flow_edge *const *)b;

	if (one->weight != other->weight)
		return one->weight > other->weight ? -1 : 1;
	if (one->is_split != other->is_split)
		return one->is_split ? -1 : 1;
	return (one > other) - (one < other);
}

/* The free edges of @flow, sorted; returns their number. Blind ones join @sets. */
static size_t candidates(struct rarog_flow *flow, uint32_t *sets, struct rarog_flow_edge **sorted)
{
	size_t n = 0;

	for (size_t i = 0; i < flow->n_edges; i++) {
		struct rarog_flow_edge *edge = &flow->edges[i];

		if (edge->state == RAROG_FLOW_BLIND)
			rarog_joined_join(sets, edge->from, edge->to);
		else if (edge->state == RAROG_FLOW_FREE)
			sorted[n++] = edge;
	}
	qsort(sorted, n, sizeof(struct rarog_flow_edge *), by_weight);
	return n;
}

long rarog_flow_place(struct rarog_flow *flow)
{
	uint32_t *sets = rarog_joined_new(2 * flow->n_blocks + 1);
	struct rarog_flow_edge **sorted =
		calloc(flow->n_edges + 1, sizeof(struct rarog_flow_edge *));
	long n_counters = -ENOMEM;

	if (sets && sorted) {
		size_t n = candidates(flow, sets, sorted);

		n_counters = 0;
		for (size_t i = 0; i < n; i++) {
			bool is_tree = rarog_joined_join(sets, sorted[i]->from, sorted[i]->to);

			sorted[i]->state = is_tree ? RAROG_FLOW_DERIVED : RAROG_FLOW_COUNTED;
			n_counters += !is_tree;
		}
	}
	free(sorted);
	free(sets);
	return n_counters;
}
