/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The graph of a function (binary/flow-graph.h) says where blocks begin and what is known of calls:
 *
 *  - a call that surely returns goes on after it, and its return need not be counted;
 *  - any other one leaves, and control that comes back comes from outside: so frames that exit(),
 *    longjmp() or an exception leave do not matter;
 *  - jumps through tables whose length the code proves meet in one place, from where control
 *    arrives at the tables' targets; other indirect jumps leave, too.
 */
#include "engine/rewrite/shape.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/code-map.h"
#include "binary/flow-tables.h"
#include "binary/instruction.h"
#include "engine/rewrite/computed-jump.h"
#include "engine/rewrite/flags.h"
#include "engine/rewrite/padding.h"

#define DEPTH_MOST 6 /* of loops, for the weights */

struct edges {
	RAROG_VEC(struct rarog_flow_edge) list;
	RAROG_VEC(uint8_t) ways;
};

struct making {
	const struct rarog_code_graphs *graphs;
	const struct rarog_code_map *map;
	const struct rarog_function *function;
	struct rarog_code_graph graph;
	struct rarog_flow_tables tables;
	struct rarog_rewrite_shape *shape;
	struct edges edges;
	RAROG_VEC(struct rarog_rewrite_shape_block) blocks;
	uint32_t *first_of; /* by block of the graph: our first one of it */
	uint32_t *at;       /* by offset: 1 + block that begins there, 0: none */
	uint8_t *comes;     /* by block: enum comes */
	uint8_t *ends;      /* by block: how its call ends */
	uint8_t *depth;     /* by block, of loops */
	bool knows_tables;  /* all indirect jumps go through such */
	bool has_no_tables; /* it is compiled and has no such jump */
};

/* Where those that arrive at a point come from. */
enum comes {
	COMES_NOT = 0,
	COMES_PAD, /* an exception */
	COMES_OUTSIDE,
	COMES_TABLE,
};

enum call_end {
	CALL_RETURNS,
	CALL_MAY_LEAVE,
	CALL_TWICE, /* it does, or comes back a second time */
	CALL_NEVER,
};

/* --- blocks --- */

static bool is_call(uint8_t flow)
{
	return flow == RAROG_FLOW_CALL || flow == RAROG_FLOW_INDIRECT_CALL;
}

/* Blocks end at calls, also at those that surely return. Return: 0, or why the function cannot be
 * copied; negative with message. */
static int read_block(struct making *m, uint32_t number)
{
	const struct rarog_code_graph_block *from = &m->graph.blocks.v[number];
	uint64_t base = m->function->address;
	uint32_t at = (uint32_t)(from->address - base), end = at + from->size;
	struct rarog_instruction in = { 0 };

	for (bool is_new = true; at < end; is_new = is_call(in.flow), at += in.length) {
		struct rarog_rewrite_shape_block *block;

		if (!rarog_instruction_decode(m->function->size - at, m->shape->code + at,
					      base + at, &in))
			return RAROG_REWRITE_DECODE;
		if (in.short_prefixes || in.flow == RAROG_FLOW_BEGIN)
			return RAROG_REWRITE_MOVE;
		if (is_new && rarog_vec_push(&m->blocks, (struct rarog_rewrite_shape_block){
								 .offset = at,
								 .fall = RAROG_NO_EDGE,
								 .taken = RAROG_NO_EDGE,
								 .arrive = RAROG_NO_EDGE }) < 0)
			return rarog_oom();
		block = &m->blocks.v[m->blocks.n - 1];
		block->last = at;
		block->flow = in.flow;
		block->size += in.length;
		block->instructions++;
	}
	return 0;
}

