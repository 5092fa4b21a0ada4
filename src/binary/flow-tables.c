/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/flow-tables.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/instruction.h"

struct following {
	const struct rarog_code_map *map;
	const struct rarog_filled_words *words;
	const struct rarog_function *function;
	size_t number; /* of the function */
	struct rarog_code_run run;
	RAROG_VEC(uint32_t) offsets;
	RAROG_VEC(size_t) jumps;
};

/* --- tables --- */

static int decode(struct following *f)
{
	struct rarog_instruction in;
	int r = 0;

	for (uint32_t at = 0; r == 0 && at < f->run.size; at += in.length) {
		if (!rarog_instruction_decode(f->run.size - at, f->run.code + at, f->run.start + at,
					      &in))
			return 0;
		if (in.flow == RAROG_FLOW_INDIRECT_JUMP && !in.memory_offset)
			r = rarog_vec_push(&f->jumps, f->offsets.n);
		if (r == 0)
			r = rarog_vec_push(&f->offsets, at);
	}
	f->run.n = f->offsets.n;
	f->run.offsets = f->offsets.v;
	return r;
}

/* Also to its cold part. */
static bool is_own(const void *context, const struct rarog_code_run *run, uint64_t target)
{
	const struct following *f = context;
	long found = rarog_binary_find(f->map->binary, target);

	(void)run;
	return found >= 0 && rarog_binary_host(f->map->binary, found) == (long)f->number;
}

static int find_tables(struct following *f, struct rarog_flow_tables *tables)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->jumps.n; i++) {
		struct rarog_jump_table table;

		if (rarog_jump_table_find(f->map, f->words, &f->run, f->jumps.v[i], is_own, f,
					  &table))
			r = rarog_vec_push(&tables->list, table);
		else
			tables->n_unknown++;
	}
	return r;
}

/* --- edges --- */

static uint32_t pool_of(const struct rarog_code_graph *graph)
{
	return (uint32_t)graph->blocks.n - 1;
}

static void drop_edges(struct rarog_code_graph *graph, uint32_t from, uint32_t to)
{
	size_t kept = 0;

	for (size_t i = 0; i < graph->edges.n; i++)
		if (graph->edges.v[i].from != from ||
		    (to != RAROG_GRAPH_OUTSIDE && graph->edges.v[i].to != to))
			graph->edges.v[kept++] = graph->edges.v[i];
	graph->edges.n = kept;
}

static bool has_edge(const struct rarog_code_graph *graph, size_t first, uint32_t to)
{
	for (size_t i = first; i < graph->edges.n; i++)
		if (graph->edges.v[i].to == to)
			return true;
	return false;
}

static int follow(const struct following *f, const struct rarog_jump_table *table,
		  struct rarog_code_graph *graph)
{
	uint32_t from = rarog_code_graph_find(graph, table->jump);
	size_t first;
	int r = 0;

	drop_edges(graph, from, pool_of(graph));
	first = graph->edges.n;
	for (uint32_t i = 0; r == 0 && i < table->entries; i++) {
		uint32_t to =
			rarog_code_graph_find(graph, rarog_jump_table_target(f->words, table, i));

		if (!has_edge(graph, first, to))
			r = rarog_vec_push(&graph->edges,
					   (struct rarog_code_graph_edge){ from, to });
	}
	return r;
}

/* When no jump leads to where they meet, nothing goes on from there. */
static void drop_pool(struct rarog_code_graph *graph)
{
	uint32_t pool = pool_of(graph);

	for (size_t i = 0; i < graph->edges.n; i++)
		if (graph->edges.v[i].to == pool && graph->edges.v[i].from != pool)
			return;
	drop_edges(graph, pool, RAROG_GRAPH_OUTSIDE);
}

static int follow_all(struct following *f, struct rarog_code_graph *graph,
		      struct rarog_flow_tables *tables)
{
	int r = decode(f);

	if (r == 0)
		r = find_tables(f, tables);
	for (size_t i = 0; r == 0 && i < tables->list.n; i++)
		r = follow(f, &tables->list.v[i], graph);
	if (r == 0)
		drop_pool(graph);
	return r < 0 ? rarog_oom() : 0;
}

int rarog_flow_tables_follow(const struct rarog_code_graphs *graphs,
			     const struct rarog_filled_words *words, size_t function,
			     struct rarog_code_graph *graph, struct rarog_flow_tables *ret_tables)
{
	struct following f = { .map = rarog_code_graphs_map(graphs),
			       .words = words,
			       .number = function };
	int r;

	*ret_tables = (struct rarog_flow_tables){ 0 };
	f.function = &f.map->functions[function];
	f.run.start = f.function->address;
	f.run.size = (uint32_t)f.function->size;
	f.run.code = rarog_binary_bytes(f.map->binary, f.run.start, f.run.size);
	r = f.run.code ? follow_all(&f, graph, ret_tables) : 0;
	rarog_vec_release(&f.offsets);
	rarog_vec_release(&f.jumps);
	return r;
}

void rarog_flow_tables_release(struct rarog_flow_tables *tables)
{
	rarog_vec_release(&tables->list);
}
