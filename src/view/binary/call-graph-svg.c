/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/error.h"
#include "view/binary/call-graph.h"
#include "view/binary/layers.h"

struct picture {
	struct rarog_layered_node *nodes;
	struct rarog_layered_edge *edges;
	uint32_t *number; /* of a callee among the nodes */
	size_t n_nodes, n_edges;
};

static void add_nodes(const struct rarog_call_view *view, struct picture *p)
{
	for (uint32_t i = 0; i < view->graph->callees.n; i++) {
		const struct rarog_callee *callee = &view->graph->callees.v[i];
		uint32_t level = view->facts->level[i];

		p->number[i] = RAROG_CALL_NOWHERE;
		if (view->is_shown && !view->is_shown[i])
			continue;
		p->number[i] = (uint32_t)p->n_nodes;
		p->nodes[p->n_nodes++] = (struct rarog_layered_node){
			.text = callee->name,
			.layer = level == RAROG_LEVEL_NONE ? 0 : level,
			.is_marked = (long)i == view->function,
		};
	}
}

/* One line for all kinds of edges between two functions; it is whole if any of them is sure. */
static void add_edges(const struct rarog_call_view *view, struct picture *p)
{
	for (size_t i = 0; i < view->graph->edges.n; i++) {
		const struct rarog_call_edge *edge = &view->graph->edges.v[i];
		uint32_t from = p->number[edge->from], to = p->number[edge->to];
		struct rarog_layered_edge *last = p->n_edges ? &p->edges[p->n_edges - 1] : NULL;

		if (from == RAROG_CALL_NOWHERE || to == RAROG_CALL_NOWHERE ||
		    (view->sure && !edge->is_sure))
			continue;
		if (last && last->from == from && last->to == to)
			last->is_dashed &= !edge->is_sure;
		else
			p->edges[p->n_edges++] =
				(struct rarog_layered_edge){ from, to, !edge->is_sure };
	}
}

int rarog_call_graph_svg(const struct rarog_call_view *view, FILE *out)
{
	size_t n = view->graph->callees.n;
	struct picture p = {
		.nodes = calloc(n + 1, sizeof(*p.nodes)),
		.edges = calloc(view->graph->edges.n + 1, sizeof(*p.edges)),
		.number = calloc(n + 1, sizeof(*p.number)),
	};
	int r = -ENOMEM;

	if (p.nodes && p.edges && p.number) {
		add_nodes(view, &p);
		add_edges(view, &p);
		r = rarog_layers_draw(out, view->graph->files.v[0].path, p.n_nodes, p.nodes,
				      p.n_edges, p.edges);
	}
	free(p.nodes);
	free(p.edges);
	free(p.number);
	return r < 0 ? rarog_oom() : 0;
}