static int take_blocks(struct making *m)
{
	struct rarog_rewrite_shape *shape = m->shape;

	shape->n_blocks = m->blocks.n;
	shape->blocks = m->blocks.v;
	m->blocks.v = NULL;
	m->at = calloc(m->function->size + 1, sizeof(*m->at));
	m->comes = calloc(shape->n_blocks, 1);
	m->ends = calloc(shape->n_blocks, 1);
	m->depth = calloc(shape->n_blocks, 1);
	if (!m->at || !m->comes || !m->ends || !m->depth)
		return rarog_oom();
	for (uint32_t i = 0; i + 1 < shape->n_blocks; i++)
		m->at[shape->blocks[i].offset] = i + 1;
	return 0;
}

static int read_blocks(struct making *m)
{
	const struct rarog_rewrite_shape_block pool = { .fall = RAROG_NO_EDGE,
							.taken = RAROG_NO_EDGE,
							.arrive = RAROG_NO_EDGE };
	int r = 0;

	m->first_of = calloc(m->graph.blocks.n + 1, sizeof(*m->first_of));
	if (!m->first_of)
		return rarog_oom();
	for (uint32_t i = 0; r == 0 && i + 1 < m->graph.blocks.n; i++) {
		m->first_of[i] = (uint32_t)m->blocks.n;
		r = read_block(m, i);
	}
	m->first_of[m->graph.blocks.n - 1] = (uint32_t)m->blocks.n; /* where tables meet */
	m->first_of[m->graph.blocks.n] = (uint32_t)m->blocks.n + 1;
	if (r == 0 && rarog_vec_push(&m->blocks, pool) < 0)
		r = rarog_oom();
	return r == 0 ? take_blocks(m) : r;
}

static uint32_t last_of(const struct making *m, uint32_t graph_block)
{
	return m->first_of[graph_block + 1] - 1;
}

/* What the graph says of calls. */
static void read_ends(struct making *m)
{
	for (uint32_t i = 0; i < m->graph.blocks.n; i++)
		m->ends[last_of(m, i)] = m->graph.blocks.v[i].is_end ? CALL_NEVER : CALL_RETURNS;
	for (size_t i = 0; i < m->graph.edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &m->graph.edges.v[i];

		if (edge->from != RAROG_GRAPH_OUTSIDE && edge->to == RAROG_GRAPH_OUTSIDE)
			m->ends[last_of(m, edge->from)] = CALL_MAY_LEAVE;
	}
	/* comes back a second time: setjmp() */
	for (size_t i = 0; i < m->graph.edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &m->graph.edges.v[i];

		if (edge->from == RAROG_GRAPH_OUTSIDE && edge->to != RAROG_GRAPH_OUTSIDE &&
		    edge->to > 0 && m->ends[last_of(m, edge->to - 1)] == CALL_RETURNS)
			m->ends[last_of(m, edge->to - 1)] = CALL_TWICE;
	}
}

/* --- points --- */

static const struct rarog_jump_table *table_of(const struct making *m, uint64_t jump)
{
	for (size_t i = 0; i < m->tables.list.n; i++)
		if (m->tables.list.v[i].jump == jump && m->tables.list.v[i].is_bounded)
			return &m->tables.list.v[i];
	return NULL;
}

static uint32_t pool_of(const struct making *m)
{
	return (uint32_t)m->shape->n_blocks - 1;
}

static int find_targets(struct making *m, const struct rarog_filled_words *words)
{
	uint64_t base = m->function->address;

	for (size_t i = 0; i < m->tables.list.n; i++) {
		const struct rarog_jump_table *table = &m->tables.list.v[i];

		for (uint32_t k = 0; k < table->entries; k++) {
			uint64_t to = rarog_jump_table_target(words, table, k) - base;
			uint32_t block = to < m->function->size ? m->at[to] : 0;

			if (to < m->function->size && block == 0)
				return RAROG_REWRITE_MIDDLE;
			if (block > 0 && m->comes[block - 1] == COMES_NOT)
				m->comes[block - 1] =
					table->is_bounded ? COMES_TABLE : COMES_OUTSIDE;
			else if (block > 0 && !table->is_bounded)
				m->comes[block - 1] = COMES_OUTSIDE;
		}
	}
	return 0;
}

