/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/call-graph.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/lower-bound.h"

const char *const rarog_call_root_names[RAROG_ROOTS] = { "start",      "main",     "constructor",
							 "destructor", "thread",   "signal",
							 "callback",   "resolver", "export" };

const char *const rarog_call_kind_names[RAROG_CALL_KINDS] = {
	[RAROG_CALL_DIRECT] = "direct",     [RAROG_CALL_TAIL] = "tail",
	[RAROG_CALL_LINKED] = "linked",     [RAROG_CALL_JUMP] = "jump",
	[RAROG_CALL_RESOLVED] = "resolved", [RAROG_CALL_POINTER] = "pointer",
	[RAROG_CALL_BACK] = "callback",
};

void rarog_call_graph_release(struct rarog_call_graph *graph)
{
	rarog_text_pool_release(&graph->texts);
	rarog_vec_release(&graph->files);
	rarog_vec_release(&graph->callees);
	rarog_vec_release(&graph->edges);
	rarog_vec_release(&graph->sites);
	rarog_vec_release(&graph->tables);
}

static uint32_t find_root(const struct rarog_call_graph *graph, uint16_t root)
{
	for (uint32_t i = 0; i < graph->callees.n; i++)
		if (graph->callees.v[i].roots & root)
			return i;
	return RAROG_CALL_NOWHERE;
}

uint32_t rarog_call_graph_root(const struct rarog_call_graph *graph)
{
	uint32_t root = find_root(graph, RAROG_ROOT_MAIN);

	return root == RAROG_CALL_NOWHERE ? find_root(graph, RAROG_ROOT_START) : root;
}

/* Callees of the first file come first, by address. */
long rarog_call_graph_at(const struct rarog_call_graph *graph, uint64_t address)
{
	const struct rarog_callee *v = graph->callees.v;
	size_t i = rarog_lower_bound(k, graph->callees.n,
				     v[k].kind == RAROG_CALLEE_FUNCTION && v[k].file == 0 &&
					     v[k].address < address);

	return i < graph->callees.n && v[i].kind == RAROG_CALLEE_FUNCTION && v[i].file == 0 &&
			       v[i].address == address
		       ? (long)i
		       : -ENOENT;
}

uint32_t rarog_call_graph_pointer(const struct rarog_call_graph *graph)
{
	return (uint32_t)graph->callees.n - 1;
}

int rarog_call_graph_digraph(const struct rarog_call_graph *graph, bool sure,
			     struct rarog_digraph *ret_arcs)
{
	struct rarog_digraph_arc *arcs = calloc(graph->edges.n + 1, sizeof(*arcs));
	size_t n = 0;
	int r;

	*ret_arcs = (struct rarog_digraph){ 0 };
	if (!arcs)
		return rarog_oom();
	for (size_t i = 0; i < graph->edges.n; i++) {
		const struct rarog_call_edge *edge = &graph->edges.v[i];

		if (edge->from == edge->to || (sure && !edge->is_sure) ||
		    (n > 0 && arcs[n - 1].from == edge->from && arcs[n - 1].to == edge->to))
			continue;
		arcs[n++] = (struct rarog_digraph_arc){ edge->from, edge->to };
	}
	r = rarog_digraph_make((uint32_t)graph->callees.n, n, arcs, ret_arcs);
	free(arcs);
	return r;
}
