/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Along the graph until nothing new comes. A jump through a table leads where that table says, if
 * it is known which: read from its beginning until another table begins or an entry leads outside
 * of the code, which may be after its end, so ways are too many rather than too few. Else it leads
 * where any does. Which tables there are is found out first, as if none of them had an end.
 */
#include "blocks/machine-walk.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"
#include "blocks/machine-step.h"

struct walk {
	const struct rarog_binary *binary;
	const struct rarog_code_graph *graph;
	const struct rarog_walk_notes *notes;
	struct rarog_steps steps;
	struct rarog_holding *before; /* by block */
	bool *is_landing;             /* by block: it is also entered from outside */
	bool *is_target;              /* by block: a jump through a table may lead there */
	uint32_t *first;              /* by block: its ways, in next */
	uint32_t *next;
	RAROG_VEC(uint64_t) tables; /* that jumps go through */
	bool has_tables;            /* they are all known */
};

static int step_through(struct walk *w, uint32_t number)
{
	const struct rarog_code_graph_block *block = &w->graph->blocks.v[number];
	const struct rarog_code code = {
		.bytes = rarog_binary_bytes(w->binary, block->address, block->size),
		.size = block->size,
		.address = block->address,
	};

	return rarog_steps_through(&w->steps, number, &w->before[number], &code);
}

/* --- where it goes on --- */

static int join(struct walk *w, uint32_t to, const struct rarog_holding *from, bool *is_open)
{
	int r = rarog_holding_join(&w->before[to], from, w->notes->owner, w->notes->of);

	if (r > 0)
		is_open[to] = true;
	return r < 0 ? r : 0;
}

/* The block that begins at @address; UINT32_MAX: none. The last has no instructions. */
static uint32_t block_at(const struct rarog_code_graph *graph, uint64_t address)
{
	size_t low =
		rarog_lower_bound(i, graph->blocks.n - 1, graph->blocks.v[i].address < address);

	return low + 1 < graph->blocks.n && graph->blocks.v[low].address == address ? (uint32_t)low
										    : UINT32_MAX;
}

static bool is_code(const struct rarog_binary *binary, uint64_t address)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(binary, &segments);

	for (size_t i = 0; i < n; i++)
		if (segments[i].flags & PF_X && address - segments[i].vaddr < segments[i].file_size)
			return true;
	return false;
}

/* The block that an entry of the table leads to; UINT32_MAX: to none of the function's. */
static bool read_entry(const struct walk *w, uint64_t table, uint64_t at, uint32_t *ret_block)
{
	const uint8_t *bytes = rarog_binary_bytes(w->binary, at, sizeof(int32_t));
	int32_t offset;

	if (!bytes)
		return false;
	memcpy(&offset, bytes, sizeof(offset));
	if (!is_code(w->binary, table + (uint64_t)(int64_t)offset))
		return false;
	*ret_block = block_at(w->graph, table + (uint64_t)(int64_t)offset);
	return true;
}

static bool is_table(const struct walk *w, uint64_t address)
{
	for (size_t i = 0; i < w->tables.n; i++)
		if (w->tables.v[i] == address)
			return true;
	return false;
}

/* Where it ends, at the latest: tables do not overlap. */
static uint64_t end_of_table(const struct walk *w, uint64_t table)
{
	uint64_t end = UINT64_MAX;

	for (size_t i = 0; w->has_tables && i < w->tables.n; i++)
		if (w->tables.v[i] > table && w->tables.v[i] < end)
			end = w->tables.v[i];
	return end;
}

static int join_table(struct walk *w, bool *is_open)
{
	uint64_t table = w->steps.table, end = end_of_table(w, table);
	uint32_t to;
	int r = is_table(w, table) ? 0 : rarog_vec_push(&w->tables, table);

	for (uint64_t at = table; r == 0 && at < end && read_entry(w, table, at, &to);
	     at += sizeof(int32_t))
		if (to != UINT32_MAX && w->is_target[to])
			r = join(w, to, &w->steps.now, is_open);
	return r;
}

static int join_next(struct walk *w, uint32_t number, bool *is_open)
{
	int r = 0;

	if (w->steps.table)
		return join_table(w, is_open);
	for (uint32_t i = w->first[number]; r == 0 && i < w->first[number + 1]; i++)
		r = join(w, w->next[i], &w->steps.now, is_open);
	return r;
}

