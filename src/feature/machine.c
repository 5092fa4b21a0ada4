/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line table says of which piece each instruction is, and the analysis which regions are open
 * in that piece. The scheduler mixes instructions of neighbouring pieces, so in each block of
 * machine code the sequence of stacks is taken that needs the least changes and contradicts the
 * fewest instructions; calls and jumps count more, as they are where they were. What the table does
 * not know is as its neighbours are.
 */
#include "feature/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/instruction.h"

#define CHANGE        2 /* what a change of stacks costs, in instructions that contradict */
#define OF_CALL       8 /* what a call counts */
#define OF_JUMP       4
#define MAX_DIFFERENT 16 /* stacks in one block */

/* --- stacks --- */

static bool is_stack(const struct rarog_feature_machine *m, const struct rarog_feature_stack *a,
		     const struct rarog_feature_piece *piece)
{
	return a->n == piece->n &&
	       memcmp(m->items + a->first, m->items + piece->first, a->n * sizeof(*m->items)) == 0;
}

static int add_stack(struct rarog_feature_machine *m, const struct rarog_feature_piece *piece,
		     uint32_t *ret_stack)
{
	struct rarog_feature_stack stack = { piece->first, piece->n };

	for (size_t i = 0; i < m->stacks.n; i++)
		if (is_stack(m, &m->stacks.v[i], piece)) {
			*ret_stack = (uint32_t)i;
			return 0;
		}
	*ret_stack = (uint32_t)m->stacks.n;
	return rarog_vec_push(&m->stacks, stack);
}

static int add_stacks(struct rarog_feature_machine *m)
{
	const struct rarog_feature_analysis *a = m->analysis;
	int r = rarog_vec_push(&m->stacks, (struct rarog_feature_stack){ 0 });

	m->items = a->open.v;
	m->of_piece = calloc(a->pieces.n + 1, sizeof(*m->of_piece));
	if (!m->of_piece)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < a->pieces.n; i++)
		r = add_stack(m, &a->pieces.v[i], &m->of_piece[i]);
	return r < 0 ? rarog_oom() : 0;
}

static uint32_t unit_of(const void *context, const char *name, const char *directory)
{
	const struct rarog_feature_analysis *a = context;

	for (size_t i = 0; i < a->units.n; i++)
		if (strcmp(a->units.v[i].name, name) == 0 &&
		    (!directory || strcmp(a->units.v[i].directory, directory) == 0))
			return (uint32_t)i;
	return UINT32_MAX;
}

int rarog_feature_machine_init(const struct rarog_feature_analysis *analysis,
			       struct rarog_binary *binary, struct rarog_feature_machine *machine)
{
	int r;

	*machine = (struct rarog_feature_machine){ .analysis = analysis, .binary = binary };
	if (!rarog_binary_has_debug(binary))
		return rarog_fail(-ENODATA,
				  "%s: without debug information it is not known where "
				  "its regions are; compile it with -g",
				  rarog_binary_path(binary));
	r = rarog_code_graphs_new(binary, &machine->graphs);
	if (r == 0)
		r = rarog_line_pieces_read(binary, unit_of, analysis, &machine->pieces);
	return r < 0 ? r : add_stacks(machine);
}

void rarog_feature_machine_release(struct rarog_feature_machine *machine)
{
	rarog_code_graphs_free(machine->graphs);
	rarog_line_pieces_release(&machine->pieces);
	rarog_vec_release(&machine->stacks);
	free(machine->of_piece);
}

static uint32_t stack_at(const struct rarog_feature_machine *m, uint64_t address)
{
	const struct rarog_line_piece *row = rarog_line_pieces_at(&m->pieces, address);
	const struct rarog_feature_piece *piece;

	if (!row || row->unit == UINT32_MAX || row->piece == 0)
		return RAROG_FEATURE_UNKNOWN;
	piece = rarog_feature_piece_find(m->analysis, row->unit, row->piece);
	return piece ? m->of_piece[piece - m->analysis->pieces.v] : 0;
}