/* Nothing says how long a table is that is only found by its address: what is read beyond its end
 * may seem to lead anywhere. Where a compiled function jumps through none, nothing of that is one
 * of its own. */
static bool has_no_tables(const struct making *m)
{
	return m->tables.list.n == 0 && m->tables.n_unknown == 0 && m->function->has_fde;
}

/* Whatever else leads there, but branches of its own. */
static bool is_reached(const struct making *m, uint64_t address, bool *ret_is_taken_only)
{
	bool is_jumped_to = rarog_code_reached(m->map, address, 1, RAROG_REACH_CALL) ||
			    rarog_code_reached(m->map, address, 1, RAROG_REACH_FOREIGN);

	*ret_is_taken_only = !is_jumped_to;
	return is_jumped_to ||
	       rarog_code_reached(m->map, address, 1,
				  m->has_no_tables ? RAROG_REACH_NAMED : RAROG_REACH_TAKEN);
}

/* What only seems to be an entry of a table, and leads into the middle of an instruction of
 * compiled code, is none. */
static bool is_guess(const struct making *m, uint64_t address, bool is_taken_only)
{
	return is_taken_only && m->function->has_fde &&
	       !rarog_code_reached(m->map, address, 1, RAROG_REACH_NAMED);
}

/* 0, or RAROG_REWRITE_JUMP. */
static int check_jumps(const struct making *m)
{
	for (uint32_t i = 0; i < pool_of(m); i++) {
		const struct rarog_rewrite_shape_block *b = &m->shape->blocks[i];
		bool is_known = false;

		for (size_t k = 0; k < m->tables.list.n; k++)
			is_known |= m->tables.list.v[k].jump == m->function->address + b->last;
		if (b->flow == RAROG_FLOW_INDIRECT_JUMP && !is_known &&
		    rarog_jump_is_computed(m->shape, i))
			return RAROG_REWRITE_JUMP;
	}
	return 0;
}

static int find_points(struct making *m)
{
	m->has_no_tables = has_no_tables(m);
	for (uint32_t i = 1; i < m->function->size; i++) {
		bool is_taken_only, is_pad;

		if (!is_reached(m, m->function->address + i, &is_taken_only))
			continue;
		if (m->at[i] == 0 && is_guess(m, m->function->address + i, is_taken_only))
			continue;
		if (m->at[i] == 0)
			return RAROG_REWRITE_MIDDLE;
		if (m->comes[m->at[i] - 1] == COMES_TABLE && is_taken_only)
			continue;
		/* nothing proves which of the jumps has which table: all lead to all targets, or
		 * it is not known where they lead */
		is_pad = is_taken_only &&
			 rarog_code_reached(m->map, m->function->address + i, 1, RAROG_REACH_PAD);
		m->knows_tables &=
			m->comes[m->at[i] - 1] != COMES_TABLE && (!is_taken_only || is_pad);
		m->comes[m->at[i] - 1] =
			is_pad && m->comes[m->at[i] - 1] == COMES_NOT ? COMES_PAD : COMES_OUTSIDE;
	}
	m->comes[0] = COMES_OUTSIDE;
	return 0;
}

/* Where a target of a table is arrived at otherwise, too, nothing tells how often by the table. */
static void check_targets(struct making *m)
{
	for (uint32_t i = 0; i + 1 < pool_of(m); i++)
		if (is_call(m->shape->blocks[i].flow) && m->comes[i + 1] == COMES_TABLE)
			m->knows_tables = false;
}

/* --- edges --- */

static uint64_t weight_of(const struct making *m, uint32_t block)
{
	return 1ull << 3 * m->depth[block];
}

