/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/edge-index.h"

#include <stdlib.h>

#include "base/error.h"

static uint32_t slot_of(const struct rarog_edge_index *index, uint32_t block)
{
	return block == RAROG_GRAPH_OUTSIDE ? index->n_blocks : block;
}

int rarog_edge_index_make(const struct rarog_code_graph *graph, bool by_target,
			  struct rarog_edge_index *ret_index)
{
	struct rarog_edge_index *index = ret_index;
	size_t n = graph->edges.n;

	*index = (struct rarog_edge_index){ .n_blocks = (uint32_t)graph->blocks.n };
	index->first = calloc(graph->blocks.n + 2, sizeof(*index->first));
	index->edges = calloc(n + 1, sizeof(*index->edges));
	if (!index->first || !index->edges)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		const struct rarog_code_graph_edge *e = &graph->edges.v[i];

		index->first[slot_of(index, by_target ? e->to : e->from)]++;
	}
	for (uint32_t i = 0; i <= index->n_blocks; i++) /* where each one's end */
		index->first[i + 1] += index->first[i];
	for (size_t i = n; i-- > 0;) {
		const struct rarog_code_graph_edge *e = &graph->edges.v[i];

		index->edges[--index->first[slot_of(index, by_target ? e->to : e->from)]] = e;
	}
	return 0;
}

void rarog_edge_index_release(struct rarog_edge_index *index)
{
	free(index->first);
	free(index->edges);
	*index = (struct rarog_edge_index){ 0 };
}

const struct rarog_code_graph_edge *const *rarog_edge_index_find(
	const struct rarog_edge_index *index, uint32_t block, size_t *ret_n)
{
	uint32_t slot = slot_of(index, block);

	*ret_n = index->first[slot + 1] - index->first[slot];
	return index->edges + index->first[slot];
}