/* --- instructions --- */

static int read_block(struct rarog_feature_machine *m, const struct rarog_code_graph_block *block,
		      struct rarog_feature_code *code)
{
	struct rarog_feature_block own = { .first = (uint32_t)code->instructions.n };
	const uint8_t *bytes = rarog_binary_bytes(m->binary, block->address, block->size);
	uint32_t at = 0;
	int r = 0;

	while (r == 0 && bytes && at < block->size) {
		struct rarog_instruction decoded;
		struct rarog_feature_instruction one = { .address = block->address + at };

		if (!rarog_instruction_scan(block->size - at, bytes + at, one.address, &decoded))
			break;
		one.length = decoded.length;
		one.flow = decoded.flow;
		one.stack = stack_at(m, one.address);
		r = rarog_vec_push(&code->instructions, one);
		at += decoded.length;
	}
	own.n = (uint32_t)code->instructions.n - own.first;
	own.enters = own.leaves = RAROG_FEATURE_UNKNOWN;
	return r < 0 ? r : rarog_vec_push(&code->blocks, own);
}

/* --- one block --- */

static unsigned weight_of(const struct rarog_feature_instruction *one)
{
	if (one->flow == RAROG_FLOW_CALL || one->flow == RAROG_FLOW_INDIRECT_CALL)
		return OF_CALL;
	return one->flow == RAROG_FLOW_NEXT || one->flow == RAROG_FLOW_NOP ? 1 : OF_JUMP;
}

static size_t find_different(size_t n, const struct rarog_feature_instruction v[n],
			     uint32_t different[MAX_DIFFERENT])
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < found && different[k] != v[i].stack)
			k++;
		if (k == found && v[i].stack != RAROG_FEATURE_UNKNOWN && found < MAX_DIFFERENT)
			different[found++] = v[i].stack;
	}
	return found;
}

static unsigned cost_of(const struct rarog_feature_instruction *one, uint32_t stack)
{
	return one->stack == RAROG_FEATURE_UNKNOWN || one->stack == stack ? 0 : weight_of(one);
}

/* The cheapest sequence (Viterbi). @from: n * n_different numbers. */
static void choose(size_t n, struct rarog_feature_instruction v[n], size_t n_different,
		   const uint32_t different[n_different], uint8_t *from)
{
	unsigned cost[MAX_DIFFERENT] = { 0 }, next[MAX_DIFFERENT];
	size_t best = 0;

	for (size_t i = 0; i < n; i++) {
		size_t least = 0;

		for (size_t k = 1; k < n_different; k++)
			if (cost[k] < cost[least])
				least = k;
		for (size_t k = 0; k < n_different; k++) {
			bool stays = cost[k] <= cost[least] + CHANGE;

			from[i * n_different + k] = (uint8_t)(stays ? k : least);
			next[k] = (stays ? cost[k] : cost[least] + CHANGE) +
				  cost_of(&v[i], different[k]);
		}
		memcpy(cost, next, sizeof(cost));
	}
	for (size_t k = 1; k < n_different; k++)
		if (cost[k] < cost[best])
			best = k;
	for (size_t i = n; i-- > 0;) {
		v[i].stack = different[best];
		best = from[i * n_different + best];
	}
}

static int settle_block(struct rarog_feature_block *block, struct rarog_feature_instruction *all)
{
	struct rarog_feature_instruction *v = all + block->first;
	uint32_t different[MAX_DIFFERENT];
	size_t n_different = find_different(block->n, v, different);
	rarog_cleanup(rarog_freep) uint8_t *from = calloc(block->n * MAX_DIFFERENT + 1, 1);

	if (!from)
		return rarog_oom();
	if (n_different == 0)
		return 0;
	choose(block->n, v, n_different, different, from);
	block->enters = v[0].stack;
	block->leaves = v[block->n - 1].stack;
	return 0;
}

