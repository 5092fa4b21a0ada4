/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The usual data flow, backwards. Which flags an instruction reads and writes is Zydis' knowledge.
 * A flag that is left undefined, or is written on some condition only (a shift by 0), is one that
 * the code may not rely on only where it is undefined: what is written on a condition stays live.
 */
#include "engine/rewrite/flags.h"

#include <stdlib.h>
#include <Zydis/Zydis.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/instruction.h"

static const struct {
	ZydisAccessedFlagsMask flag;
	uint8_t bit;
} bits[] = {
	{ ZYDIS_CPUFLAG_CF, 0x01 }, { ZYDIS_CPUFLAG_PF, 0x02 }, { ZYDIS_CPUFLAG_AF, 0x04 },
	{ ZYDIS_CPUFLAG_ZF, 0x08 }, { ZYDIS_CPUFLAG_SF, 0x10 }, { ZYDIS_CPUFLAG_OF, 0x20 },
};

/* What one or several instructions do: live before = reads | (live after & ~writes). */
struct effect {
	uint8_t reads, writes;
};

static ZydisDecoder decoder;

__attribute__((constructor)) static void set_up(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static uint8_t bits_of(ZydisAccessedFlagsMask mask)
{
	uint8_t result = 0;

	for (size_t i = 0; i < RAROG_COUNT(bits); i++)
		result |= mask & bits[i].flag ? bits[i].bit : 0;
	return result;
}

#define SHIFTS_BY_ONE 0xd0 /* and 0xd1 */

/* Shifts and rotates by 0 write nothing, nor does a repeated comparison of nothing. */
static bool may_write_nothing(const ZydisDecodedInstruction *in)
{
	bool is_shift = in->meta.category == ZYDIS_CATEGORY_SHIFT ||
			in->meta.category == ZYDIS_CATEGORY_ROTATE;

	if (is_shift && (in->raw.imm[0].value.u & 31 || (in->opcode & 0xfe) == SHIFTS_BY_ONE))
		return false;
	return is_shift || in->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

/* Of one instruction; its length, 0: it is none. */
static uint32_t look_at(const struct rarog_rewrite_shape *shape, uint32_t offset,
			struct effect *ret)
{
	uint32_t size = (uint32_t)shape->function->size;
	ZydisDecodedInstruction in;

	*ret = (struct effect){ RAROG_FLAG_BITS, 0 };
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, shape->code + offset,
							size - offset, &in)))
		return 0;
	if (in.meta.category == ZYDIS_CATEGORY_CALL) {
		*ret = (struct effect){ 0, RAROG_FLAG_BITS };
		return in.length;
	}
	if (in.meta.category == ZYDIS_CATEGORY_SYSCALL) {
		ret->reads = 0; /* the kernel gives them back */
		return in.length;
	}
	ret->reads = in.cpu_flags ? bits_of(in.cpu_flags->tested) : 0;
	if (in.cpu_flags && !may_write_nothing(&in))
		ret->writes = bits_of(in.cpu_flags->modified | in.cpu_flags->set_0 |
				      in.cpu_flags->set_1 | in.cpu_flags->undefined);
	if (in.mnemonic == ZYDIS_MNEMONIC_PUSHFQ || in.mnemonic == ZYDIS_MNEMONIC_LAHF)
		ret->reads = RAROG_FLAG_BITS;
	return in.length;
}

static struct effect effect_of(const struct rarog_rewrite_shape *shape,
			       const struct rarog_rewrite_shape_block *block)
{
	struct effect sum = { 0, 0 }, one;

	for (uint32_t at = 0, n; at < block->size; at += n) {
		n = look_at(shape, block->offset + at, &one);
		sum.reads |= one.reads & (uint8_t)~sum.writes;
		sum.writes |= one.writes;
		if (n == 0)
			break;
	}
	return sum;
}

static bool is_call(uint8_t flow)
{
	return flow == RAROG_FLOW_CALL || flow == RAROG_FLOW_INDIRECT_CALL;
}

/* The middle of a function, or a part of one. */
static bool may_take_flags(const struct rarog_binary *binary, uint64_t target)
{
	const struct rarog_function *functions;
	long found = rarog_binary_find(binary, target);

	rarog_binary_functions(binary, &functions);
	return found >= 0 &&
	       (functions[found].address != target || functions[found].flags & RAROG_FUNCTION_COLD);
}

