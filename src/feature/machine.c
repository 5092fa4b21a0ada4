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
#include "binary/code-map.h"
#include "binary/edge-index.h"
#include "binary/instruction.h"

#define CHANGE        2 /* what a change of stacks costs, in instructions that contradict */
#define OF_CALL       8 /* what a call counts */
#define OF_JUMP       4
#define MAX_DIFFERENT 16 /* stacks in one block */

/* --- stacks --- */

static bool is_stack(const struct rarog_feature_machine *m, const struct rarog_feature_stack *a,
		     size_t n, const uint32_t regions[n])
{
	return a->n == n &&
	       (n == 0 || memcmp(m->items.v + a->first, regions, n * sizeof(*regions)) == 0);
}

static int add_stack(struct rarog_feature_machine *m, size_t n, const uint32_t regions[n],
		     uint32_t *ret_stack)
{
	struct rarog_feature_stack stack = { (uint32_t)m->items.n, (uint32_t)n };
	int r = 0;

	for (size_t i = 0; i < m->stacks.n; i++)
		if (is_stack(m, &m->stacks.v[i], n, regions)) {
			*ret_stack = (uint32_t)i;
			return 0;
		}
	*ret_stack = (uint32_t)m->stacks.n;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = rarog_vec_push(&m->items, regions[i]);
	return r < 0 ? r : rarog_vec_push(&m->stacks, stack);
}

static uint64_t features_of(const struct rarog_feature_analysis *a,
			    const struct rarog_feature_region *region)
{
	uint64_t found = 0;

	for (size_t i = 0; i < json_array_size(region->features); i++)
		for (size_t k = 0; k < a->features.n && k < 64; k++)
			if (strcmp(json_string_value(json_array_get(region->features, i)),
				   a->features.v[k].name) == 0)
				found |= (uint64_t)1 << k;
	return found;
}

static int add_features(struct rarog_feature_machine *m)
{
	const struct rarog_feature_analysis *a = m->analysis;

	m->features = calloc(a->regions.n + 1, sizeof(*m->features));
	if (!m->features || rarog_vec_push(&m->stacks, (struct rarog_feature_stack){ 0 }) < 0)
		return rarog_oom();
	for (size_t i = 0; i < a->regions.n; i++)
		m->features[i] = features_of(a, &a->regions.v[i]);
	return 0;
}

/* Of a source that is there twice it is not known which is meant. */
static uint32_t unit_of(const void *context, const char *name, const char *directory)
{
	const struct rarog_feature_analysis *a = context;
	uint32_t found = UINT32_MAX;

	for (size_t i = 0; i < a->units.n; i++) {
		if (strcmp(a->units.v[i].name, name) != 0 ||
		    (directory && strcmp(a->units.v[i].directory, directory) != 0))
			continue;
		if (found != UINT32_MAX)
			return UINT32_MAX;
		found = (uint32_t)i;
	}
	return found;
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
	return r < 0 ? r : add_features(machine);
}

void rarog_feature_machine_release(struct rarog_feature_machine *machine)
{
	rarog_code_graphs_free(machine->graphs);
	rarog_line_pieces_release(&machine->pieces);
	rarog_vec_release(&machine->stacks);
	rarog_vec_release(&machine->items);
	rarog_vec_release(&machine->calls);
	free(machine->features);
}

#define MAX_OPEN 32

/* Regions that are open at one place, from outside to inside. */
struct open {
	uint32_t regions[MAX_OPEN];
	size_t n;
	uint64_t features;
};

/* What depends on nothing new is a part of what is open, wherever that came from. */
static void add_piece(const struct rarog_feature_machine *m, uint32_t unit, uint32_t piece,
		      bool is_inlined, struct open *open)
{
	const struct rarog_feature_piece *its = rarog_feature_piece_find(m->analysis, unit, piece);

	for (uint32_t i = 0; its && i < its->n && open->n < MAX_OPEN; i++) {
		uint32_t region = m->analysis->open.v[its->first + i];
		uint64_t features = m->features[region];

		if (!is_inlined || (features & ~open->features))
			open->regions[open->n++] = region;
		open->features |= features;
	}
}

