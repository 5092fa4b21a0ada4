/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions are copied; what depends on its place is written anew. Invariant: no register, no
 * flag that is live and no memory is written that the original does not write, but for words below
 * the red zone where flags have to be kept.
 *
 * A counter is an INC of a word of %gs, which belongs to the thread: no signal and no other thread
 * can come in between.
 */
#include "engine/rewrite/copying.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/instruction.h"
#include "engine/rewrite/flags.h"
#include "engine/rewrite/pushed-call.h"
#include "engine/rewrite/rounds.h"
#include "engine/rewrite/row.h"
#include "engine/rewrite/stamp.h"
#include "engine/rewrite/values.h"
#include "engine/rewrite/ways.h"
#include "engine/rewrite/within.h"

#define ALIGNMENT 16
#define NOP       0x90

static const uint8_t jump[] = { 0xe9 };

/* --- counters --- */

static void put_increment(struct rarog_copying *c, uint32_t counter)
{
	uint8_t increment[] = { 0x65, 0x48, 0xff, 0x04, 0x25, 0, 0, 0, 0 };
	uint32_t at = (c->shape->first_counter + counter) * (uint32_t)sizeof(uint64_t);

	memcpy(increment + 5, &at, sizeof(at));
	rarog_copying_put(c, sizeof(increment), increment);
}

/* @live: status flags that must stay */
static void put_counter(struct rarog_copying *c, uint32_t counter, uint8_t live)
{
	static const uint8_t before[] = { 0x48, 0x8d, 0x64, 0x24, 0x80, /* lea -128(%rsp),%rsp */
					  0x50,                         /* push %rax */
					  0x9f,                         /* lahf */
					  0x0f, 0x90, 0xc0 };           /* seto %al */
	static const uint8_t after[] = {
		0x04, 0x7f, /* add $127,%al */
		0x9e,       /* sahf */
		0x58,       /* pop %rax */
		0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0
	}; /* lea 128(%rsp) */
	bool keeps = live & (uint8_t)~RAROG_FLAG_CARRY;

	if (counter == RAROG_NO_EDGE)
		return;
	if (keeps) {
		rarog_copying_deepen(c);
		rarog_copying_put(c, sizeof(before), before);
	}
	put_increment(c, counter);
	if (keeps)
		rarog_copying_put(c, sizeof(after), after);
}

/* --- time stamps --- */

static void put_stamp(struct rarog_copying *c, uint32_t cell, bool keeps_flags)
{
	uint8_t code[RAROG_STAMP_MOST];

	if (c->shape->first_cell == RAROG_NO_EDGE)
		return;
	rarog_copying_deepen(c);
	rarog_copying_put(c, rarog_stamp_code(cell, keeps_flags, code), code);
}

static void put_stamp_of(struct rarog_copying *c, uint32_t block)
{
	put_stamp(c, c->shape->first_cell + block * RAROG_CELL_WORDS, c->shape->blocks[block].live);
}

/* The way of a block to itself, which has begun already: to what stands after its stamp, but not
 * for so long that its time seems to be that of an interruption. */
static void put_again(struct rarog_copying *c, uint32_t block)
{
	static const uint8_t greater[] = { 0x0f, 0x8f };
	const uint8_t decrement[] = { 0x65, 0x48, 0xff, 0x0c, 0x25, 8 * RAROG_ROW_AGAIN, 0, 0, 0 };
	const uint8_t set[] = {
		0x65, 0x48, 0xc7, 0x04, 0x25, 8 * RAROG_ROW_AGAIN, 0, 0, 0, RAROG_COPY_AGAIN,
		0,    0,    0
	};

	rarog_copying_put(c, sizeof(decrement), decrement);
	rarog_copying_put_to(c, sizeof(greater), greater, c->copies->address + c->again_at[block]);
	rarog_copying_put(c, sizeof(set), set);
	rarog_copying_put_to_block(c, sizeof(jump), jump, block);
}

/* --- ways --- */

static uint32_t counter_of(const struct rarog_copying *c, uint32_t edge)
{
	return edge == RAROG_NO_EDGE ? RAROG_NO_EDGE : c->shape->counters[edge];
}

/* Flags that are live where an edge leads. */
static uint8_t live_after(const struct rarog_copying *c, uint32_t edge)
{
	uint32_t to = c->shape->flow.edges[edge].to;

	return to == RAROG_FLOW_OUTSIDE ? RAROG_FLAG_BITS : c->shape->blocks[(to - 1) / 2].live;
}

