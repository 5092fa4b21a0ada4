/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One walk along the code with the distance between the stack pointer and the return address.
 * Anything not understood ends the walk: the answer "no" means "not seen", which is why names are
 * looked at as well (patch-site.c).
 */
#include "binary/return-slot.h"

#include <Zydis/Zydis.h>

#include "binary/code-links.h"

struct walk {
	const struct rarog_code_map *map;
	uint64_t at;
	int64_t depth;    /* rsp + depth is where the return address is … */
	int64_t frame;    /* … and rbp + frame, when … */
	bool has_frame;   /* … rbp was set to rsp */
	uint32_t holders; /* registers that hold it, to tell it a hook; by number */
	bool told;        /* a hook was called */
	bool used, ended;
};

struct line {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* --- registers --- */

#define CALLEE_SAVED 0xf028u /* rbx, rbp, r12-r15 */

/* The bit of the general register that @reg is part of; 0: of none. */
static uint32_t bit_of(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
		       ? 1u << (whole - ZYDIS_REGISTER_RAX)
		       : 0;
}

static uint32_t read_by(const ZydisDecodedOperand *operand)
{
	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return bit_of(operand->mem.base) | bit_of(operand->mem.index);
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			       operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ
		       ? bit_of(operand->reg.value)
		       : 0;
}

static uint32_t written_by(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			       operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE
		       ? bit_of(operand->reg.value)
		       : 0;
}

static bool is_register_move(const struct line *line)
{
	return line->in.mnemonic == ZYDIS_MNEMONIC_MOV && line->in.operand_width == 64 &&
	       line->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static bool is_stack_pointer(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand->reg.value == ZYDIS_REGISTER_RSP;
}

/* The return address, as an operand that the instruction reads or writes. */
static bool is_return_slot(const struct walk *w, const ZydisDecodedOperand *operand)
{
	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    operand->mem.type != ZYDIS_MEMOP_TYPE_MEM || operand->mem.index != ZYDIS_REGISTER_NONE)
		return false;
	return (operand->mem.base == ZYDIS_REGISTER_RSP && operand->mem.disp.value == w->depth) ||
	       (operand->mem.base == ZYDIS_REGISTER_RBP && w->has_frame &&
		operand->mem.disp.value == w->frame);
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

static void end(struct walk *w)
{
	/* Held for a hook that did not come, or passed on as an argument. */
	w->used |= w->told ? (w->holders & ~CALLEE_SAVED) != 0 : w->holders != 0;
	w->ended = true;
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
		end(w);
	else
		w->depth += line->in.mnemonic == ZYDIS_MNEMONIC_SUB ? by : -by;
}

/* Where a CALL or JMP leads, if that says something. */
static enum rarog_link_kind link_of(const struct walk *w, const struct line *line)
{
	const ZydisDecodedOperand *to = &line->operands[0];

	if (to->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return rarog_code_link(w->map, w->at + (uint64_t)to->imm.value.s);
	if (to->type == ZYDIS_OPERAND_TYPE_MEMORY && to->mem.base == ZYDIS_REGISTER_RIP)
		return rarog_code_link_word(w->map, w->at + (uint64_t)to->mem.disp.value);
	return RAROG_LINK_NONE;
}

static void do_hook(struct walk *w)
{
	w->told = true;
	w->holders &= CALLEE_SAVED;
}

static void do_call(struct walk *w, const struct line *line)
{
	enum rarog_link_kind kind = link_of(w, line);

	if (kind == RAROG_LINK_HOOK)
		do_hook(w);
	else if (kind == RAROG_LINK_OWN_MCOUNT)
		w->used = true;
	else if (kind != RAROG_LINK_MCOUNT)
		end(w);
}

static void do_jump(struct walk *w, const struct line *line)
{
	if (link_of(w, line) == RAROG_LINK_HOOK)
		do_hook(w);
	if (line->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		w->at += (uint64_t)line->operands[0].imm.value.s;
	else
		end(w);
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

static bool names_slot(const struct walk *w, const struct line *line)
{
	for (int i = 0; i < line->in.operand_count_visible; i++)
		if (is_return_slot(w, &line->operands[i]))
			return true;
	return false;
}

/* Registers that hold the return address: copied, overwritten, or used for something. */
static void note_holders(struct walk *w, const struct line *line)
{
	uint32_t read = 0, written = 0;

	for (int i = 0; i < line->in.operand_count; i++) {
		read |= read_by(&line->operands[i]);
		written |= written_by(&line->operands[i]);
	}
	if (!(read & w->holders))
		w->holders &= ~written;
	else if (is_register_move(line) && line->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
		w->holders |= written;
	else
		w->used = true;
}

static void note_operands(struct walk *w, const struct line *line)
{
	if (is_barrier(line))
		return;
	if (w->holders)
		note_holders(w, line);
	if (!names_slot(w, line))
		return;
	if (w->map->hooks_told && is_register_move(line))
		w->holders |= bit_of(line->operands[0].reg.value);
	else
		w->used = true;
}

static void note_frame(struct walk *w, const struct line *line)
{
	for (int i = 0; i < line->in.operand_count; i++)
		if (written_by(&line->operands[i]) == bit_of(ZYDIS_REGISTER_RBP))
			w->has_frame = false;
	if (!is_register_move(line) || !is_stack_pointer(&line->operands[1]) ||
	    line->operands[0].reg.value != ZYDIS_REGISTER_RBP)
		return;
	w->has_frame = true;
	w->frame = w->depth;
}

static void apply(struct walk *w, const struct line *line)
{
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
		if (effects[i].mnemonic == line->in.mnemonic) {
			effects[i].apply(w, line);
			return;
		}
	}
	end(w);
}

static void step(struct walk *w, const struct line *line)
{
	note_operands(w, line);
	note_frame(w, line);
	w->at += line->in.length;
	if (line->in.mnemonic == ZYDIS_MNEMONIC_JMP)
		do_jump(w, line);
	else if (line->in.meta.category == ZYDIS_CATEGORY_CALL)
		do_call(w, line);
	else if (line->in.meta.category == ZYDIS_CATEGORY_RET)
		end(w);
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

bool rarog_return_slot_used(const struct rarog_code_map *map, uint64_t entry)
{
	struct walk w = { .map = map, .at = entry };
	ZydisDecoder decoder;
	struct line line;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 0; i < RAROG_RETURN_SLOT_REACH && !w.used && !w.ended; i++) {
		if (!read_line(map->binary, &decoder, w.at, &line))
			break;
		step(&w, &line);
	}
	if (!w.ended)
		end(&w);
	return w.used;
}