static int stack_at(struct rarog_feature_machine *m, uint64_t address, uint32_t *ret_stack)
{
	const struct rarog_line_piece *row = rarog_line_pieces_at(&m->pieces, address);
	struct open open = { .n = 0 };

	*ret_stack = RAROG_FEATURE_UNKNOWN;
	if (!row || row->unit == UINT32_MAX || row->piece == 0)
		return 0;
	for (size_t i = 0; i < m->calls.n; i++) {
		const struct rarog_inlined_piece *call = &m->pieces.calls.v[m->calls.v[i]];

		if (address >= call->start && address < call->end)
			add_piece(m, call->unit, call->piece, open.n > 0, &open);
	}
	add_piece(m, row->unit, row->piece, open.n > 0, &open);
	return add_stack(m, open.n, open.regions, ret_stack);
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
		one.stack = RAROG_FEATURE_UNKNOWN; /* what only fills up has a line by chance */
		if (one.flow != RAROG_FLOW_NOP)
			r = stack_at(m, one.address, &one.stack);
		if (r == 0)
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

static bool is_pad(const struct rarog_feature_machine *m, const struct rarog_feature_code *code,
		   uint32_t block)
{
	return rarog_code_reached(rarog_code_graphs_map(m->graphs),
				  code->graph.blocks.v[block].address, 1, RAROG_REACH_PAD);
}

bool rarog_feature_is_way(const struct rarog_feature_machine *machine,
			  const struct rarog_feature_code *code,
			  const struct rarog_code_graph_edge *edge)
{
	bool is_through_pointer = edge->from == code->graph.blocks.n - 1;

	if (edge->from == RAROG_GRAPH_OUTSIDE || edge->to == RAROG_GRAPH_OUTSIDE ||
	    !code->blocks.v[edge->from].is_reached)
		return false;
	return !is_through_pointer || !is_pad(machine, code, edge->to);
}

static bool is_open_pad(const struct rarog_feature_machine *m,
			const struct rarog_feature_code *code, uint32_t block)
{
	return code->blocks.v[block].leaves == RAROG_FEATURE_UNKNOWN && is_pad(m, code, block);
}

/* From what comes before it, if that is one. */
static bool fill_once(const struct rarog_feature_machine *m, struct rarog_feature_code *code,
		      bool takes_any)
{
	bool has_changed = false;

	for (size_t i = 0; i < code->graph.edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &code->graph.edges.v[i];
		uint32_t from;

		if (!rarog_feature_is_way(m, code, edge))
			continue;
		from = code->blocks.v[edge->from].leaves;
		if (code->blocks.v[edge->to].enters != RAROG_FEATURE_UNKNOWN ||
		    from == RAROG_FEATURE_UNKNOWN)
			continue;
		for (size_t k = 0; !takes_any && k < code->graph.edges.n; k++) {
			const struct rarog_code_graph_edge *other = &code->graph.edges.v[k];

			if (other->to == edge->to && rarog_feature_is_way(m, code, other) &&
			    !is_open_pad(m, code, other->from) && other->from != edge->to &&
			    code->blocks.v[other->from].leaves != from)
				from = RAROG_FEATURE_UNKNOWN;
		}
		if (from == RAROG_FEATURE_UNKNOWN)
			continue;
		fill_block(code, &code->blocks.v[edge->to], from);
		has_changed = true;
	}
	return has_changed;
}

/* As what comes after it, where ways meet. */
static void fill_backwards(const struct rarog_feature_machine *m, struct rarog_feature_code *code)
{
	for (size_t i = code->graph.edges.n; i-- > 0;) {
		const struct rarog_code_graph_edge *edge = &code->graph.edges.v[i];

		if (rarog_feature_is_way(m, code, edge) &&
		    code->blocks.v[edge->from].enters == RAROG_FEATURE_UNKNOWN &&
		    code->blocks.v[edge->to].enters != RAROG_FEATURE_UNKNOWN)
			fill_block(code, &code->blocks.v[edge->from],
				   code->blocks.v[edge->to].enters);
	}
}

static bool is_deeper(const struct rarog_feature_machine *m, uint32_t stack, uint32_t than)
{
	return stack != RAROG_FEATURE_UNKNOWN &&
	       (than == RAROG_FEATURE_UNKNOWN || m->stacks.v[stack].n > m->stacks.v[than].n);
}

/* Where an exception lands what is cleaned up there is in regions that were left: it begins none.
 */
static bool fill_pads(const struct rarog_feature_machine *m, struct rarog_feature_code *code)
{
	bool has_changed = false;

	for (uint32_t block = 0; block < code->blocks.n; block++) {
		uint32_t deepest = RAROG_FEATURE_UNKNOWN;

		if (!is_open_pad(m, code, block))
			continue;
		for (size_t i = 0; i < code->graph.edges.n; i++) {
			const struct rarog_code_graph_edge *edge = &code->graph.edges.v[i];

			if (edge->from == block && edge->to != RAROG_GRAPH_OUTSIDE &&
			    is_deeper(m, code->blocks.v[edge->to].enters, deepest))
				deepest = code->blocks.v[edge->to].enters;
		}
		has_changed |= deepest != RAROG_FEATURE_UNKNOWN;
		if (deepest != RAROG_FEATURE_UNKNOWN)
			fill_block(code, &code->blocks.v[block], deepest);
	}
	return has_changed;
}

static void reach(struct rarog_feature_code *code, uint32_t block, uint32_t *open, size_t *n)
{
	if (block == RAROG_GRAPH_OUTSIDE || code->blocks.v[block].is_reached)
		return;
	code->blocks.v[block].is_reached = true;
	open[(*n)++] = block;
}

/* Control begins at the entry, where it comes from outside, where exceptions land, and where jumps
 * through tables meet. What it never gets to leads nowhere. */
static int find_reached(const struct rarog_feature_machine *m, struct rarog_feature_code *code)
{
	rarog_cleanup(rarog_edge_index_release) struct rarog_edge_index index = { 0 };
	rarog_cleanup(rarog_freep) uint32_t *open = calloc(code->blocks.n + 1, sizeof(*open));
	const struct rarog_code_graph_edge *const *edges;
	size_t n = 0, n_edges;

	if (!open || rarog_edge_index_make(&code->graph, false, &index) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < code->blocks.n; i++)
		if (i == 0 || i == code->blocks.n - 1 || is_pad(m, code, i))
			reach(code, i, open, &n);
	edges = rarog_edge_index_find(&index, RAROG_GRAPH_OUTSIDE, &n_edges);
	for (size_t i = 0; i < n_edges; i++)
		reach(code, edges[i]->to, open, &n);
	while (n > 0) {
		edges = rarog_edge_index_find(&index, open[--n], &n_edges);
		for (size_t i = 0; i < n_edges; i++)
			reach(code, edges[i]->to, open, &n);
	}
	return 0;
}

static void fill_blocks(const struct rarog_feature_machine *m, struct rarog_feature_code *code)
{
	while (fill_once(m, code, false) || fill_pads(m, code))
		;
	fill_backwards(m, code);
	while (fill_once(m, code, true))
		;
	for (size_t i = 0; i < code->blocks.n; i++)
		if (code->blocks.v[i].enters == RAROG_FEATURE_UNKNOWN)
			fill_block(code, &code->blocks.v[i], 0);
}

/* --- a function --- */

static bool has_piece(const struct rarog_feature_machine *m, uint32_t unit, uint32_t piece)
{
	return unit != UINT32_MAX && rarog_feature_piece_find(m->analysis, unit, piece);
}

/* Also where a region's code was inlined whole. */
static bool has_regions(const struct rarog_feature_machine *m,
			const struct rarog_function *function)
{
	const struct rarog_line_piece *row = rarog_line_pieces_at(&m->pieces, function->address);
	const struct rarog_line_piece *end = m->pieces.rows.v + m->pieces.rows.n;

	for (size_t i = 0; i < m->calls.n; i++) {
		const struct rarog_inlined_piece *call = &m->pieces.calls.v[m->calls.v[i]];

		if (has_piece(m, call->unit, call->piece))
			return true;
	}
	if (!row)
		row = m->pieces.rows.v;
	for (; row < end && row->address < function->address + function->size; row++)
		if (has_piece(m, row->unit, row->piece))
			return true;
	return false;
}

static int gather_calls(struct rarog_feature_machine *m, const struct rarog_function *function)
{
	int r = 0;

	m->calls.n = 0;
	for (size_t i = 0; r == 0 && i < m->pieces.calls.n; i++) {
		const struct rarog_inlined_piece *call = &m->pieces.calls.v[i];

		if (call->start >= function->address &&
		    call->start < function->address + function->size)
			r = rarog_vec_push(&m->calls, (uint32_t)i);
	}
	return r;
}

int rarog_feature_code_read(struct rarog_feature_machine *machine, size_t function,
			    struct rarog_feature_code *ret_code)
{
	const struct rarog_function *functions;
	int r;

	*ret_code = (struct rarog_feature_code){ 0 };
	rarog_binary_functions(machine->binary, &functions);
	if (gather_calls(machine, &functions[function]) < 0)
		return rarog_oom();
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
	if (r == 0)
		r = find_reached(machine, ret_code);
	if (r < 0)
		return rarog_oom();
	fill_blocks(machine, ret_code);
	return 1;
}

void rarog_feature_code_release(struct rarog_feature_code *code)
{
	rarog_code_graph_release(&code->graph);
	rarog_vec_release(&code->instructions);
	rarog_vec_release(&code->blocks);
}