static bool has_rounds(const struct rarog_copying *c, uint32_t edge)
{
	return rarog_rounds_entered(c->shape, edge) != RAROG_NONE ||
	       rarog_rounds_left(c->shape, edge, RAROG_NONE) != RAROG_NONE;
}

static void put_rounds(struct rarog_copying *c, uint32_t edge)
{
	bool keeps_flags = live_after(c, edge);
	uint32_t entered = rarog_rounds_entered(c->shape, edge), left = RAROG_NONE;
	uint8_t code[RAROG_ROUNDS_MOST];

	if (has_rounds(c, edge))
		rarog_copying_deepen(c);
	while ((left = rarog_rounds_left(c->shape, edge, left)) != RAROG_NONE)
		rarog_copying_put(c,
				  rarog_rounds_exit_code(rarog_rounds_word(c->shape, left),
							 keeps_flags, code),
				  code);
	if (entered != RAROG_NONE)
		rarog_copying_put(c,
				  rarog_rounds_entry_code(rarog_rounds_word(c->shape, entered),
							  keeps_flags, code),
				  code);
}

/* Of a function: does an edge arrive there, or leave a root by a conditional jump? */
static bool is_border(const struct rarog_copying *c, uint32_t edge)
{
	const struct rarog_rewrite_shape *shape = c->shape;
	uint32_t to = shape->flow.edges[edge].to;

	if (!shape->has_roots)
		return false;
	if (to == RAROG_FLOW_OUTSIDE)
		return shape->is_root && shape->ways[edge] == RAROG_WAY_TAKEN;
	return shape->blocks[(to - 1) / 2].arrive == edge;
}

/* Wherever control comes from, the frame of the root may be gone; a root's label is as good as its
 * entry, if a jump there has left it. */
static void put_border(struct rarog_copying *c, uint32_t edge)
{
	const struct rarog_rewrite_shape *shape = c->shape;
	uint32_t to = shape->flow.edges[edge].to;
	bool is_entry = to == RAROG_FLOW_IN(0) && !(shape->function->flags & RAROG_FUNCTION_COLD);
	uint8_t code[RAROG_WITHIN_MOST];

	if (!is_border(c, edge))
		return;
	rarog_copying_deepen(c);
	if (to == RAROG_FLOW_OUTSIDE) {
		rarog_copying_put(c, rarog_within_leave_code(code), code);
		return;
	}
	rarog_copying_put(c, rarog_within_check_code(is_entry, code), code);
	if (shape->is_root && (is_entry || rarog_rounds_is_anywhere(shape, edge)))
		rarog_copying_put(c, rarog_within_enter_code(code), code);
}

static bool is_valued(const struct rarog_copying *c, uint32_t edge)
{
	return c->shape->values.n_enter > 0 && edge == c->shape->blocks[0].arrive;
}

static void put_values(struct rarog_copying *c, bool is_return)
{
	uint8_t code[RAROG_ROW_VALUES_MOST_CODE * 14];
	size_t n = rarog_rewrite_values_code(c->shape, is_return, code);

	if (n == 0)
		return;
	rarog_copying_deepen(c);
	rarog_copying_put(c, n, code);
}

/* What is to be done where control takes an edge. */
static void pass_edge(struct rarog_copying *c, uint32_t edge)
{
	if (edge == RAROG_NO_EDGE)
		return;
	if (c->shape->flow.edges[edge].to != RAROG_FLOW_OUTSIDE)
		put_border(c, edge);
	if (is_valued(c, edge))
		put_values(c, false);
	if (counter_of(c, edge) != RAROG_NO_EDGE)
		put_counter(c, counter_of(c, edge), live_after(c, edge));
	put_rounds(c, edge);
	if (c->shape->flow.edges[edge].to == RAROG_FLOW_OUTSIDE)
		put_border(c, edge);
}

static bool has_work(const struct rarog_copying *c, uint32_t edge)
{
	return edge != RAROG_NO_EDGE &&
	       (counter_of(c, edge) != RAROG_NO_EDGE || is_border(c, edge) || is_valued(c, edge) ||
		has_rounds(c, edge));
}

