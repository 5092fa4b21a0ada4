/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function that calls itself inside of a loop enters that loop anew while an entry is open, and
 * so does one whose loop an exception or longjmp() has left: the word is not 0 then. Entries look
 * whether it is, so that numbers are right or said to be unknown.
 */
#include "engine/rewrite/rounds.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "engine/rewrite/emit.h"
#include "engine/rewrite/ways.h"

/* --- which loops --- */

int rarog_rounds_find(struct rarog_rewrite_shape *shape)
{
	rarog_cleanup(rarog_freep) struct rarog_edge_count *edges =
		calloc(shape->flow.n_edges + 1, sizeof(*edges));
	rarog_cleanup(rarog_freep) struct rarog_block_count *blocks =
		calloc(shape->n_blocks, sizeof(*blocks));
	struct rarog_tally tally = { .edges = edges, .blocks = blocks };
	struct rarog_tally_function function = { .n = (uint32_t)shape->n_blocks };

	if (!edges || !blocks)
		return rarog_oom();
	function.n_edges = (uint32_t)rarog_rewrite_ways(shape, NULL, 0, edges);
	tally.n_blocks = shape->n_blocks;
	tally.n_edges = function.n_edges;
	return rarog_loops_find(&tally, &function, &shape->loops);
}

static bool contains(const struct rarog_rewrite_shape *shape, uint32_t loop, uint32_t block)
{
	uint32_t at = block == RAROG_NO_EDGE ? RAROG_NONE : shape->loops.innermost[block];

	while (at != RAROG_NONE && at != loop)
		at = shape->loops.list.v[at].parent;
	return at == loop;
}

uint32_t rarog_rounds_of(const struct rarog_rewrite_shape *shape, uint32_t block)
{
	uint32_t at =
		shape->first_loop == RAROG_NO_EDGE ? RAROG_NONE : shape->loops.innermost[block];

	while (at != RAROG_NONE &&
	       (shape->loops.list.v[at].header != block || shape->loops.list.v[at].is_irreducible))
		at = shape->loops.list.v[at].parent;
	return at;
}

/* A part that was split off has none: an exception may land at its first byte. */
static bool is_entry(const struct rarog_rewrite_shape *shape, uint32_t node)
{
	return node == RAROG_FLOW_IN(0) && !(shape->function->flags & RAROG_FUNCTION_COLD);
}

uint32_t rarog_rounds_entered(const struct rarog_rewrite_shape *shape, uint32_t edge)
{
	uint32_t to = shape->flow.edges[edge].to, from = rarog_rewrite_way_from(shape, edge);
	uint32_t loop = RAROG_NONE;

	if (to != RAROG_FLOW_OUTSIDE && (from != RAROG_NO_EDGE || is_entry(shape, to)))
		loop = rarog_rounds_of(shape, (to - 1) / 2);
	return loop != RAROG_NONE && !contains(shape, loop, from) ? loop : RAROG_NONE;
}

/* Landing pads, labels whose address was taken, second returns: control that arrives there has left
 * all loops around other blocks. */
bool rarog_rounds_is_anywhere(const struct rarog_rewrite_shape *shape, uint32_t edge)
{
	uint32_t from = shape->flow.edges[edge].from, to = shape->flow.edges[edge].to;
	const struct rarog_rewrite_shape_block *b;

	if (from != RAROG_FLOW_OUTSIDE || to == RAROG_FLOW_OUTSIDE || is_entry(shape, to))
		return false;
	b = &shape->blocks[(to - 1) / 2];
	return b->arrive == edge && (!b->is_return || b->is_return_and_more);
}

static uint32_t next_around_others(const struct rarog_rewrite_shape *shape, uint32_t block,
				   uint32_t loop)
{
	uint32_t at = loop == RAROG_NONE ? 0 : loop + 1;

	while (at < shape->loops.list.n &&
	       (shape->loops.list.v[at].is_irreducible || contains(shape, at, block)))
		at++;
	return at < shape->loops.list.n ? at : RAROG_NONE;
}

uint32_t rarog_rounds_left(const struct rarog_rewrite_shape *shape, uint32_t edge, uint32_t loop)
{
	uint32_t to = shape->flow.edges[edge].to, from = rarog_rewrite_way_from(shape, edge);
	uint32_t target = to == RAROG_FLOW_OUTSIDE ? RAROG_NO_EDGE : (to - 1) / 2;

	if (shape->first_loop == RAROG_NO_EDGE)
		return RAROG_NONE;
	if (rarog_rounds_is_anywhere(shape, edge))
		return next_around_others(shape, target, loop);
	if (from == RAROG_NO_EDGE)
		return RAROG_NONE;
	loop = loop == RAROG_NONE ? shape->loops.innermost[from] : shape->loops.list.v[loop].parent;
	while (loop != RAROG_NONE && shape->loops.list.v[loop].is_irreducible)
		loop = shape->loops.list.v[loop].parent;
	return loop != RAROG_NONE && !contains(shape, loop, target) ? loop : RAROG_NONE;
}

