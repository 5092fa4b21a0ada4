/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One pass decodes a function and finds where blocks begin, a second one makes them and their
 * edges. Whatever cannot be told apart becomes an edge that is never taken:
 *
 *  - jumps through tables all meet in one block without instructions, from where control goes on
 *    wherever an address inside the function is taken;
 *  - such a jump may also be a call through a pointer, unless it looks like nothing else;
 *  - where landing pads are, an exception enters from outside.
 */
#include "binary/flow-graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/code-map.h"
#include "binary/flow-calls.h"
#include "binary/imports.h"
#include "binary/instruction.h"

/* Instructions before an indirect jump that may make its target. */
#define LOOK_BACK 4

struct rarog_code_graphs {
	const struct rarog_binary *binary;
	struct rarog_code_map map;
	struct rarog_imports imports;
	bool *never;  /* by function: it does not return */
	bool *leaves; /* … it may leave otherwise */
};

/* How control goes on after an instruction. */
enum way {
	WAY_NEXT,
	WAY_JUMP,    /* to another place of the function */
	WAY_BRANCH,  /* there, or after it */
	WAY_OFF_CPU, /* branch out of the function, or after it */
	WAY_EXIT,    /* out of it */
	WAY_TABLE,   /* through a table … */
	WAY_DOUBT,   /* … or out of it */
	WAY_END,     /* nowhere */
	WAY_LEAVE,   /* after it, or lost */
	WAY_TWICE,   /* after it, perhaps without having come */
};

struct step {
	uint32_t offset, target;
	enum way way;
};

struct reading {
	const struct rarog_code_graphs *graphs;
	const struct rarog_function *function;
	const uint8_t *code;
	bool may_leave;
	bool has_tables, has_pads;
	bool *is_start;     /* by offset: a block begins here */
	uint32_t *block_at; /* by offset */
	RAROG_VEC(struct step) steps;
	struct rarog_code_graph *graph;
};

/* --- calls --- */

static enum way end_of_call(struct reading *d, enum rarog_call_end end)
{
	if (end == RAROG_CALL_RETURNS)
		return WAY_NEXT;
	if (end == RAROG_CALL_TWICE)
		return WAY_TWICE;
	d->graph->may_leave = true;
	if (end == RAROG_CALL_NEVER)
		return WAY_END;
	return d->may_leave ? WAY_LEAVE : WAY_NEXT;
}

/* What the function that begins at @target does; -1: none does. */
static int end_at(const struct rarog_code_graphs *graphs, uint64_t target)
{
	long index = target ? rarog_binary_find(graphs->binary, target) : -1;

	if (index < 0 || graphs->map.functions[index].address != target)
		return -1;
	if (graphs->never[index])
		return RAROG_CALL_NEVER;
	return graphs->leaves[index] ? RAROG_CALL_MAY_LEAVE : RAROG_CALL_RETURNS;
}

/* What the function does that @word is filled with. A library's own is taken to be the one that its
 * calls through the linkage table come to: compilers assume no less when they inline it. */
static enum rarog_call_end end_of_word(const struct rarog_code_graphs *graphs, uint64_t word)
{
	int own = word ? end_at(graphs, rarog_imports_own(&graphs->imports, word)) : -1;

	return own >= 0 ? (enum rarog_call_end)own
			: rarog_call_end(word ? rarog_imports_word(&graphs->imports, word) : NULL);
}

/* What the function at @target, or the stub there, does. */
static enum rarog_call_end end_of(const struct rarog_code_graphs *graphs, uint64_t target)
{
	int own = end_at(graphs, target);

	return own >= 0 ? (enum rarog_call_end)own
			: end_of_word(graphs, rarog_imports_stub_word(&graphs->imports, target));
}

/* A jump to another function. */
static enum way end_of_exit(struct reading *d, enum rarog_call_end end)
{
	d->graph->may_leave |= end != RAROG_CALL_RETURNS;
	return end == RAROG_CALL_NEVER ? WAY_END : WAY_EXIT;
}

/* --- one instruction --- */