/* A round of the loop whose header this is. */
static void put_round(struct rarog_copying *c, uint32_t block)
{
	uint32_t loop = rarog_rounds_of(c->shape, block);

	if (loop != RAROG_NONE)
		put_counter(c,
			    rarog_rounds_word(c->shape, loop) + RAROG_ROUNDS_NOW -
				    c->shape->first_counter,
			    c->shape->blocks[block].live);
}

/* --- instructions --- */

/* A conditional branch by @opcode along an edge. */
static void put_branch(struct rarog_copying *c, size_t n, const uint8_t opcode[n], uint32_t edge,
		       uint64_t target)
{
	static const uint8_t nothing[4];
	uint32_t to = c->shape->flow.edges[edge].to;
	struct rarog_copying_stub stub = { .edge = edge,
					   .block = (c->shape->flow.edges[edge].from - 1) / 2 };

	if (has_work(c, edge) || rarog_rewrite_is_again(c->shape, edge)) {
		rarog_copying_put(c, n, opcode);
		rarog_copying_put(c, sizeof(nothing), nothing);
		stub.at = rarog_copying_here(c) - 4;
		stub.target = to == RAROG_FLOW_OUTSIDE ? target : 0;
		if (rarog_vec_push(&c->stubs, stub) < 0)
			c->error = rarog_oom();
	} else if (to == RAROG_FLOW_OUTSIDE) {
		rarog_copying_put_to(c, n, opcode, target);
	} else {
		rarog_copying_put_to_block(c, n, opcode, (to - 1) / 2);
	}
}

static void put_conditional(struct rarog_copying *c, const struct rarog_rewrite_shape_block *b,
			    const struct rarog_instruction *in)
{
	const uint8_t opcode[] = { 0x0f, (uint8_t)(0x80 | (in->opcode & 15)) };

	put_branch(c, sizeof(opcode), opcode, b->taken, in->target);
}

/* LOOP and JRCXZ reach 127 bytes only. */
static void put_count(struct rarog_copying *c, const struct rarog_rewrite_shape_block *b,
		      const uint8_t *code, const struct rarog_instruction *in)
{
	static const uint8_t skip[] = { 0x02, 0xeb, 0x05 };

	rarog_copying_put(c, in->opcode_offset + 1u, code); /* prefixes choose ecx or rcx */
	rarog_copying_put(c, sizeof(skip), skip);
	put_branch(c, sizeof(jump), jump, b->taken, in->target);
}

/* All that is to be done on the way has been. */
static void put_end(struct rarog_copying *c, uint32_t edge)
{
	uint32_t block = (c->shape->flow.edges[edge].to - 1) / 2;

	if (rarog_rewrite_is_again(c->shape, edge))
		put_again(c, block);
	else
		rarog_copying_put_to_block(c, sizeof(jump), jump, block);
}

static void put_jump(struct rarog_copying *c, const struct rarog_rewrite_shape_block *b,
		     const struct rarog_instruction *in)
{
	if (b->taken == RAROG_NO_EDGE) {
		rarog_copying_put_to(c, sizeof(jump), jump, in->target);
		return;
	}
	pass_edge(c, b->taken);
	put_end(c, b->taken);
}

static void put_call(struct rarog_copying *c, uint32_t block, const uint8_t *code,
		     const struct rarog_instruction *in)
{
	const struct rarog_rewrite_shape_block *b = &c->shape->blocks[block];

	if (c->points->is_in_place[block])
		rarog_copying_put_to(c, sizeof(jump), jump, c->shape->function->address + b->last);
	else
		rarog_pushed_call_put(c, b, code, in);
}

static void put_last(struct rarog_copying *c, uint32_t block, const uint8_t *code,
		     const struct rarog_instruction *in)
{
	const struct rarog_rewrite_shape_block *b = &c->shape->blocks[block];

	switch (in->flow) {
	case RAROG_FLOW_JUMP:
		put_jump(c, b, in);
		break;
	case RAROG_FLOW_BRANCH:
		put_conditional(c, b, in);
		break;
	case RAROG_FLOW_COUNT:
		put_count(c, b, code, in);
		break;
	case RAROG_FLOW_CALL:
	case RAROG_FLOW_INDIRECT_CALL:
		put_call(c, block, code, in);
		break;
	case RAROG_FLOW_INDIRECT_JUMP:
		if (b->taken != RAROG_NO_EDGE)
			pass_edge(c, b->taken);
		rarog_copying_put_plain(c, code, in);
		break;
	default:
		rarog_copying_put_plain(c, code, in);
	}
}