/* Loops are taken to be where something jumps back. */
static void find_depths(struct making *m)
{
	for (size_t i = 0; i < m->graph.edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &m->graph.edges.v[i];

		if (edge->from == RAROG_GRAPH_OUTSIDE || edge->to == RAROG_GRAPH_OUTSIDE ||
		    edge->to > edge->from || edge->from + 1 == m->graph.blocks.n)
			continue;
		for (uint32_t k = m->first_of[edge->to]; k <= last_of(m, edge->from); k++)
			m->depth[k] += m->depth[k] < DEPTH_MOST;
	}
}

/* Return: its number, or -ENOMEM. */
static long add_edge(struct making *m, uint32_t from, uint32_t to, enum rarog_rewrite_shape_way way,
		     uint64_t weight)
{
	struct rarog_flow_edge edge = {
		.from = from,
		.to = to,
		.state = way == RAROG_WAY_OUT ? RAROG_FLOW_BLIND : RAROG_FLOW_FREE,
		.is_split = way == RAROG_WAY_TAKEN,
		.weight = weight,
	};

	if (rarog_vec_push(&m->edges.list, edge) < 0 || rarog_vec_push(&m->edges.ways, way) < 0)
		return rarog_oom();
	return (long)m->edges.list.n - 1;
}

static int put_edge(struct making *m, uint32_t *field, uint32_t from, uint32_t to,
		    enum rarog_rewrite_shape_way way, uint64_t weight)
{
	long number = add_edge(m, from, to, way, weight);

	if (number >= 0 && field)
		*field = (uint32_t)number;
	return number < 0 ? (int)number : 0;
}

static int add_out(struct making *m, uint32_t block)
{
	return put_edge(m, NULL, RAROG_FLOW_OUT(block), RAROG_FLOW_OUTSIDE, RAROG_WAY_OUT, 0);
}

/* To the next block; @from: the block's end, or the outside. */
static int add_fall(struct making *m, uint32_t block, uint32_t from)
{
	struct rarog_rewrite_shape_block *b = &m->shape->blocks[block];

	if (block + 1 >= pool_of(m))
		return add_out(m, block);
	return put_edge(m, &b->fall, from, RAROG_FLOW_IN(block + 1), RAROG_WAY_FALL,
			weight_of(m, block + 1));
}

/* The block where a branch to @offset goes, which may be after a prefix (flow-graph.c); 0: none.
 */
static uint32_t block_of_target(const struct making *m, uint64_t offset)
{
	bool is_behind =
		m->at[offset] == 0 && offset > 0 && m->shape->code[offset - 1] == RAROG_LOCK_PREFIX;

	return m->at[is_behind ? offset - 1 : offset];
}

/* Where the branch or jump at the end of a block goes; 0, a reason, or negative. */
static int add_branch(struct making *m, uint32_t block, enum rarog_rewrite_shape_way way)
{
	struct rarog_rewrite_shape_block *b = &m->shape->blocks[block];
	uint64_t base = m->function->address;
	struct rarog_instruction in;
	uint32_t to = RAROG_FLOW_OUTSIDE;

	rarog_instruction_decode(m->function->size - b->last, m->shape->code + b->last,
				 base + b->last, &in);
	if (in.target - base < m->function->size) {
		uint32_t at = block_of_target(m, in.target - base);

		if (at == 0)
			return RAROG_REWRITE_MIDDLE;
		to = RAROG_FLOW_IN(at - 1);
	}
	if (to == RAROG_FLOW_OUTSIDE && way == RAROG_WAY_JUMP)
		return add_out(m, block);
	return put_edge(m, &b->taken, RAROG_FLOW_OUT(block), to, way,
			to == RAROG_FLOW_OUTSIDE
				? 1
				: weight_of(m, (to - 1) / 2) / (way == RAROG_WAY_TAKEN ? 2 : 1));
}