static bool is_inside(const struct reading *d, uint64_t address)
{
	return address - d->function->address < d->function->size;
}

/* Does it read an entry of a table of words, or add an offset to a table's address? */
static bool makes_target(const uint8_t *code, const struct rarog_instruction *in)
{
	uint8_t modrm = code[in->opcode_offset + 1];
	uint8_t scale = (modrm & 7) == 4 && modrm >> 6 != 3
				? (uint8_t)(code[in->opcode_offset + 2] >> 6)
				: 0;

	if (in->opcode == 0x01 || in->opcode == 0x03)
		return modrm >> 6 == 3;
	return (in->opcode == 0x8b || in->opcode == 0xff) && scale == 3;
}

static enum way way_of_indirect(const struct reading *d, const struct rarog_instruction *in)
{
	size_t at = d->steps.n, first = at > LOOK_BACK ? at - LOOK_BACK : 0;
	uint32_t end = (uint32_t)(d->function->size);

	if (!d->has_tables || in->memory_offset)
		return WAY_EXIT;
	while (at-- > first) {
		uint32_t offset = d->steps.v[at].offset;
		const uint8_t *code = d->code + offset;
		struct rarog_instruction before;

		if (d->steps.v[at].way != WAY_NEXT ||
		    !rarog_instruction_decode(end - offset, code, 0, &before))
			break;
		if (makes_target(code, &before))
			return WAY_TABLE;
	}
	return WAY_DOUBT;
}

static enum way way_of(struct reading *d, uint32_t offset, const struct rarog_instruction *in)
{
	const struct rarog_code_graphs *graphs = d->graphs;

	switch (in->flow) {
	case RAROG_FLOW_JUMP:
		return is_inside(d, in->target) ? WAY_JUMP
						: end_of_exit(d, end_of(graphs, in->target));
	case RAROG_FLOW_BRANCH:
	case RAROG_FLOW_COUNT:
	case RAROG_FLOW_BEGIN:
		d->graph->may_leave |= !is_inside(d, in->target);
		return is_inside(d, in->target) ? WAY_BRANCH : WAY_OFF_CPU;
	case RAROG_FLOW_CALL:
		return end_of_call(d, end_of(graphs, in->target));
	case RAROG_FLOW_INDIRECT_CALL:
		return end_of_call(d, end_of_word(graphs, in->memory_offset ? in->memory : 0));
	case RAROG_FLOW_INDIRECT_JUMP:
		if (makes_target(d->code + offset, in) && d->has_tables)
			return WAY_TABLE;
		d->graph->may_leave = true;
		return way_of_indirect(d, in);
	case RAROG_FLOW_RETURN:
		return WAY_EXIT;
	case RAROG_FLOW_STOP:
		return WAY_END;
	case RAROG_FLOW_SYSTEM:
		return end_of_call(d, RAROG_CALL_MAY_LEAVE);
	default:
		return WAY_NEXT;
	}
}

/* --- where blocks begin --- */

static int decode(struct reading *d)
{
	uint32_t size = (uint32_t)d->function->size;
	uint64_t base = d->function->address;

	for (uint32_t at = 0; at < size;) {
		struct rarog_instruction in;
		struct step step = { .offset = at };

		if (!rarog_instruction_decode(size - at, d->code + at, base + at, &in))
			return -ENOTSUP;
		step.way = way_of(d, at, &in);
		step.target = step.way == WAY_JUMP || step.way == WAY_BRANCH
				      ? (uint32_t)(in.target - base)
				      : 0;
		if (rarog_vec_push(&d->steps, step) < 0)
			return rarog_oom();
		at += in.length;
		if (step.way == WAY_JUMP || step.way == WAY_BRANCH)
			d->is_start[step.target] = true;
		if (step.way != WAY_NEXT)
			d->is_start[at] = true;
	}
	return 0;
}

static bool is_step(const struct reading *d, uint32_t offset)
{
	size_t i = rarog_lower_bound(k, d->steps.n, d->steps.v[k].offset < offset);

	return i < d->steps.n && d->steps.v[i].offset == offset;
}

