/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The edges of a graph by the block that they come from, or go to. */
#ifndef RAROG_BINARY_EDGE_INDEX_H
#define RAROG_BINARY_EDGE_INDEX_H

#include "binary/flow-graph.h"

struct rarog_edge_index {
	uint32_t n_blocks;
	uint32_t *first; /* [blocks + 2]: into edges; of the outside after the last block's */
	const struct rarog_code_graph_edge **edges;
};

/** rarog_edge_index_make() - of @graph, which outlives it. 0, -ENOMEM. Release in any case. */
int rarog_edge_index_make(const struct rarog_code_graph *graph, bool by_target,
			  struct rarog_edge_index *ret_index);
void rarog_edge_index_release(struct rarog_edge_index *index); /* fits rarog_cleanup() */

/** rarog_edge_index_find() - those of @block, or of RAROG_GRAPH_OUTSIDE, and how many they are. */
const struct rarog_code_graph_edge *const *rarog_edge_index_find(
	const struct rarog_edge_index *index, uint32_t block, size_t *ret_n);

#endif