static int add_call(struct making *m, uint32_t block)
{
	uint32_t next = block + 1;
	struct rarog_rewrite_shape_block *after = &m->shape->blocks[next];
	uint32_t from = RAROG_FLOW_OUT(block);

	if (m->ends[block] == CALL_NEVER || next >= pool_of(m))
		return add_out(m, block);
	if (m->ends[block] != CALL_RETURNS || m->comes[next] != COMES_NOT)
		from = RAROG_FLOW_OUTSIDE;
	after->is_return = from == RAROG_FLOW_OUTSIDE;
	after->is_return_and_more = m->ends[block] == CALL_TWICE || m->comes[next] != COMES_NOT;
	after->is_jumped_to = m->comes[next] > COMES_PAD;
	m->comes[next] = COMES_OUTSIDE;
	after->is_point = true;
	int r = put_edge(m, &after->arrive, from, RAROG_FLOW_IN(next), RAROG_WAY_ARRIVE,
			 weight_of(m, next));
	return r == 0 && from == RAROG_FLOW_OUTSIDE ? add_out(m, block) : r;
}

static int add_indirect(struct making *m, uint32_t block)
{
	struct rarog_rewrite_shape_block *b = &m->shape->blocks[block];

	if (!m->knows_tables || !table_of(m, m->function->address + b->last))
		return add_out(m, block);
	return put_edge(m, &b->taken, RAROG_FLOW_OUT(block), RAROG_FLOW_IN(pool_of(m)),
			RAROG_WAY_JUMP, weight_of(m, block));
}

static int add_ways(struct making *m, uint32_t block)
{
	uint32_t end = RAROG_FLOW_OUT(block);
	int r;

	switch (m->shape->blocks[block].flow) {
	case RAROG_FLOW_JUMP:
		return add_branch(m, block, RAROG_WAY_JUMP);
	case RAROG_FLOW_BRANCH:
	case RAROG_FLOW_COUNT:
		r = add_branch(m, block, RAROG_WAY_TAKEN);
		return r == 0 ? add_fall(m, block, end) : r;
	case RAROG_FLOW_CALL:
	case RAROG_FLOW_INDIRECT_CALL:
		return add_call(m, block);
	case RAROG_FLOW_INDIRECT_JUMP:
		return add_indirect(m, block);
	case RAROG_FLOW_RETURN:
	case RAROG_FLOW_STOP:
		return add_out(m, block);
	case RAROG_FLOW_SYSTEM: /* may be exit() */
		r = add_out(m, block);
		return r == 0 && block + 1 < pool_of(m) ? add_fall(m, block, RAROG_FLOW_OUTSIDE)
							: r;
	default:
		return add_fall(m, block, end);
	}
}

/* What arrives otherwise than by a call's return. */
static int add_arrivals(struct making *m)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < pool_of(m); i++) {
		struct rarog_rewrite_shape_block *b = &m->shape->blocks[i];
		bool from_table = m->knows_tables && m->comes[i] == COMES_TABLE;

		if (m->comes[i] == COMES_NOT || b->arrive != RAROG_NO_EDGE)
			continue;
		b->is_point = true;
		b->is_jumped_to = !from_table && m->comes[i] != COMES_PAD;
		r = put_edge(m, &b->arrive,
			     from_table ? RAROG_FLOW_OUT(pool_of(m)) : RAROG_FLOW_OUTSIDE,
			     RAROG_FLOW_IN(i), RAROG_WAY_ARRIVE, weight_of(m, i));
	}
	return r;
}

static int add_edges(struct making *m)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i <= pool_of(m); i++) {
		long number = add_edge(m, RAROG_FLOW_IN(i), RAROG_FLOW_OUT(i), RAROG_WAY_FALL,
				       weight_of(m, i));

		r = number < 0 ? (int)number : 0;
	}
	if (r == 0)
		m->edges.list.v[pool_of(m)].state = RAROG_FLOW_BLIND;
	for (uint32_t i = 0; r == 0 && i < pool_of(m); i++)
		r = add_ways(m, i);
	return r == 0 ? add_arrivals(m) : r;
}

/* --- counters --- */