/* --- blocks of which nothing is known --- */

static void fill_block(struct rarog_feature_code *code, struct rarog_feature_block *block,
		       uint32_t stack)
{
	block->enters = block->leaves = stack;
	for (uint32_t i = 0; i < block->n; i++)
		code->instructions.v[block->first + i].stack = stack;
}

/* From what comes before it, if that is one. */
static bool fill_once(struct rarog_feature_code *code, bool takes_any)
{
	bool has_changed = false;

	for (size_t i = 0; i < code->graph.edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &code->graph.edges.v[i];
		uint32_t from;

		if (edge->from == RAROG_GRAPH_OUTSIDE || edge->to == RAROG_GRAPH_OUTSIDE)
			continue;
		from = code->blocks.v[edge->from].leaves;
		if (code->blocks.v[edge->to].enters != RAROG_FEATURE_UNKNOWN ||
		    from == RAROG_FEATURE_UNKNOWN)
			continue;
		for (size_t k = 0; !takes_any && k < code->graph.edges.n; k++) {
			const struct rarog_code_graph_edge *other = &code->graph.edges.v[k];

			if (other->to == edge->to && other->from != RAROG_GRAPH_OUTSIDE &&
			    other->from != edge->to && code->blocks.v[other->from].leaves != from)
				from = RAROG_FEATURE_UNKNOWN;
		}
		if (from == RAROG_FEATURE_UNKNOWN)
			continue;
		fill_block(code, &code->blocks.v[edge->to], from);
		has_changed = true;
	}
	return has_changed;
}

static void fill_blocks(struct rarog_feature_code *code)
{
	while (fill_once(code, false))
		;
	while (fill_once(code, true))
		;
	for (size_t i = 0; i < code->blocks.n; i++)
		if (code->blocks.v[i].enters == RAROG_FEATURE_UNKNOWN)
			fill_block(code, &code->blocks.v[i], 0);
}

/* --- a function --- */

static bool has_regions(const struct rarog_feature_machine *m,
			const struct rarog_function *function)
{
	const struct rarog_line_piece *row = rarog_line_pieces_at(&m->pieces, function->address);
	const struct rarog_line_piece *end = m->pieces.rows.v + m->pieces.rows.n;

	if (!row)
		row = m->pieces.rows.v;
	for (; row < end && row->address < function->address + function->size; row++) {
		uint32_t stack = stack_at(m, row->address);

		if (stack != RAROG_FEATURE_UNKNOWN && stack != 0)
			return true;
	}
	return false;
}

int rarog_feature_code_read(struct rarog_feature_machine *machine, size_t function,
			    struct rarog_feature_code *ret_code)
{
	const struct rarog_function *functions;
	int r;

	*ret_code = (struct rarog_feature_code){ 0 };
	rarog_binary_functions(machine->binary, &functions);
	if (!has_regions(machine, &functions[function]))
		return 0;
	r = rarog_code_graphs_read(machine->graphs, function, false, &ret_code->graph);
	if (r == -ENOTSUP)
		machine->n_unread++;
	if (r < 0)
		return r == -ENOTSUP ? 0 : r;
	for (size_t i = 0; r == 0 && i < ret_code->graph.blocks.n; i++)
		r = read_block(machine, &ret_code->graph.blocks.v[i], ret_code);
	for (size_t i = 0; r == 0 && i < ret_code->blocks.n; i++)
		r = settle_block(&ret_code->blocks.v[i], ret_code->instructions.v);
	if (r < 0)
		return rarog_oom();
	fill_blocks(ret_code);
	return 1;
}

void rarog_feature_code_release(struct rarog_feature_code *code)
{
	rarog_code_graph_release(&code->graph);
	rarog_vec_release(&code->instructions);
	rarog_vec_release(&code->blocks);
}
