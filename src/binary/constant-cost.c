/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/constant-cost.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/call-order.h"
#include "binary/flow-calls.h"
#include "binary/flow-tables.h"
#include "binary/library-calls.h"

static void raise_cost(uint8_t *cost, uint8_t to)
{
	if (*cost < to)
		*cost = to;
}

/* --- the code of a function --- */

/* Does control come back to a block? */
static int has_loop(const struct rarog_code_graph *graph)
{
	rarog_cleanup(rarog_freep) struct rarog_digraph_arc *arcs =
		calloc(graph->edges.n + 1, sizeof(*arcs));
	rarog_cleanup(rarog_digraph_release) struct rarog_digraph blocks = { 0 };
	rarog_cleanup(rarog_components_release) struct rarog_components components = { 0 };
	size_t n = 0;
	int r = arcs ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < graph->edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &graph->edges.v[i];

		if (edge->from == edge->to)
			return true;
		if (edge->from != RAROG_GRAPH_OUTSIDE && edge->to != RAROG_GRAPH_OUTSIDE)
			arcs[n++] = (struct rarog_digraph_arc){ edge->from, edge->to };
	}
	if (r == 0)
		r = rarog_digraph_make((uint32_t)graph->blocks.n, n, arcs, &blocks);
	if (r == 0)
		r = rarog_components_make(&blocks, &components);
	return r < 0 ? r : components.n < graph->blocks.n;
}

static int cost_of_code(const struct rarog_call_scan *scan, uint32_t function, uint8_t *cost)
{
	rarog_cleanup(rarog_code_graph_release) struct rarog_code_graph graph = { 0 };
	rarog_cleanup(rarog_flow_tables_release) struct rarog_flow_tables tables = { 0 };
	int r = rarog_code_graphs_read(scan->graphs, function, false, &graph);
	if (r == -ENOTSUP) {
		raise_cost(cost, RAROG_COST_UNKNOWN);
		return 0;
	}
	if (r == 0)
		r = rarog_flow_tables_follow(scan->graphs, &scan->words, function, &graph, &tables);
	if (r == 0)
		r = has_loop(&graph);
	if (r < 0)
		return r;
	if (r > 0)
		raise_cost(cost, RAROG_COST_VARYING);
	return 0;
}

int rarog_own_costs(const struct rarog_call_scan *scan, uint8_t ret_costs[])
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < scan->n; i++)
		r = cost_of_code(scan, i, &ret_costs[scan->origin[i]]);
	for (uint32_t i = 0; i < scan->n; i++)
		if (scan->is_unsteady[i] || scan->is_unread[i])
			raise_cost(&ret_costs[i], RAROG_COST_UNKNOWN);
	/* code that only its FDE tells of was not looked at */
	for (size_t i = 0; i < scan->parts.n; i++)
		if (scan->parts.v[i].function == RAROG_CALL_NOWHERE &&
		    scan->parts.v[i].owner != RAROG_CALL_NOWHERE)
			raise_cost(&ret_costs[scan->parts.v[i].owner], RAROG_COST_UNKNOWN);
	return r;
}

/* --- with what it calls --- */

static uint8_t cost_of_import(const char *name)
{
	return rarog_library_is_constant(name) || rarog_call_end(name) == RAROG_CALL_NEVER
		       ? RAROG_COST_CONSTANT
		       : RAROG_COST_UNKNOWN;
}

static void start(const struct rarog_call_graph *graph, const uint8_t own[], uint8_t cost[])
{
	for (uint32_t i = 0; i < graph->callees.n; i++) {
		const struct rarog_callee *callee = &graph->callees.v[i];

		cost[i] = RAROG_COST_UNKNOWN;
		if (callee->kind == RAROG_CALLEE_IMPORT)
			cost[i] = cost_of_import(callee->name);
		else if (callee->kind == RAROG_CALLEE_FUNCTION)
			cost[i] = own[i];
		if (callee->flags & RAROG_CALLEE_RECURSIVE)
			raise_cost(&cost[i], RAROG_COST_VARYING);
	}
	for (size_t i = 0; i < graph->edges.n; i++)
		if (!graph->edges.v[i].is_sure)
			raise_cost(&cost[graph->edges.v[i].from], RAROG_COST_UNKNOWN);
}

/* Functions of components in which they call each other vary; the others cost what they call. */
static void spread(const struct rarog_digraph *arcs, const struct rarog_components *components,
		   const struct rarog_digraph *members, uint8_t cost[])
{
	for (uint32_t c = 0; c < components->n; c++) {
		uint32_t first = members->first[c], end = members->first[c + 1];

		for (uint32_t m = first; m < end; m++) {
			uint32_t node = members->to[m];

			if (end - first > 1)
				raise_cost(&cost[node], RAROG_COST_VARYING);
			for (uint32_t i = arcs->first[node]; i < arcs->first[node + 1]; i++)
				raise_cost(&cost[node], cost[arcs->to[i]]);
		}
	}
}

static int find(const struct rarog_call_graph *graph, uint8_t cost[])
{
	rarog_cleanup(rarog_digraph_release) struct rarog_digraph arcs = { 0 }, members = { 0 };
	rarog_cleanup(rarog_components_release) struct rarog_components components = { 0 };
	rarog_cleanup(rarog_freep) struct rarog_digraph_arc *list =
		calloc(graph->callees.n + 1, sizeof(*list));
	int r = list ? rarog_call_graph_digraph(graph, true, &arcs) : rarog_oom();

	if (r == 0)
		r = rarog_components_make(&arcs, &components);
	for (uint32_t i = 0; r == 0 && i < graph->callees.n; i++)
		list[i] = (struct rarog_digraph_arc){ components.of[i], i };
	if (r == 0)
		r = rarog_digraph_make((uint32_t)graph->callees.n, graph->callees.n, list,
				       &members);
	if (r == 0)
		spread(&arcs, &components, &members, cost);
	return r;
}

int rarog_constant_costs(struct rarog_call_graph *graph, const uint8_t own[])
{
	uint8_t *cost = calloc(graph->callees.n + 1, sizeof(*cost));
	int r = cost ? 0 : rarog_oom();

	if (r == 0) {
		start(graph, own, cost);
		r = find(graph, cost);
	}
	for (uint32_t i = 0; r == 0 && i < graph->callees.n; i++) {
		static const uint8_t flags[] = { [RAROG_COST_CONSTANT] = RAROG_CALLEE_CONSTANT,
						 [RAROG_COST_UNKNOWN] = 0,
						 [RAROG_COST_VARYING] = RAROG_CALLEE_VARYING };

		if (graph->callees.v[i].kind == RAROG_CALLEE_FUNCTION)
			graph->callees.v[i].flags |= flags[cost[i]];
	}
	free(cost);
	return r;
}