static int choose_counters(struct rarog_rewrite_shape *shape)
{
	long n = rarog_flow_place(&shape->flow);
	uint32_t number = 0;

	shape->counters = calloc(shape->flow.n_edges, sizeof(*shape->counters));
	if (n < 0 || !shape->counters)
		return rarog_oom();
	for (size_t i = 0; i < shape->flow.n_edges; i++)
		shape->counters[i] =
			shape->flow.edges[i].state == RAROG_FLOW_COUNTED ? number++ : RAROG_NO_EDGE;
	shape->n_counters = number;
	return 0;
}

static int take_edges(struct making *m)
{
	struct rarog_rewrite_shape *shape = m->shape;

	shape->flow = (struct rarog_flow){ shape->n_blocks, m->edges.list.n, m->edges.list.v };
	shape->ways = m->edges.ways.v;
	m->edges.list.v = NULL;
	m->edges.ways.v = NULL;
	return choose_counters(shape);
}

static int make(struct making *m, const struct rarog_filled_words *words)
{
	int r = rarog_code_graphs_read(m->graphs, m->shape->number, true, &m->graph);

	if (r < 0)
		return r == -ENOTSUP ? RAROG_REWRITE_DECODE : r;
	r = read_blocks(m);
	if (r != 0)
		return r;
	read_ends(m);
	if (r == 0)
		r = rarog_flow_tables_follow(m->graphs, words, m->shape->number, &m->graph,
					     &m->tables);
	m->knows_tables = m->tables.n_unknown == 0;
	if (r == 0)
		r = find_targets(m, words);
	if (r == 0)
		r = find_points(m);
	if (r != 0)
		return r;
	check_targets(m);
	find_depths(m);
	r = add_edges(m);
	if (r == 0)
		r = take_edges(m);
	if (r == 0)
		r = check_jumps(m);
	return r == 0 ? rarog_flags_solve(m->shape, m->map->binary) : r;
}

/* Control that falls out of the function goes through the padding. */
static bool falls_out(const struct rarog_rewrite_shape *shape)
{
	uint8_t last =
		shape->n_blocks > 1 ? shape->blocks[shape->n_blocks - 2].flow : RAROG_FLOW_NEXT;

	return rarog_flow_goes_on(last) && !is_call(last);
}

int rarog_rewrite_shape_make(const struct rarog_code_graphs *graphs,
			     const struct rarog_filled_words *words, size_t number,
			     struct rarog_rewrite_shape *ret_shape)
{
	const struct rarog_code_map *map = rarog_code_graphs_map(graphs);
	struct rarog_rewrite_shape shape = { .number = number,
					     .function = &map->functions[number] };
	struct making m = {
		.graphs = graphs, .map = map, .function = shape.function, .shape = &shape
	};
	int r;

	shape.code = rarog_binary_bytes(map->binary, shape.function->address, shape.function->size);
	r = shape.code ? make(&m, words) : RAROG_REWRITE_DECODE;
	if (r == 0 && !falls_out(&shape))
		shape.padding = rarog_rewrite_padding(map, shape.function);
	rarog_code_graph_release(&m.graph);
	rarog_flow_tables_release(&m.tables);
	rarog_vec_release(&m.blocks);
	free(m.first_of);
	rarog_vec_release(&m.edges.list);
	rarog_vec_release(&m.edges.ways);
	free(m.at);
	free(m.comes);
	free(m.ends);
	free(m.depth);
	if (r != 0)
		rarog_rewrite_shape_release(&shape);
	else
		*ret_shape = shape;
	return r;
}

void rarog_rewrite_shape_release(struct rarog_rewrite_shape *shape)
{
	free(shape->blocks);
	free(shape->flow.edges);
	free(shape->ways);
	free(shape->counters);
	rarog_loops_release(&shape->loops);
	rarog_wanted_values_release(&shape->values);
	*shape = (struct rarog_rewrite_shape){ 0 };
}
