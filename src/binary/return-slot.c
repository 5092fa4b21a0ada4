/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One walk along the code with the distance between the stack pointer and the return address.
 * Anything not understood ends the walk: the answer "no" means "not seen", which is why names are
 * looked at as well (patch-site.c).
 */
#include "binary/return-slot.h"

#include <Zydis/Zydis.h>

struct walk {
	uint64_t at;
	int64_t depth; /* rsp + depth is where the return address is */
	bool used, ended;
};

struct line {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool is_stack_pointer(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand->reg.value == ZYDIS_REGISTER_RSP;
}

/* [rsp + depth], as an operand that the instruction reads or writes. */
static bool is_return_slot(const ZydisDecodedOperand *operand, int64_t depth)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       operand->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
	       operand->mem.base == ZYDIS_REGISTER_RSP &&
	       operand->mem.index == ZYDIS_REGISTER_NONE && operand->mem.disp.value == depth;
}

static bool writes_stack_pointer(const struct line *line)
{
	for (int i = 0; i < line->in.operand_count; i++) {
		if (is_stack_pointer(&line->operands[i]) &&
		    line->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return true;
	}
	return false;
}

static void do_push(struct walk *w, const struct line *line)
{
	w->depth += line->in.operand_width / 8;
}

static void do_pop(struct walk *w, const struct line *line)
{
	w->used |= w->depth == 0;
	w->depth -= line->in.operand_width / 8;
}

/* sub rsp, 24; add rsp, 24 */
static void do_add(struct walk *w, const struct line *line)
{
	int64_t by = line->operands[1].imm.value.s;

	if (line->operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		w->ended = true;
	else
		w->depth += line->in.mnemonic == ZYDIS_MNEMONIC_SUB ? by : -by;
}

static void do_jump(struct walk *w, const struct line *line)
{
	if (line->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		w->at += (uint64_t)line->operands[0].imm.value.s;
	else
		w->ended = true;
}

/* What changes the stack pointer in a known way; everything else that writes it ends the walk. */
static const struct {
	ZydisMnemonic mnemonic;
	void (*apply)(struct walk *w, const struct line *line);
} effects[] = {
	{ ZYDIS_MNEMONIC_PUSH, do_push },
	{ ZYDIS_MNEMONIC_POP, do_pop },
	{ ZYDIS_MNEMONIC_SUB, do_add },
	{ ZYDIS_MNEMONIC_ADD, do_add },
};

/* lock or [rsp], 0 is a memory barrier. */
static bool is_barrier(const struct line *line)
{
	return line->in.mnemonic == ZYDIS_MNEMONIC_OR &&
	       line->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       line->operands[1].imm.value.u == 0;
}

static void note_operands(struct walk *w, const struct line *line)
{
	if (is_barrier(line))
		return;
	for (int i = 0; i < line->in.operand_count_visible; i++)
		w->used |= is_return_slot(&line->operands[i], w->depth);
}

static void apply(struct walk *w, const struct line *line)
{
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
		if (effects[i].mnemonic == line->in.mnemonic) {
			effects[i].apply(w, line);
			return;
		}
	}
	w->ended = true;
}

static void step(struct walk *w, const struct line *line)
{
	note_operands(w, line);
	w->at += line->in.length;
	if (line->in.mnemonic == ZYDIS_MNEMONIC_JMP)
		do_jump(w, line);
	else if (line->in.meta.category == ZYDIS_CATEGORY_RET ||
		 line->in.meta.category == ZYDIS_CATEGORY_CALL)
		w->ended = true;
	else if (writes_stack_pointer(line))
		apply(w, line);
}

static bool read_line(const struct rarog_binary *binary, const ZydisDecoder *decoder, uint64_t at,
		      struct line *ret)
{
	size_t n = ZYDIS_MAX_INSTRUCTION_LENGTH;
	const uint8_t *bytes = rarog_binary_bytes(binary, at, n);

	while (!bytes && --n > 0) /* the end of a segment */
		bytes = rarog_binary_bytes(binary, at, n);
	return bytes &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, n, &ret->in, ret->operands));
}

bool rarog_return_slot_used(const struct rarog_binary *binary, uint64_t entry)
{
	struct walk w = { .at = entry };
	ZydisDecoder decoder;
	struct line line;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 0; i < RAROG_RETURN_SLOT_REACH && !w.used && !w.ended; i++) {
		if (!read_line(binary, &decoder, w.at, &line))
			break;
		step(&w, &line);
	}
	return w.used;
}