/* Where there is one thread glibc jumps over a prefix: `je 1f; lock; 1: cmpxchg`. With the prefix
 * the instruction does the same. */
static void join_locked(struct reading *d)
{
	for (size_t i = 0; i < d->steps.n; i++) {
		uint32_t *target = &d->steps.v[i].target;

		if (*target == 0 || d->code[*target - 1] != RAROG_LOCK_PREFIX ||
		    is_step(d, *target) || !is_step(d, *target - 1))
			continue;
		--*target;
		d->is_start[*target] = true;
	}
}

static bool is_taken(const struct reading *d, uint32_t offset)
{
	return offset > 0 && rarog_code_reached(&d->graphs->map, d->function->address + offset, 1,
						RAROG_REACH_TAKEN);
}

/* Calls, and jumps from other functions and from parts that were split off. */
static bool is_entered(const struct reading *d, uint32_t offset)
{
	const struct rarog_code_map *map = &d->graphs->map;
	uint64_t address = d->function->address + offset;

	return offset > 0 && (rarog_code_reached(map, address, 1, RAROG_REACH_CALL) ||
			      rarog_code_reached(map, address, 1, RAROG_REACH_FOREIGN));
}

static void find_tables(struct reading *d)
{
	const struct rarog_eh_frame *frame = &d->graphs->binary->frame;

	size_t first = rarog_lower_bound(k, frame->n, frame->v[k].start < d->function->address);

	for (size_t i = first; i < frame->n && is_inside(d, frame->v[i].start); i++)
		d->has_pads |= frame->v[i].lsda != 0;
	for (uint32_t i = 1; i < d->function->size; i++) {
		bool is_target = is_taken(d, i);

		d->has_tables |= is_target;
		d->is_start[i] |= is_target || is_entered(d, i);
	}
}

/* --- the graph --- */

static int add_edge(struct reading *d, uint32_t from, uint32_t to)
{
	return rarog_vec_push(&d->graph->edges, (struct rarog_code_graph_edge){ from, to });
}

static int add_blocks(struct reading *d)
{
	uint32_t size = (uint32_t)d->function->size;
	int r = 0;

	for (size_t i = 0; r == 0 && i < d->steps.n; i++) {
		uint32_t at = d->steps.v[i].offset;
		uint32_t end = i + 1 < d->steps.n ? d->steps.v[i + 1].offset : size;
		struct rarog_code_graph_block *last;

		if (i == 0 || d->is_start[at])
			r = rarog_vec_push(&d->graph->blocks,
					   (struct rarog_code_graph_block){
						   .address = d->function->address + at });
		if (r < 0)
			return r;
		last = &d->graph->blocks.v[d->graph->blocks.n - 1];
		last->size += end - at;
		last->instructions++;
		d->block_at[at] = (uint32_t)d->graph->blocks.n; /* 0: inside an instruction */
	}
	return rarog_vec_push(&d->graph->blocks, (struct rarog_code_graph_block){ 0 });
}

/* RAROG_GRAPH_OUTSIDE where no instruction begins: no jump leads there. */
static uint32_t block_of(const struct reading *d, uint32_t offset)
{
	return offset < d->function->size ? d->block_at[offset] - 1 : RAROG_GRAPH_OUTSIDE;
}

