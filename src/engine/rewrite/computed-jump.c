/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backwards from the jump, on every way that leads there, to what writes its register last. */
#include "engine/rewrite/computed-jump.h"

#include <Zydis/Zydis.h>

#include "binary/instruction.h"

#define WAYS_MOST         256 /* blocks that are looked at */
#define INSTRUCTIONS_MOST 512 /* of a block */

struct decoded {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

enum origin {
	ORIGIN_OTHER, /* nothing writes it, but from another register perhaps */
	ORIGIN_KNOWN, /* loaded, or what a call returned */
	ORIGIN_COMPUTED,
};

static ZydisDecoder decoder;

__attribute__((constructor)) static void set_up(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static bool decode(const struct rarog_rewrite_shape *shape, uint32_t at, struct decoded *ret)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(
		&decoder, shape->code + at, shape->function->size - at, &ret->in, ret->operand));
}

static bool is_own(const struct rarog_rewrite_shape *shape, uint32_t at, const struct decoded *d)
{
	uint64_t base = shape->function->address, value = 0;

	for (int i = 0; i < d->in.operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &d->operand[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !operand->imm.is_relative &&
		    operand->imm.value.u - base < shape->function->size)
			return true;
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&d->in, operand, base + at, &value)) &&
		    value - base < shape->function->size)
			return true;
	}
	return false;
}

/* It may add to that, and store the sum. */
static bool takes_own_address(const struct rarog_rewrite_shape *shape)
{
	struct decoded d;

	for (size_t i = 0; i + 1 < shape->n_blocks; i++) {
		const struct rarog_rewrite_shape_block *b = &shape->blocks[i];

		for (uint32_t at = b->offset; at < b->offset + b->size; at += d.in.length)
			if (!decode(shape, at, &d) || is_own(shape, at, &d))
				return true;
	}
	return false;
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

/* Of the register @reg before offset @end of a block, which is followed to where it was copied
 * from. */
static enum origin look_at(const struct rarog_rewrite_shape *shape, uint32_t block, uint32_t end,
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

/* Blocks that were looked at already, and for which register. */
struct looking {
	const struct rarog_rewrite_shape *shape;
	size_t n;
	struct {
		uint32_t block;
		ZydisRegister reg;
	} seen[WAYS_MOST];
};

static bool is_seen(const struct looking *l, uint32_t block, ZydisRegister reg)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->seen[i].block == block && l->seen[i].reg == reg)
			return true;
	return false;
}

static bool leads_to(const struct rarog_rewrite_shape *shape,
		     const struct rarog_rewrite_shape_block *from, uint32_t block)
{
	bool is_next = from + 1 == &shape->blocks[block] && rarog_flow_goes_on(from->flow);

	return is_next || (from->taken != RAROG_NO_EDGE &&
			   shape->flow.edges[from->taken].to == RAROG_FLOW_IN(block));
}

/* Where control comes from elsewhere, nothing is known; at the beginning it is the caller's. */
static bool is_entered(const struct rarog_rewrite_shape *shape, uint32_t block)
{
	uint8_t before = block > 0 ? shape->blocks[block - 1].flow : RAROG_FLOW_NEXT;

	return block > 0 && shape->blocks[block].is_point && before != RAROG_FLOW_CALL &&
	       before != RAROG_FLOW_INDIRECT_CALL;
}

/* Note the blocks that lead to @block. Return: whether something there says that it is computed. */
static bool add_ways(struct looking *l, uint32_t block, ZydisRegister reg)
{
	if (is_entered(l->shape, block))
		return true;
	for (uint32_t i = 0; block > 0 && i + 1 < l->shape->n_blocks; i++) {
		if (!leads_to(l->shape, &l->shape->blocks[i], block) || is_seen(l, i, reg))
			continue;
		if (l->n == WAYS_MOST)
			return true;
		l->seen[l->n].block = i;
		l->seen[l->n++].reg = reg;
	}
	return false;
}

static bool is_computed(struct looking *l, uint32_t block, uint32_t end, ZydisRegister reg)
{
	enum origin origin = look_at(l->shape, block, end, &reg);

	return origin == ORIGIN_COMPUTED || (origin == ORIGIN_OTHER && add_ways(l, block, reg));
}

bool rarog_jump_is_computed(const struct rarog_rewrite_shape *shape, uint32_t block)
{
	const struct rarog_rewrite_shape_block *b = &shape->blocks[block];
	struct looking l = { .shape = shape };
	ZydisRegister reg;
	struct decoded d;

	if (!decode(shape, b->last, &d) || takes_own_address(shape))
		return true;
	reg = register_of(&d.operand[0]);
	if (!reg)
		return false; /* from memory */
	if (is_computed(&l, block, b->last, reg))
		return true;
	for (size_t i = 0; i < l.n; i++) {
		b = &shape->blocks[l.seen[i].block];
		if (is_computed(&l, l.seen[i].block, b->offset + b->size, l.seen[i].reg))
			return true;
	}
	return false;
}