/* What leaves for another place than a function's beginning may take flags along. */
static bool keeps_flags(const struct rarog_rewrite_shape *shape, const struct rarog_binary *binary,
			const struct rarog_rewrite_shape_block *block)
{
	uint64_t end = shape->function->address + shape->function->size;
	struct rarog_instruction in;

	if (block->flow == RAROG_FLOW_RETURN || block->flow == RAROG_FLOW_STOP ||
	    block->flow == RAROG_FLOW_INDIRECT_JUMP || is_call(block->flow))
		return false;
	if (block->offset + block->size == shape->function->size && may_take_flags(binary, end))
		return true; /* it may go on there */
	if (!rarog_instruction_decode(shape->function->size - block->last,
				      shape->code + block->last,
				      shape->function->address + block->last, &in) ||
	    !in.relative_size)
		return false;
	if (in.target - shape->function->address < shape->function->size)
		return false;
	return may_take_flags(binary, in.target);
}

/* Where it goes on in the function, but for the way back from a call. */
static uint8_t live_at(const struct rarog_rewrite_shape *shape, uint32_t edge)
{
	uint32_t to = edge == RAROG_NO_EDGE ? RAROG_FLOW_OUTSIDE : shape->flow.edges[edge].to;

	return to == RAROG_FLOW_OUTSIDE ? 0 : shape->blocks[(to - 1) / 2].live;
}

/* Where jumps through tables meet. */
static uint8_t live_after_tables(const struct rarog_rewrite_shape *shape)
{
	uint32_t pool = (uint32_t)shape->n_blocks - 1;
	uint8_t live = 0;

	for (size_t i = 0; i < pool; i++) {
		uint32_t arrive = shape->blocks[i].arrive;

		if (arrive != RAROG_NO_EDGE &&
		    shape->flow.edges[arrive].from == RAROG_FLOW_OUT(pool))
			live |= shape->blocks[i].live;
	}
	return live;
}

int rarog_flags_solve(struct rarog_rewrite_shape *shape, const struct rarog_binary *binary)
{
	uint32_t pool = (uint32_t)shape->n_blocks - 1;
	rarog_cleanup(rarog_freep) struct effect *effects = calloc(pool + 1, sizeof(*effects));
	bool again = true;

	if (!effects)
		return rarog_oom();
	for (uint32_t i = 0; i < pool; i++) {
		effects[i] = effect_of(shape, &shape->blocks[i]);
		if (keeps_flags(shape, binary, &shape->blocks[i]))
			shape->blocks[i].after = RAROG_FLAG_BITS;
	}
	while (again) {
		again = false;
		shape->blocks[pool].live = live_after_tables(shape);
		for (uint32_t i = pool; i-- > 0;) {
			struct rarog_rewrite_shape_block *b = &shape->blocks[i];
			uint8_t live;

			b->after |= live_at(shape, b->fall) | live_at(shape, b->taken);
			live = effects[i].reads | (b->after & (uint8_t)~effects[i].writes);
			again |= live != b->live;
			b->live = live;
		}
	}
	return 0;
}

/* Instructions of a block that are looked at from its end. */
#define LOOK_BACK 32

uint32_t rarog_flags_place(const struct rarog_rewrite_shape *shape, uint32_t block)
{
	const struct rarog_rewrite_shape_block *b = &shape->blocks[block];
	uint32_t offsets[LOOK_BACK], n = 0, found = UINT32_MAX; /* of turn n: at n % LOOK_BACK */
	struct effect effects[LOOK_BACK] = { 0 };
	uint8_t live = b->after;

	for (uint32_t at = b->offset, length; at < b->offset + b->size; at += length, n++) {
		offsets[n % LOOK_BACK] = at;
		length = look_at(shape, at, &effects[n % LOOK_BACK]);
		if (length == 0)
			return UINT32_MAX;
	}
	for (uint32_t left = n < LOOK_BACK ? n : LOOK_BACK; left > 0; left--) {
		const struct effect *effect = &effects[--n % LOOK_BACK];

		live = effect->reads | (live & (uint8_t)~effect->writes);
		if (!(live & ~RAROG_FLAG_CARRY))
			found = offsets[n % LOOK_BACK];
	}
	return found;
}