static int add_ways(struct reading *d, size_t number)
{
	static const bool goes_on[] = {
		[WAY_NEXT] = true,  [WAY_BRANCH] = true, [WAY_OFF_CPU] = true,
		[WAY_LEAVE] = true, [WAY_TWICE] = true,  [WAY_END] = false,
	};
	static const bool goes_out[] = {
		[WAY_OFF_CPU] = true,
		[WAY_EXIT] = true,
		[WAY_LEAVE] = true,
		[WAY_TWICE] = false,
	};
	const struct step *step = &d->steps.v[number];
	uint32_t end = number + 1 < d->steps.n ? step[1].offset : (uint32_t)d->function->size;
	uint32_t from = d->block_at[step->offset] - 1;
	uint32_t pool = (uint32_t)d->graph->blocks.n - 1;
	int r = 0;

	if (step->way == WAY_NEXT && end < d->function->size && !d->is_start[end])
		return 0;
	if (goes_on[step->way])
		r = add_edge(d, from, block_of(d, end));
	if (r == 0 && step->way < RAROG_COUNT(goes_out) && goes_out[step->way])
		r = add_edge(d, from, RAROG_GRAPH_OUTSIDE);
	if (r == 0 && (step->way == WAY_JUMP || step->way == WAY_BRANCH))
		r = add_edge(d, from, block_of(d, step->target));
	if (r == 0 && (step->way == WAY_TABLE || step->way == WAY_DOUBT))
		r = add_edge(d, from, pool);
	if (r == 0 && step->way == WAY_DOUBT)
		r = add_edge(d, pool, RAROG_GRAPH_OUTSIDE);
	if (r == 0 && step->way == WAY_TWICE)
		r = add_edge(d, RAROG_GRAPH_OUTSIDE, block_of(d, end));
	d->graph->blocks.v[from].is_end |= step->way == WAY_END;
	return r;
}

/* What comes from tables, exceptions and other functions. */
static int add_arrivals(struct reading *d)
{
	uint32_t pool = (uint32_t)d->graph->blocks.n - 1;
	int r = add_edge(d, RAROG_GRAPH_OUTSIDE, 0);

	for (uint32_t i = 1; r == 0 && i < d->function->size; i++) {
		bool is_target = is_taken(d, i);

		if (d->block_at[i] == 0)
			continue;
		if (is_target)
			r = add_edge(d, pool, d->block_at[i] - 1);
		if (r == 0 && ((is_target && d->has_pads) || is_entered(d, i)))
			r = add_edge(d, RAROG_GRAPH_OUTSIDE, d->block_at[i] - 1);
	}
	return r;
}

static int make(struct reading *d)
{
	int r;

	find_tables(d);
	r = decode(d);
	join_locked(d);
	if (r == 0)
		r = add_blocks(d);
	for (size_t i = 0; r == 0 && i < d->steps.n; i++)
		r = add_ways(d, i);
	if (r == 0)
		r = add_arrivals(d);
	return r == -ENOMEM ? rarog_oom() : r;
}

int rarog_code_graphs_read(const struct rarog_code_graphs *graphs, size_t function, bool may_leave,
			   struct rarog_code_graph *ret_graph)
{
	const struct rarog_function *f = &graphs->map.functions[function];
	struct rarog_code_graph graph = { 0 };
	struct reading d = {
		.graphs = graphs, .function = f, .may_leave = may_leave, .graph = &graph
	};
	int r;

	d.code = f->size > 0 && f->size < INT32_MAX
			 ? rarog_binary_bytes(graphs->binary, f->address, f->size)
			 : NULL;
	if (!d.code)
		return -ENOTSUP;
	d.is_start = calloc(f->size + 1, sizeof(*d.is_start));
	d.block_at = calloc(f->size + 1, sizeof(*d.block_at));
	r = d.is_start && d.block_at ? make(&d) : rarog_oom();
	free(d.is_start);
	free(d.block_at);
	rarog_vec_release(&d.steps);
	if (r < 0)
		rarog_code_graph_release(&graph);
	else
		*ret_graph = graph;
	return r;
}

void rarog_code_graph_release(struct rarog_code_graph *graph)
{
	rarog_vec_release(&graph->blocks);
	rarog_vec_release(&graph->edges);
}

uint32_t rarog_code_graph_find(const struct rarog_code_graph *graph, uint64_t address)
{
	for (uint32_t i = 0; i < graph->blocks.n; i++)
		if (address - graph->blocks.v[i].address < graph->blocks.v[i].size)
			return i;
	return UINT32_MAX;
}

/* --- all functions --- */

