/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backwards from the jump, on every way that leads there, to what writes its register last. */
#include "engine/rewrite/computed-jump.h"

#include <Zydis/Zydis.h>

#include "binary/instruction.h"

#define WAY_MOST          6   /* blocks */
#define INSTRUCTIONS_MOST 512 /* of a block */

struct decoded {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

enum origin {
	ORIGIN_OTHER,    /* nothing writes it, but from another register perhaps */
	ORIGIN_KNOWN,    /* loaded, or what a call returned */
	ORIGIN_COMPUTED,
};

static ZydisDecoder decoder;

__attribute__((constructor)) static void set_up(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static bool decode(const struct rarog_shape *shape, uint32_t at, struct decoded *ret)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, shape->code + at,
						   shape->function->size - at, &ret->in,
						   ret->operand));
}

static ZydisRegister register_of(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER
		       ? ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
							  operand->reg.value)
		       : ZYDIS_REGISTER_NONE;
}

static bool writes(const struct decoded *d, ZydisRegister reg)
{
	for (int i = 0; i < d->in.operand_count; i++)
		if (d->operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    register_of(&d->operand[i]) == reg)
			return true;
	return false;
}

/* By what is called. */
static bool is_kept(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_RBX || reg == ZYDIS_REGISTER_RBP ||
	       (reg >= ZYDIS_REGISTER_R12 && reg <= ZYDIS_REGISTER_R15);
}

static enum origin origin_of(const struct decoded *d, ZydisRegister *reg)
{
	if (d->in.meta.category == ZYDIS_CATEGORY_CALL)
		return is_kept(*reg) ? ORIGIN_OTHER : ORIGIN_KNOWN;
	if (!writes(d, *reg))
		return ORIGIN_OTHER;
	switch (d->in.mnemonic) {
	case ZYDIS_MNEMONIC_POP:
		return ORIGIN_KNOWN;
	case ZYDIS_MNEMONIC_MOV:
		if (d->operand[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
			return ORIGIN_KNOWN;
		*reg = register_of(&d->operand[1]);
		return ORIGIN_OTHER;
	case ZYDIS_MNEMONIC_LEA: /* the address of something */
		return d->operand[1].mem.base == ZYDIS_REGISTER_RIP ? ORIGIN_KNOWN
								    : ORIGIN_COMPUTED;
	default:
		return d->in.meta.category == ZYDIS_CATEGORY_CMOV &&
				       d->operand[1].type == ZYDIS_OPERAND_TYPE_MEMORY
			       ? ORIGIN_OTHER /* or what it was */
			       : ORIGIN_COMPUTED;
	}
}

/* Of the register @reg before offset @end of a block, which is followed to where it was copied from. */
static enum origin look_at(const struct rarog_shape *shape, uint32_t block, uint32_t end,
			   ZydisRegister *reg)
{
	uint32_t first = shape->blocks[block].offset, offsets[INSTRUCTIONS_MOST], n = 0;
	struct decoded d;

	for (uint32_t at = first; at < end; at += d.in.length) {
		if (n == INSTRUCTIONS_MOST || !decode(shape, at, &d))
			return ORIGIN_COMPUTED;
		offsets[n++] = at;
	}
	while (n-- > 0) {
		enum origin origin;

		decode(shape, offsets[n], &d);
		origin = origin_of(&d, reg);
		if (origin == ORIGIN_KNOWN || origin == ORIGIN_COMPUTED)
			return origin;
	}
	return ORIGIN_OTHER;
}

static bool is_computed_before(const struct rarog_shape *shape, uint32_t block, uint32_t end,
			       ZydisRegister reg, unsigned depth);

static bool leads_to(const struct rarog_shape *shape, const struct rarog_shape_block *from,
		     uint32_t block)
{
	bool is_next = from + 1 == &shape->blocks[block] && rarog_flow_goes_on(from->flow);

	return is_next || (from->taken != RAROG_NO_EDGE &&
			   shape->flow.edges[from->taken].to == RAROG_FLOW_IN(block));
}

/* On every way that leads there. */
static bool is_computed_on_ways(const struct rarog_shape *shape, uint32_t block, ZydisRegister reg,
				unsigned depth)
{
	bool is_led_to = false;

	if (depth == 0)
		return true;
	for (uint32_t i = 0; i + 1 < shape->n_blocks; i++) {
		const struct rarog_shape_block *from = &shape->blocks[i];

		if (!leads_to(shape, from, block))
			continue;
		is_led_to = true;
		if (is_computed_before(shape, i, from->offset + from->size, reg, depth - 1))
			return true;
	}
	return !is_led_to;
}

static bool is_computed_before(const struct rarog_shape *shape, uint32_t block, uint32_t end,
			       ZydisRegister reg, unsigned depth)
{
	enum origin origin = look_at(shape, block, end, &reg);

	if (origin != ORIGIN_OTHER)
		return origin == ORIGIN_COMPUTED;
	/* else it is the caller's, where the function begins */
	return block > 0 && is_computed_on_ways(shape, block, reg, depth);
}

bool rarog_jump_is_computed(const struct rarog_shape *shape, uint32_t block)
{
	const struct rarog_shape_block *b = &shape->blocks[block];
	ZydisRegister reg;
	struct decoded d;

	if (!decode(shape, b->last, &d))
		return true;
	reg = register_of(&d.operand[0]);
	return reg && is_computed_before(shape, block, b->last, reg, WAY_MOST);
}
