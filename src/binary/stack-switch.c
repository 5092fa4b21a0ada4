/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions that set rsp are rare, so their bytes are looked for first; only functions that have
 * one are decoded.
 */
#include "binary/stack-switch.h"

#include <string.h>
#include <Zydis/Zydis.h>

#include "binary/internal.h"

/* Save and load are near each other: what is pushed between them is six registers. */
#define NEAR 24 /* instructions */

/* Hand-written code may have no size and no symbol; then it is decoded from a little before. */
#define REACH  4096
#define BEFORE 96

struct saved {
	uint32_t registers; /* that hold the stack pointer or an address near it, by encoding */
	int since;          /* instructions since it was saved; negative: it was not */
};

struct line {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool is_rsp(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == ZYDIS_REGISTER_RSP;
}

static uint32_t bit_of(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15 && reg != ZYDIS_REGISTER_RSP
		       ? 1u << (reg - ZYDIS_REGISTER_RAX)
		       : 0;
}

/* Memory of the frame: a value spilled there is still ours. */
static bool is_of_frame(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       (o->mem.base == ZYDIS_REGISTER_RSP || o->mem.base == ZYDIS_REGISTER_RBP);
}

/* mov reg, saved; lea reg, [saved+x]: as room on the stack is made by a length */
static bool computes(const struct saved *s, const struct line *line)
{
	const ZydisDecodedOperand *from = &line->operands[1];

	if (line->in.mnemonic == ZYDIS_MNEMONIC_MOV)
		return from->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       s->registers & bit_of(from->reg.value);
	return line->in.mnemonic == ZYDIS_MNEMONIC_LEA && from->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       s->registers & bit_of(from->mem.base);
}

/* mov reg, rsp; lea reg, [rsp+x]; mov [elsewhere], rsp */
static void note_save(struct saved *s, const struct line *line)
{
	const ZydisDecodedOperand *to = &line->operands[0], *from = &line->operands[1];
	bool saves = line->in.mnemonic == ZYDIS_MNEMONIC_MOV && is_rsp(from) && !is_of_frame(to);
	bool computed = computes(s, line);

	if (to->type == ZYDIS_OPERAND_TYPE_REGISTER && !is_rsp(to)) {
		if (line->in.mnemonic == ZYDIS_MNEMONIC_MOV ||
		    line->in.mnemonic == ZYDIS_MNEMONIC_LEA) /* others count from it */
			s->registers &= ~bit_of(to->reg.value);
		if (saves || computed ||
		    (line->in.mnemonic == ZYDIS_MNEMONIC_LEA && is_of_frame(from)))
			s->registers |= bit_of(to->reg.value);
		if (to->reg.value == ZYDIS_REGISTER_RBP)
			return; /* a frame pointer */
	}
	if (saves)
		s->since = 0;
}

static bool decode(const struct rarog_binary *binary, uint64_t at, struct line *ret)
{
	const uint8_t *bytes = rarog_binary_bytes(binary, at, ZYDIS_MAX_INSTRUCTION_LENGTH);
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return bytes &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, ZYDIS_MAX_INSTRUCTION_LENGTH,
						   &ret->in, ret->operands));
}

/* The frame pointer goes along with the stack pointer: the frame is elsewhere. */
static bool moves_frame(const struct line *line)
{
	return line->in.mnemonic == ZYDIS_MNEMONIC_ADD &&
	       line->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       line->operands[0].reg.value == ZYDIS_REGISTER_RBP &&
	       line->operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static bool is_switch(const struct saved *s, const struct line *line, const struct line *next)
{
	const ZydisDecodedOperand *from = &line->operands[1];

	if (!is_rsp(&line->operands[0]))
		return false;
	if (line->in.mnemonic == ZYDIS_MNEMONIC_ADD)
		return from->type != ZYDIS_OPERAND_TYPE_IMMEDIATE && moves_frame(next);
	if (line->in.mnemonic != ZYDIS_MNEMONIC_MOV || s->since < 0 || s->since > NEAR)
		return false;
	return from->type == ZYDIS_OPERAND_TYPE_REGISTER
		       ? !(s->registers & bit_of(from->reg.value)) &&
				 from->reg.value != ZYDIS_REGISTER_RBP
		       : from->type == ZYDIS_OPERAND_TYPE_MEMORY && !is_of_frame(from);
}

/* Does the code from @start to the instruction at @last, that one included, switch stacks there? */
static bool switches(const struct rarog_binary *binary, uint64_t start, uint64_t last)
{
	struct saved saved = { .since = -1 };
	struct line line, next = { 0 };

	for (uint64_t at = start; at <= last;) {
		if (!decode(binary, at, &line)) {
			at++;
			continue;
		}
		if (at == last) {
			decode(binary, at + line.in.length, &next);
			return is_switch(&saved, &line, &next);
		}
		if (saved.since >= 0)
			saved.since++;
		if (line.in.meta.category == ZYDIS_CATEGORY_RET ||
		    line.in.meta.category == ZYDIS_CATEGORY_CALL ||
		    line.in.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
			saved.since = -1;
		else
			note_save(&saved, &line);
		at += line.in.length;
	}
	return false;
}

static bool is_known(const struct rarog_function *f, const char *const known[])
{
	for (size_t i = 0; known[i]; i++)
		if (rarog_function_is_named(f, known[i]))
			return true;
	return false;
}

/* REX.W and an instruction of two operands that writes rsp: mov, add. */
static bool may_set_rsp(const uint8_t *p)
{
	bool extends_reg = p[0] & 4, extends_rm = p[0] & 1;
	bool to_rm = (p[2] & 0xc7) == 0xc4 && !extends_rm,
	     to_reg = (p[2] & 0x38) == 0x20 && !extends_reg;

	if ((p[0] & 0xf8) != 0x48)
		return false;
	if (p[1] == 0x89 || p[1] == 0x01)
		return to_rm;
	return (p[1] == 0x8b || p[1] == 0x03) && to_reg;
}

static bool is_one(const struct rarog_binary *binary, const struct rarog_code_range *range,
		   uint64_t at, const char *const known[])
{
	uint64_t start = at - range->start < BEFORE ? range->start : at - BEFORE;
	const struct rarog_function *functions, *f;
	size_t n = rarog_binary_functions(binary, &functions), low = 0;

	while (n > 0) { /* the last function that begins at or before it */
		size_t half = n / 2;

		if (functions[low + half].address <= at) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	f = low ? &functions[low - 1] : NULL;
	if (f && is_known(f, known))
		return false;
	return switches(binary, f && at - f->address < REACH ? f->address : start, at);
}

uint64_t rarog_stack_switch(const struct rarog_binary *binary, const char *const known[])
{
	for (size_t i = 0; i < binary->code.n; i++) {
		const struct rarog_code_range *range = &binary->code.v[i];
		uint64_t start = range->start, size = range->end - start;
		const uint8_t *bytes = rarog_binary_bytes(binary, start, size);

		for (uint64_t at = 0; bytes && at + 3 <= size; at++)
			if (may_set_rsp(bytes + at) && is_one(binary, range, start + at, known))
				return start + at;
	}
	return 0;
}

bool rarog_sets_stack(const struct rarog_binary *binary, const struct rarog_function *f)
{
	const uint8_t *bytes = rarog_binary_bytes(binary, f->address, f->size);

	for (uint64_t at = 0; bytes && at + 3 <= f->size; at++)
		if (may_set_rsp(bytes + at))
			return true;
	return false;
}
