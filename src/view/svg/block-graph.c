/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/svg/block-graph.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"

#define BLOCKS_MAX 3000 /* a picture of more is none */

void rarog_block_graph_release(struct rarog_block_graph *graph)
{
	free(graph->nodes);
	free(graph->edges);
	free(graph->texts);
	free(graph->tips);
	free(graph->ways);
}

int rarog_block_graph_init(size_t n_nodes, size_t n_ways, const char *func,
			   struct rarog_block_graph *ret_graph)
{
	struct rarog_block_graph graph = { 0 };

	if (n_nodes > BLOCKS_MAX)
		return rarog_fail(-E2BIG, "'%s' has %zu blocks; a drawing has at most %d", func,
				  n_nodes, BLOCKS_MAX);
	graph.nodes = calloc(n_nodes + 1, sizeof(*graph.nodes));
	graph.texts = calloc(n_nodes + 1, sizeof(*graph.texts));
	graph.tips = calloc(n_nodes + 1, sizeof(*graph.tips));
	graph.edges = calloc(n_ways + 1, sizeof(*graph.edges));
	graph.ways = calloc(n_ways + 1, sizeof(*graph.ways));
	if (graph.nodes && graph.texts && graph.tips && graph.edges && graph.ways) {
		*ret_graph = graph;
		return 0;
	}
	rarog_block_graph_release(&graph);
	return rarog_oom();
}

int rarog_block_graph_draw(const struct rarog_block_graph *graph, const char *title, FILE *out)
{
	int r = rarog_layers_assign(graph->n, graph->nodes, graph->n_ways, graph->edges);

	return r < 0 ? rarog_oom()
		     : rarog_layers_draw(out, title, graph->n, graph->nodes, graph->n_ways,
					 graph->edges);
}