/* Can control get from the entry to the outside? */
static int can_return(const struct rarog_code_graph *graph)
{
	bool *is_reached = calloc(graph->blocks.n, sizeof(*is_reached));
	bool again = true, returns = false;

	if (!is_reached)
		return rarog_oom();
	is_reached[0] = true;
	while (again && !returns) {
		again = false;
		for (size_t i = 0; i < graph->edges.n; i++) {
			const struct rarog_code_graph_edge *edge = &graph->edges.v[i];

			if (edge->from == RAROG_GRAPH_OUTSIDE || !is_reached[edge->from])
				continue;
			if (edge->to == RAROG_GRAPH_OUTSIDE) {
				returns = true;
				break;
			}
			again |= !is_reached[edge->to];
			is_reached[edge->to] = true;
		}
	}
	free(is_reached);
	return returns;
}

/* What asks where a thread's counters are (libraries) comes back, whatever it calls. */
static bool is_known_to_return(const struct rarog_function *function)
{
	return function->name && strcmp(function->name, "__rarog_enter_thread") == 0;
}

/* Returns whether something new is known of @function, or -ENOMEM. */
static int judge(struct rarog_code_graphs *graphs, size_t function)
{
	struct rarog_code_graph graph = { 0 };
	int r = rarog_code_graphs_read(graphs, function, false, &graph);
	bool never = graphs->never[function], leaves = graphs->leaves[function];

	if (r == -ENOTSUP) {
		graphs->leaves[function] = true;
		return !leaves;
	}
	if (r == 0)
		r = can_return(&graph);
	if (r >= 0) {
		graphs->never[function] = r == 0;
		graphs->leaves[function] |= graph.may_leave;
		r = never != graphs->never[function] || leaves != graphs->leaves[function];
	}
	rarog_code_graph_release(&graph);
	return r;
}

/* Until nothing new comes; what is known once stays known. */
static int judge_all(struct rarog_code_graphs *graphs)
{
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < graphs->map.n_functions; i++) {
			int r = graphs->never[i] || is_known_to_return(&graphs->map.functions[i])
					? 0
					: judge(graphs, i);

			if (r < 0)
				return r;
			again |= r > 0;
		}
	}
	return 0;
}

/* A function that is jumped to from elsewhere is entered as if called. */
static void note_exits(struct rarog_code_map *map)
{
	for (size_t i = 0; i < map->exits.n; i++)
		rarog_code_reach(map, map->exits.v[i].target, RAROG_REACH_CALL);
}

int rarog_code_graphs_new(const struct rarog_binary *binary, struct rarog_code_graphs **ret_graphs)
{
	rarog_cleanup(rarog_code_graphs_freep) struct rarog_code_graphs *graphs =
		calloc(1, sizeof(*graphs));
	int r;

	if (!graphs)
		return rarog_oom();
	graphs->binary = binary;
	r = rarog_code_map_init(&graphs->map, binary);
	if (r == 0)
		r = rarog_imports_read(binary, &graphs->imports);
	if (r < 0)
		return r;
	graphs->never = calloc(graphs->map.n_functions + 1, sizeof(bool));
	graphs->leaves = calloc(graphs->map.n_functions + 1, sizeof(bool));
	if (!graphs->never || !graphs->leaves)
		return rarog_oom();
	note_exits(&graphs->map);
	r = judge_all(graphs);
	if (r == 0)
		*ret_graphs = rarog_take(graphs);
	return r;
}

const struct rarog_code_map *rarog_code_graphs_map(const struct rarog_code_graphs *graphs)
{
	return &graphs->map;
}

const struct rarog_imports *rarog_code_graphs_imports(const struct rarog_code_graphs *graphs)
{
	return &graphs->imports;
}

bool rarog_code_graphs_never_returns(const struct rarog_code_graphs *graphs, size_t function)
{
	return graphs->never[function];
}

void rarog_code_graphs_free(struct rarog_code_graphs *graphs)
{
	if (!graphs)
		return;
	rarog_code_map_release(&graphs->map);
	rarog_imports_release(&graphs->imports);
	free(graphs->never);
	free(graphs->leaves);
	free(graphs);
}