/* --- blocks --- */

static bool falls(const struct rarog_rewrite_shape_block *b)
{
	return rarog_flow_goes_on(b->flow) && b->flow != RAROG_FLOW_CALL &&
	       b->flow != RAROG_FLOW_INDIRECT_CALL;
}

/* A root that is called last of all (a jump) is left before. */
static void put_leave(struct rarog_copying *c, const struct rarog_rewrite_shape_block *b)
{
	bool leaves = b->flow == RAROG_FLOW_RETURN ||
		      ((b->flow == RAROG_FLOW_JUMP || b->flow == RAROG_FLOW_INDIRECT_JUMP) &&
		       b->taken == RAROG_NO_EDGE);
	uint8_t code[RAROG_WITHIN_MOST];

	if (!c->shape->is_root || !leaves)
		return;
	rarog_copying_deepen(c);
	rarog_copying_put(c, rarog_within_leave_code(code), code);
}

static void put_block(struct rarog_copying *c, uint32_t block)
{
	const struct rarog_rewrite_shape *shape = c->shape;
	const struct rarog_rewrite_shape_block *b = &shape->blocks[block];
	uint64_t base = shape->function->address;
	uint32_t counter = shape->counters[block], place = UINT32_MAX;
	struct rarog_instruction in;

	c->block_at[block] = rarog_copying_here(c);
	rarog_copying_span(c, block, true, b->offset);
	put_stamp_of(c, block);
	c->again_at[block] = rarog_copying_here(c);
	put_round(c, block);
	if (counter != RAROG_NO_EDGE) {
		place = rarog_flags_place(shape, block);
		if (place == UINT32_MAX)
			put_counter(c, counter, b->live);
	}
	for (uint32_t at = b->offset; at < b->offset + b->size; at += in.length) {
		rarog_instruction_decode(shape->function->size - at, shape->code + at, base + at,
					 &in);
		if (at == place) {
			rarog_copying_span(c, block, true, at);
			put_counter(c, counter, 0);
		}
		if (at == b->last && b->leaves) {
			rarog_copying_span(c, block, true, at);
			put_stamp(c, RAROG_ROW_OUTSIDE, b->after);
		}
		if (at == b->last) {
			rarog_copying_new_span(c, block, true, at);
			if (b->flow == RAROG_FLOW_RETURN)
				put_values(c, true);
			put_leave(c, b);
			rarog_copying_new_span(c, block, false, at);
		} else {
			rarog_copying_span(c, block, false, at);
		}
		if (at == b->last)
			put_last(c, block, shape->code + at, &in);
		else
			rarog_copying_put_plain(c, shape->code + at, &in);
	}
	rarog_copying_new_span(c, b->fall != RAROG_NO_EDGE ? block + 1 : block, true,
			       b->offset + b->size);
	if (b->fall != RAROG_NO_EDGE)
		pass_edge(c, b->fall);
	else if (falls(b)) /* out of the function */
		rarog_copying_put_to(c, sizeof(jump), jump, base + b->offset + b->size);
}

static void put_arrival(struct rarog_copying *c, uint32_t block, bool is_next)
{
	c->arrival_at[block] = rarog_copying_here(c);
	rarog_copying_new_span(c, block, true, c->shape->blocks[block].offset);
	pass_edge(c, c->shape->blocks[block].arrive);
	if (!is_next)
		rarog_copying_put_to_block(c, sizeof(jump), jump, block);
}

/* A point whose way is not counted, or where nothing falls into the block, stands before it. */
static void put_blocks(struct rarog_copying *c)
{
	const struct rarog_rewrite_shape *shape = c->shape;
	bool is_fallen_into = false;

	for (uint32_t i = 0; i + 1 < shape->n_blocks; i++) {
		const struct rarog_rewrite_shape_block *b = &shape->blocks[i];

		if (b->is_point && has_work(c, b->arrive) && !is_fallen_into)
			put_arrival(c, i, true);
		put_block(c, i);
		if (b->is_point && !has_work(c, b->arrive))
			c->arrival_at[i] = c->block_at[i];
		is_fallen_into = b->fall != RAROG_NO_EDGE;
	}
	for (uint32_t i = 0; i + 1 < shape->n_blocks; i++)
		if (shape->blocks[i].is_point && c->arrival_at[i] == RAROG_NO_EDGE)
			put_arrival(c, i, false);
}

