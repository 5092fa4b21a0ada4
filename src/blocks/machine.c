/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two kinds of equations for the counts of a function's machine blocks and of the ways between
 * them:
 *
 *  - what enters a block leaves it (Kirchhoff's law);
 *  - a counter is as often as all instructions together ran that add to it. They are found in the
 *    code: `addq $1, counter`, or, of counters that are registers in a loop, those that the
 *    compiler's table of sites names. Merged and duplicated blocks need no special care: two
 *    instructions that add to one counter are two terms.
 *
 * A counter with any instruction that is not understood has no equation. Contradictions (a
 * program that was killed between two counters) leave all blocks of the function unknown.
 */
#include "blocks/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "binary/flow-graph.h"
#include "blocks/equations.h"
#include "blocks/machine-use.h"
#include "blocks/map.h"

struct rarog_native {
	const struct rarog_binary *binary;
	const struct rarog_map *map;
	struct rarog_code_graphs *graphs;
};

struct solving {
	const struct rarog_native *machine;
	const struct rarog_record *record;
	struct rarog_code_graph graph;
	struct rarog_native_uses uses;
	struct rarog_equations equations;
	uint64_t may_leave;
};

int rarog_native_new(const struct rarog_binary *binary, const struct rarog_map *map,
		     struct rarog_native **ret_machine)
{
	rarog_cleanup(rarog_native_freep) struct rarog_native *machine =
		calloc(1, sizeof(*machine));
	int r;

	if (!machine)
		return rarog_oom();
	machine->binary = binary;
	machine->map = map;
	r = rarog_code_graphs_new(binary, &machine->graphs);
	if (r == 0)
		*ret_machine = rarog_take(machine);
	return r;
}

void rarog_native_free(struct rarog_native *machine)
{
	if (machine)
		rarog_code_graphs_free(machine->graphs);
	free(machine);
}

/* --- equations --- */

/* The unknowns are the edges, then the blocks. */
static uint32_t block_unknown(const struct solving *s, uint32_t block)
{
	return (uint32_t)s->graph.edges.n + block;
}

/* Two equations for each block, in its order: executions less what enters, or less what leaves. */
static int add_flow(struct solving *s, bool is_entering, uint32_t *order, const uint32_t *first)
{
	int r = 0;

	for (uint32_t b = 0; r == 0 && b < s->graph.blocks.n; b++) {
		if (!is_entering && s->graph.blocks.v[b].is_end)
			continue;
		r = rarog_equations_begin(&s->equations, 0);
		if (r == 0)
			r = rarog_equations_add(&s->equations, block_unknown(s, b), 1);
		for (uint32_t i = first[b]; r == 0 && i < first[b + 1]; i++)
			r = rarog_equations_add(&s->equations, order[i], -1);
	}
	return r;
}

/* The edges sorted by the block at one end. */
static int sort_edges(const struct solving *s, bool is_entering, uint32_t *order, uint32_t *first)
{
	size_t n = s->graph.blocks.n;

	memset(first, 0, (n + 2) * sizeof(*first));
	for (size_t i = 0; i < s->graph.edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &s->graph.edges.v[i];
		uint32_t at = is_entering ? edge->to : edge->from;

		if (at != RAROG_GRAPH_OUTSIDE)
			first[at + 2]++;
	}
	for (size_t b = 0; b < n; b++)
		first[b + 2] += first[b + 1];
	for (uint32_t i = 0; i < s->graph.edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &s->graph.edges.v[i];
		uint32_t at = is_entering ? edge->to : edge->from;

		if (at != RAROG_GRAPH_OUTSIDE)
			order[first[at + 1]++] = i;
	}
	return 0;
}

static int add_flows(struct solving *s)
{
	rarog_cleanup(rarog_freep) uint32_t *order = calloc(s->graph.edges.n + 1, sizeof(*order));
	rarog_cleanup(rarog_freep) uint32_t *first = calloc(s->graph.blocks.n + 2, sizeof(*first));
	int r = order && first ? 0 : rarog_oom();

	for (int is_entering = 0; r == 0 && is_entering < 2; is_entering++) {
		sort_edges(s, is_entering, order, first);
		r = add_flow(s, is_entering, order, first);
	}
	return r;
}

/* Uses of one counter stand together. */
static int add_counters(struct solving *s, const uint64_t *counters)
{
	const struct rarog_native_use *uses = s->uses.list.v;
	size_t end;
	int r = 0;

	for (size_t at = 0; r == 0 && at < s->uses.list.n; at = end) {
		bool is_understood = true, is_in_register = false;

		for (end = at; end < s->uses.list.n && uses[end].counter == uses[at].counter;
		     end++) {
			is_understood &= uses[end].kind != RAROG_USE_ODD;
			is_in_register |= uses[end].kind == RAROG_USE_SITE;
		}
		for (size_t i = at; i < end; i++)
			is_understood &= is_in_register ? uses[i].kind != RAROG_USE_ADD
							: uses[i].kind != RAROG_USE_SUM;
		if (!is_understood)
			continue;
		r = rarog_equations_begin(&s->equations, counters[uses[at].counter]);
		for (size_t i = at; r == 0 && i < end; i++)
			if (uses[i].factor != 0)
				r = rarog_equations_add(&s->equations,
							block_unknown(s, uses[i].block),
							uses[i].factor);
	}
	return r;
}

/* --- the result --- */

static int write_blocks(const struct solving *s, const struct rarog_range *ranges,
			struct rarog_native_blocks *blocks)
{
	size_t n = s->graph.blocks.n - 1; /* without where tables meet */
	int r = rarog_vec_reserve(&blocks->list, n);

	for (uint32_t i = 0; r == 0 && i < n; i++) {
		const struct rarog_code_graph_block *from = &s->graph.blocks.v[i];
		const struct rarog_range *range = &ranges[block_unknown(s, i)];

		blocks->list.v[blocks->list.n++] =
			(struct rarog_native_block){ .address = from->address,
						     .size = from->size,
						     .instructions = from->instructions,
						     .counting = s->uses.counting[i],
						     .least = range->least,
						     .most = range->most };
	}
	return r < 0 ? rarog_oom() : 0;
}

static int solve(struct solving *s, const uint64_t *counters, struct rarog_native_blocks *blocks)
{
	rarog_cleanup(rarog_freep) struct rarog_range *ranges = NULL;
	int r = rarog_native_uses_find(s->machine->binary, s->machine->map, s->record, &s->graph,
				       &s->uses);

	if (r == 0)
		r = add_flows(s);
	if (r == 0)
		r = add_counters(s, counters);
	if (r < 0)
		return rarog_oom();
	s->equations.n_unknowns = s->graph.edges.n + s->graph.blocks.n;
	ranges = calloc(s->equations.n_unknowns + 1, sizeof(*ranges));
	r = ranges ? rarog_equations_solve(&s->equations, ranges) : rarog_oom();
	if (r == -EDOM) {
		for (size_t i = 0; i < s->equations.n_unknowns; i++)
			ranges[i] = (struct rarog_range){ 0, UINT64_MAX };
		r = 0;
	}
	return r < 0 ? r : write_blocks(s, ranges, blocks);
}

int rarog_native_solve(const struct rarog_native *machine, const struct rarog_record *record,
		       uint64_t address, const uint64_t *counters, bool may_leave,
		       struct rarog_native_blocks *ret_blocks)
{
	struct solving s = { .machine = machine, .record = record };
	struct rarog_native_blocks blocks = { 0 };
	long function = rarog_binary_find(machine->binary, address);
	int r = function < 0 ? -ENOTSUP
			     : rarog_code_graphs_read(machine->graphs, (size_t)function, may_leave,
						      &s.graph);

	if (r == 0)
		r = solve(&s, counters, &blocks);
	rarog_code_graph_release(&s.graph);
	rarog_native_uses_release(&s.uses);
	rarog_equations_release(&s.equations);
	if (r < 0)
		rarog_native_blocks_release(&blocks);
	if (r < 0 && r != -ENOTSUP)
		return r;
	*ret_blocks = blocks;
	return 0;
}

void rarog_native_blocks_release(struct rarog_native_blocks *blocks)
{
	rarog_vec_release(&blocks->list);
}