static int join_landings(struct walk *w, bool *is_open)
{
	int r = 0;

	for (uint32_t b = 1; r == 0 && b < w->graph->blocks.n; b++)
		if (w->is_landing[b])
			r = join(w, b, &w->steps.thrown, is_open);
	return r;
}

/* One round over all open blocks; whether any is open again. */
static int round_of_all(struct walk *w, bool *is_open)
{
	int n = 0, r = 0;

	for (uint32_t b = 0; r == 0 && b < w->graph->blocks.n; b++) {
		if (!is_open[b])
			continue;
		is_open[b] = false;
		n = 1;
		r = step_through(w, b);
		if (r == 0)
			r = join_next(w, b, is_open);
	}
	if (r == 0)
		r = join_landings(w, is_open);
	return r < 0 ? r : n;
}

static int follow(struct walk *w)
{
	rarog_cleanup(rarog_freep) bool *is_open = calloc(w->graph->blocks.n, sizeof(*is_open));
	int r = is_open ? 1 : -ENOMEM;

	if (is_open)
		is_open[0] = true;
	w->before[0] = rarog_steps_at_entry();
	while (r > 0)
		r = round_of_all(w, is_open);
	return r;
}

static void forget_all(struct walk *w)
{
	for (size_t b = 0; b < w->graph->blocks.n; b++) {
		rarog_holding_release(&w->before[b]);
		w->before[b] = (struct rarog_holding){ 0 };
	}
	rarog_steps_release(&w->steps);
	rarog_steps_init(&w->steps, w->notes);
}

static int find_all(struct walk *w)
{
	int r = follow(w);

	if (r < 0 || w->tables.n < 2)
		return r;
	w->has_tables = true;
	forget_all(w);
	return follow(w);
}

/* Blocks that control never reached by what is known may still be: data in tables. There nothing is
 * known of any register, so only what names a counter itself is seen. */
static int tell_all_blocks(struct walk *w)
{
	int r = 0;

	w->steps.is_telling = true;
	for (uint32_t b = 0; r == 0 && b < w->graph->blocks.n; b++)
		r = step_through(w, b);
	return r;
}

static int index_ways(struct walk *w)
{
	const struct rarog_code_graph *graph = w->graph;
	size_t n = graph->blocks.n;

	w->first = calloc(n + 2, sizeof(*w->first));
	w->next = calloc(graph->edges.n + 1, sizeof(*w->next));
	w->is_landing = calloc(n, sizeof(*w->is_landing));
	w->is_target = calloc(n, sizeof(*w->is_target));
	w->before = calloc(n, sizeof(*w->before));
	if (!w->first || !w->next || !w->is_landing || !w->is_target || !w->before)
		return -ENOMEM;
	for (size_t i = 0; i < graph->edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &graph->edges.v[i];

		if (edge->to == RAROG_GRAPH_OUTSIDE)
			continue;
		if (edge->from == RAROG_GRAPH_OUTSIDE)
			w->is_landing[edge->to] = true;
		else
			w->first[edge->from + 2]++;
		w->is_target[edge->to] |= edge->from == n - 1; /* where tables meet */
	}
	for (size_t b = 0; b < n; b++)
		w->first[b + 2] += w->first[b + 1];
	for (size_t i = 0; i < graph->edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &graph->edges.v[i];

		if (edge->from != RAROG_GRAPH_OUTSIDE && edge->to != RAROG_GRAPH_OUTSIDE)
			w->next[w->first[edge->from + 1]++] = edge->to;
	}
	return 0;
}

int rarog_native_walk(const struct rarog_binary *binary, const struct rarog_code_graph *graph,
		      const struct rarog_walk_notes *notes)
{
	struct walk w = { .binary = binary, .graph = graph, .notes = notes };
	int r = index_ways(&w);

	rarog_steps_init(&w.steps, notes);
	if (r == 0)
		r = find_all(&w);
	if (r == 0)
		r = tell_all_blocks(&w);
	for (size_t b = 0; w.before && b < graph->blocks.n; b++)
		rarog_holding_release(&w.before[b]);
	rarog_steps_release(&w.steps);
	rarog_vec_release(&w.tables);
	free(w.first);
	free(w.next);
	free(w.is_landing);
	free(w.is_target);
	free(w.before);
	return r < 0 ? rarog_oom() : 0;
}
