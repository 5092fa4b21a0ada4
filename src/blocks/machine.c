/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two kinds of equations for the counts of a function's machine blocks and of the ways between
 * them:
 *
 *  - what enters a block leaves it (Kirchhoff's law);
 *  - a counter is as often as all instructions together ran that add to it. They are found in the
 *    code: `addq $1, counter`, or, of counters that are registers in a loop, those that the
 *    compiler's table of sites names. Merged and duplicated blocks need no special care: two
 *    instructions that add to one counter are two terms. What other functions add (LTO) is one
 *    more unknown.
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
	struct rarog_native_uses *uses;
	bool may_leave;
};

struct solving {
	const struct rarog_native *machine;
	struct rarog_code_graph graph;
	const struct rarog_native_use *uses;
	size_t n_uses;
	struct rarog_equations equations;
	uint32_t n_others; /* unknowns after the blocks: what other functions add to counters */
};

int rarog_native_new(const struct rarog_binary *binary, const struct rarog_map *map, bool may_leave,
		     struct rarog_native **ret_machine)
{
	rarog_cleanup(rarog_native_freep) struct rarog_native *machine =
		calloc(1, sizeof(*machine));
	int r;

	if (!machine)
		return rarog_oom();
	machine->binary = binary;
	machine->map = map;
	machine->may_leave = may_leave;
	r = rarog_code_graphs_new(binary, &machine->graphs);
	if (r == 0)
		r = rarog_native_uses_new(binary, machine->graphs, map, may_leave, &machine->uses);
	if (r == 0)
		*ret_machine = rarog_take(machine);
	return r;
}

void rarog_native_free(struct rarog_native *machine)
{
	if (machine) {
		rarog_native_uses_free(machine->uses);
		rarog_code_graphs_free(machine->graphs);
	}
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

/* What other functions add to the counter, if they do. */
static int add_others(struct solving *s, enum rarog_use_rule rule)
{
	uint32_t unknown = block_unknown(s, (uint32_t)s->graph.blocks.n) + s->n_others;

	if (rule != RAROG_RULE_BOUND)
		return 0;
	s->n_others++;
	return rarog_equations_add(&s->equations, unknown, 1);
}

static bool is_term(const struct rarog_native_use *use)
{
	return use->kind != RAROG_USE_SUM && use->kind != RAROG_USE_READ && use->factor != 0;
}

/* Uses of one counter stand together. */
static int add_counters(struct solving *s, const uint64_t *counters)
{
	const struct rarog_native_use *uses = s->uses;
	size_t end;
	int r = 0;

	for (size_t at = 0; r == 0 && at < s->n_uses; at = end) {
		uint64_t counter = uses[at].counter;
		enum rarog_use_rule rule = rarog_native_uses_rule(s->machine->uses, counter);

		for (end = at; end < s->n_uses && uses[end].counter == counter; end++)
			;
		if (rule == RAROG_RULE_NONE)
			continue;
		r = rarog_equations_begin(&s->equations,
					  counters[(counter - s->machine->map->counters) / 8]);
		for (size_t i = at; r == 0 && i < end; i++)
			if (is_term(&uses[i]))
				r = rarog_equations_add(&s->equations,
							block_unknown(s, uses[i].block),
							uses[i].factor);
		if (r == 0)
			r = add_others(s, rule);
	}
	return r;
}

/* --- the result --- */

/* Instructions that count, in @blocks. What is wider than a counter is several uses of one. */
static void note_counting(const struct solving *s, struct rarog_native_blocks *blocks)
{
	for (size_t i = 0; i < s->n_uses; i++) {
		struct rarog_native_block *block = &blocks->list.v[s->uses[i].block];

		block->counting +=
			s->uses[i].kind != RAROG_USE_MARK && block->counting < block->instructions;
	}
}

static int write_blocks(const struct solving *s, const struct rarog_bounds *ranges,
			struct rarog_native_blocks *blocks)
{
	size_t n = s->graph.blocks.n - 1; /* without where tables meet */
	int r = rarog_vec_reserve(&blocks->list, n);

	for (uint32_t i = 0; r == 0 && i < n; i++) {
		const struct rarog_code_graph_block *from = &s->graph.blocks.v[i];
		const struct rarog_bounds *range = &ranges[block_unknown(s, i)];

		blocks->list.v[blocks->list.n++] =
			(struct rarog_native_block){ .address = from->address,
						     .size = from->size,
						     .instructions = from->instructions,
						     .least = range->least,
						     .most = range->most };
	}
	if (r == 0)
		note_counting(s, blocks);
	return r < 0 ? rarog_oom() : 0;
}

static int solve(struct solving *s, const uint64_t *counters, struct rarog_native_blocks *blocks)
{
	rarog_cleanup(rarog_freep) struct rarog_bounds *ranges = NULL;
	int r = add_flows(s);

	if (r == 0)
		r = add_counters(s, counters);
	if (r < 0)
		return rarog_oom();
	s->equations.n_unknowns = s->graph.edges.n + s->graph.blocks.n + s->n_others;
	ranges = calloc(s->equations.n_unknowns + 1, sizeof(*ranges));
	r = ranges ? rarog_equations_solve(&s->equations, ranges) : rarog_oom();
	if (r == -EDOM) {
		for (size_t i = 0; i < s->equations.n_unknowns; i++)
			ranges[i] = (struct rarog_bounds){ 0, UINT64_MAX };
		r = 0;
	}
	return r < 0 ? r : write_blocks(s, ranges, blocks);
}

int rarog_native_solve(const struct rarog_native *machine, uint64_t address,
		       const uint64_t *counters, struct rarog_native_blocks *ret_blocks)
{
	struct solving s = { .machine = machine };
	struct rarog_native_blocks blocks = { 0 };
	long function = rarog_binary_find(machine->binary, address);
	int r = function < 0 ? -ENOTSUP
			     : rarog_code_graphs_read(machine->graphs, (size_t)function,
						      machine->may_leave, &s.graph);

	if (r == 0) {
		s.uses = rarog_native_uses_of(machine->uses, (size_t)function, &s.n_uses);
		r = solve(&s, counters, &blocks);
	}
	rarog_code_graph_release(&s.graph);
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