static uint32_t target_of(const struct rarog_copying *c, uint32_t edge)
{
	return (c->shape->flow.edges[edge].to - 1) / 2;
}

static void begin_stub(struct rarog_copying *c, const struct rarog_copying_stub *stub)
{
	uint32_t block = stub->target ? stub->block : target_of(c, stub->edge);
	const struct rarog_rewrite_shape_block *b = &c->shape->blocks[block];

	rarog_copying_new_span(c, block, true, stub->target ? b->last : b->offset);
}

static void put_stubs(struct rarog_copying *c)
{
	for (size_t i = 0; i < c->stubs.n; i++) {
		const struct rarog_copying_stub stub = c->stubs.v[i];

		rarog_copying_set(c, stub.at, c->copies->address + rarog_copying_here(c));
		begin_stub(c, &stub);
		pass_edge(c, stub.edge);
		if (stub.target)
			rarog_copying_put_to(c, sizeof(jump), jump, stub.target);
		else
			put_end(c, stub.edge);
	}
}

static void settle(struct rarog_copying *c)
{
	for (size_t i = 0; i < c->fixups.n; i++)
		rarog_copying_set(c, c->fixups.v[i].at,
				  c->copies->address + c->block_at[c->fixups.v[i].block]);
}

/* --- the original --- */

static void put_overwrite(struct rarog_copying *c, struct rarog_overwrites *overwrites, uint64_t at,
			  uint64_t target)
{
	struct rarog_overwrite jump_over = { .address = at, .n = 5, .bytes = { 0xe9 } };
	int32_t narrow = rarog_copying_distance(c, at + 5, target);

	memcpy(jump_over.bytes + 1, &narrow, sizeof(narrow));
	if (rarog_vec_push(&overwrites->list, jump_over) < 0)
		c->error = rarog_oom();
}

static void put_points(struct rarog_copying *c, struct rarog_overwrites *overwrites)
{
	uint64_t base = c->shape->function->address;

	for (size_t i = 0; i < c->points->list.n; i++) {
		const struct rarog_rewrite_point *point = &c->points->list.v[i];
		struct rarog_overwrite hop = { .address = base + point->offset, .n = 2 };

		put_overwrite(c, overwrites, base + point->island,
			      c->copies->address + c->arrival_at[point->block]);
		if (point->island == point->offset)
			continue;
		hop.bytes[0] = 0xeb;
		hop.bytes[1] = (uint8_t)(point->island - point->offset - 2);
		if (rarog_vec_push(&overwrites->list, hop) < 0)
			c->error = rarog_oom();
	}
}

static void align(struct rarog_copying *c)
{
	static const uint8_t nop[] = { NOP };

	while (rarog_copying_here(c) % ALIGNMENT)
		rarog_copying_put(c, 1, nop);
}

static void make(struct rarog_copying *c, struct rarog_overwrites *overwrites)
{
	align(c);
	put_blocks(c);
	put_stubs(c);
	if (c->error >= 0)
		settle(c);
	if (c->error >= 0)
		put_points(c, overwrites);
}

int rarog_copy_make(const struct rarog_rewrite_shape *shape,
		    const struct rarog_rewrite_points *points, struct rarog_copies *copies,
		    struct rarog_overwrites *overwrites)
{
	size_t code = copies->code.n, absolute = copies->absolute.n, over = overwrites->list.n;
	size_t spans = copies->spans.n;
	struct rarog_copying c = { .shape = shape, .points = points, .copies = copies };

	c.block_at = calloc(shape->n_blocks, sizeof(*c.block_at));
	c.again_at = calloc(shape->n_blocks, sizeof(*c.again_at));
	c.arrival_at = malloc(shape->n_blocks * sizeof(*c.arrival_at));
	if (!c.block_at || !c.again_at || !c.arrival_at)
		c.error = rarog_oom();
	else {
		memset(c.arrival_at, 0xff, shape->n_blocks * sizeof(*c.arrival_at));
		make(&c, overwrites);
	}
	free(c.block_at);
	free(c.again_at);
	free(c.arrival_at);
	rarog_vec_release(&c.fixups);
	rarog_vec_release(&c.stubs);
	if (c.error != 0) {
		copies->code.n = code;
		copies->absolute.n = absolute;
		copies->spans.n = spans;
		overwrites->list.n = over;
	}
	return c.error;
}