uint32_t rarog_rounds_word(const struct rarog_rewrite_shape *shape, uint32_t loop)
{
	return shape->first_loop + loop * RAROG_ROUNDS_WORDS;
}

/* --- machine code --- */

static uint8_t *put_begin(uint8_t *at, bool keeps_flags)
{
	at = RAROG_EMIT(at, 0x48, 0x8d, 0x64, 0x24, 0x80, 0x50,
			0x52); /* lea -128(%rsp),%rsp; push */
	return keeps_flags ? RAROG_EMIT(at, 0x9f, 0x0f, 0x90, 0xc0,
					0x50) /* lahf; seto %al; push %rax */
			   : at;
}

static uint8_t *put_end(uint8_t *at, bool keeps_flags)
{
	if (keeps_flags)
		at = RAROG_EMIT(at, 0x58, 0x04, 0x7f, 0x9e); /* pop %rax; add $127,%al; sahf */
	return RAROG_EMIT(at, 0x5a, 0x58, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0,
			  0); /* pop; lea 128(%rsp) */
}

/* The larger of %rax and a word, both with the top bit set. */
static uint8_t *put_larger(uint8_t *at, uint32_t word)
{
	at = RAROG_EMIT(at, 0x65, 0x48, 0x3b, 0x04, 0x25); /* cmp %gs:word,%rax */
	at = rarog_emit_word(at, word);
	at = RAROG_EMIT(at, 0x76, 0x09, 0x65, 0x48, 0x89, 0x04, 0x25); /* jbe; mov %rax,%gs:word */
	return rarog_emit_word(at, word);
}

static uint8_t *put_clear(uint8_t *at, uint32_t word)
{
	at = RAROG_EMIT(at, 0x65, 0x48, 0xc7, 0x04, 0x25); /* movq $0,%gs:NOW */
	at = rarog_emit_word(at, word + RAROG_ROUNDS_NOW);
	return RAROG_EMIT(at, 0, 0, 0, 0);
}

size_t rarog_rounds_entry_code(uint32_t word, bool keeps_flags, uint8_t ret_code[])
{
	uint8_t *at = put_begin(ret_code, keeps_flags), *to_end;

	at = RAROG_EMIT(at, 0x65, 0x48, 0x83, 0x3c, 0x25); /* cmpq $0,%gs:NOW */
	at = rarog_emit_word(at, word + RAROG_ROUNDS_NOW);
	at = RAROG_EMIT(at, 0, 0x74, 0); /* je */
	to_end = at;
	at = RAROG_EMIT(at, 0x65, 0x48, 0xff, 0x04, 0x25); /* incq %gs:MIXED */
	at = put_clear(rarog_emit_word(at, word + RAROG_ROUNDS_MIXED), word);
	to_end[-1] = (uint8_t)(at - to_end);
	return (size_t)(put_end(at, keeps_flags) - ret_code);
}

/* %rax: the rounds, not 0. */
static uint8_t *put_rounds(uint8_t *at, uint32_t word)
{
	at = RAROG_EMIT(at, 0x65, 0x48, 0x01, 0x04, 0x25); /* add %rax,%gs:SUM */
	at = rarog_emit_word(at, word + RAROG_TRIPS_SUM);
	at = RAROG_EMIT(at, 0x48, 0x0f, 0xbd, 0xd0);             /* bsr %rax,%rdx */
	at = RAROG_EMIT(at, 0x48, 0x83, 0xfa, 0x1f, 0x76, 0x05); /* cmp $31,%rdx; jbe */
	at = RAROG_EMIT(at, 0xba, 0x1f, 0, 0, 0);                /* mov $31,%edx */
	at = RAROG_EMIT(at, 0x65, 0x48, 0xff, 0x04, 0xd5);       /* incq %gs:FIRST(,%rdx,8) */
	at = rarog_emit_word(at, word + RAROG_TRIPS_FIRST);
	at = RAROG_EMIT(at, 0x48, 0x0f, 0xba, 0xe8, 0x3f); /* bts $63,%rax */
	at = put_larger(at, word + RAROG_TRIPS_MOST);
	at = RAROG_EMIT(at, 0x48, 0xf7, 0xd0);             /* not %rax */
	at = RAROG_EMIT(at, 0x48, 0x0f, 0xba, 0xe8, 0x3f); /* bts $63,%rax */
	return put_larger(at, word + RAROG_TRIPS_LEAST);
}

size_t rarog_rounds_exit_code(uint32_t word, bool keeps_flags, uint8_t ret_code[])
{
	uint8_t *at = put_begin(ret_code, keeps_flags), *to_end;

	at = RAROG_EMIT(at, 0x65, 0x48, 0x8b, 0x04, 0x25); /* mov %gs:NOW,%rax */
	at = rarog_emit_word(at, word + RAROG_ROUNDS_NOW);
	at = RAROG_EMIT(at, 0x48, 0x85, 0xc0, 0x74, 0); /* test %rax,%rax; je */
	to_end = at;
	at = put_rounds(put_clear(at, word), word);
	to_end[-1] = (uint8_t)(at - to_end);
	return (size_t)(put_end(at, keeps_flags) - ret_code);
}
