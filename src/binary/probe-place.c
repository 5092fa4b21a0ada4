/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the entry on, instructions are stepped over that can neither fault nor branch nor move the
 * stack pointer, as long as nothing else in the binary leads to what follows (code-map.h errs on
 * the side of yes). So whoever enters the function comes by, once, with the stack as the CALL left
 * it. The first instruction that the kernel works out
 * ends the search; if none comes, the place is the entry.
 *
 * What is worked out: arch/x86/kernel/uprobes.c of Linux, branch_setup_xol_ops() and
 * push_setup_xol_ops(); one nop of five bytes becomes a call in later kernels and is single-stepped
 * in others, which costs time and nothing else.
 */
#include "binary/probe-place.h"

#include <stdlib.h>

#include <Zydis/Zydis.h>

#include "base/error.h"
#include "binary/code-map.h"
#include "binary/return-slot.h"

#define REACH      96 /* bytes from the entry at most */
#define ENDBR_SIZE 4

struct place_walk {
	const struct rarog_code_map *map;
	const struct rarog_function *function;
	const uint8_t *bytes; /* at the entry */
	size_t available;
	ZydisDecoder decoder;
};

/* --- instructions that kernels work out --- */

static bool is_push(size_t n, const uint8_t *code)
{
	size_t at = code[0] == 0x41; /* r8 … r15 */

	return at < n && (code[at] & 0xf8) == 0x50;
}

static bool is_branch(size_t n, const uint8_t *code)
{
	return code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb || (code[0] & 0xf0) == 0x70 ||
	       (n > 1 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80);
}

static bool is_nop(size_t n, const uint8_t *code)
{
	return code[0] == 0x90 || (n > 4 && code[0] == 0x0f && code[1] == 0x1f && code[2] == 0x44);
}

bool rarog_probe_is_quick(size_t n, const uint8_t code[n])
{
	return n > 0 && (is_push(n, code) || is_branch(n, code) || is_nop(n, code));
}

/* --- instructions that are stepped over --- */

/* They do what they say, whatever their operands are. */
static const ZydisMnemonic harmless[] = {
	ZYDIS_MNEMONIC_MOV,          ZYDIS_MNEMONIC_MOVZX,        ZYDIS_MNEMONIC_MOVSX,
	ZYDIS_MNEMONIC_MOVSXD,       ZYDIS_MNEMONIC_LEA,          ZYDIS_MNEMONIC_XOR,
	ZYDIS_MNEMONIC_OR,           ZYDIS_MNEMONIC_AND,          ZYDIS_MNEMONIC_ADD,
	ZYDIS_MNEMONIC_SUB,          ZYDIS_MNEMONIC_CMP,          ZYDIS_MNEMONIC_TEST,
	ZYDIS_MNEMONIC_NOT,          ZYDIS_MNEMONIC_NEG,          ZYDIS_MNEMONIC_INC,
	ZYDIS_MNEMONIC_DEC,          ZYDIS_MNEMONIC_SHL,          ZYDIS_MNEMONIC_SHR,
	ZYDIS_MNEMONIC_SAR,          ZYDIS_MNEMONIC_ROL,          ZYDIS_MNEMONIC_ROR,
	ZYDIS_MNEMONIC_IMUL,         ZYDIS_MNEMONIC_BT,           ZYDIS_MNEMONIC_CMOVZ,
	ZYDIS_MNEMONIC_CMOVNZ,       ZYDIS_MNEMONIC_CMOVB,        ZYDIS_MNEMONIC_CMOVNB,
	ZYDIS_MNEMONIC_CMOVBE,       ZYDIS_MNEMONIC_CMOVNBE,      ZYDIS_MNEMONIC_CMOVL,
	ZYDIS_MNEMONIC_CMOVNL,       ZYDIS_MNEMONIC_CMOVLE,       ZYDIS_MNEMONIC_CMOVNLE,
	ZYDIS_MNEMONIC_CMOVS,        ZYDIS_MNEMONIC_CMOVNS,       ZYDIS_MNEMONIC_SETZ,
	ZYDIS_MNEMONIC_SETNZ,        ZYDIS_MNEMONIC_SETB,         ZYDIS_MNEMONIC_SETNB,
	ZYDIS_MNEMONIC_SETBE,        ZYDIS_MNEMONIC_SETNBE,       ZYDIS_MNEMONIC_SETL,
	ZYDIS_MNEMONIC_SETNL,        ZYDIS_MNEMONIC_SETLE,        ZYDIS_MNEMONIC_SETNLE,
	ZYDIS_MNEMONIC_CDQ,          ZYDIS_MNEMONIC_CDQE,         ZYDIS_MNEMONIC_CQO,
	ZYDIS_MNEMONIC_CWDE,         ZYDIS_MNEMONIC_BSWAP,        ZYDIS_MNEMONIC_PXOR,
	ZYDIS_MNEMONIC_XORPS,        ZYDIS_MNEMONIC_XORPD,        ZYDIS_MNEMONIC_MOVAPS,
	ZYDIS_MNEMONIC_MOVAPD,       ZYDIS_MNEMONIC_MOVDQA,       ZYDIS_MNEMONIC_MOVD,
	ZYDIS_MNEMONIC_VPBROADCASTB, ZYDIS_MNEMONIC_VPBROADCASTD, ZYDIS_MNEMONIC_VMOVD,
	ZYDIS_MNEMONIC_VMOVQ,        ZYDIS_MNEMONIC_VPXOR,        ZYDIS_MNEMONIC_VPXORQ,
	ZYDIS_MNEMONIC_VXORPS,       ZYDIS_MNEMONIC_MOVQ,         ZYDIS_MNEMONIC_NOP,
	ZYDIS_MNEMONIC_ENDBR64,
};

static bool is_harmless(ZydisMnemonic mnemonic)
{
	for (size_t i = 0; i < RAROG_COUNT(harmless); i++)
		if (harmless[i] == mnemonic)
			return true;
	return false;
}

/* A variable of the binary's own: it is there for as long as the code is. */
static bool is_own_data(const struct place_walk *w, uint64_t address, uint64_t size)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(w->map->binary, &segments);

	for (size_t i = 0; i < n; i++)
		if (address >= segments[i].vaddr && size <= segments[i].file_size &&
		    address - segments[i].vaddr <= segments[i].file_size - size)
			return true;
	return false;
}

static bool is_safe_memory(const struct place_walk *w, const ZydisDecodedInstruction *in,
			   const ZydisDecodedOperand *operand, uint64_t at)
{
	uint64_t next = at + in->length;

	if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN || in->mnemonic == ZYDIS_MNEMONIC_NOP)
		return true;
	return operand->mem.base == ZYDIS_REGISTER_RIP &&
	       operand->mem.segment != ZYDIS_REGISTER_FS &&
	       operand->mem.segment != ZYDIS_REGISTER_GS &&
	       !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
	       is_own_data(w, next + (uint64_t)operand->mem.disp.value, operand->size / 8);
}

static bool is_stack_pointer_written(const ZydisDecodedOperand *operand)
{
	return operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
	       ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value) ==
		       ZYDIS_REGISTER_RSP;
}

static bool is_safe_operand(const struct place_walk *w, const ZydisDecodedInstruction *in,
			    const ZydisDecodedOperand *operand, uint64_t at)
{
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_MEMORY:
		return is_safe_memory(w, in, operand, at);
	case ZYDIS_OPERAND_TYPE_REGISTER:
		return !is_stack_pointer_written(operand);
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return true;
	default:
		return false;
	}
}

/* The bit of a register that passes an argument, as value-path.h numbers them; 0: passes none. */
static uint8_t argument_bit(ZydisRegister reg)
{
	static const ZydisRegister passing[] = { ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI,
						 ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RCX,
						 ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9 };
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	for (size_t i = 0; i < RAROG_COUNT(passing); i++)
		if (passing[i] == whole)
			return (uint8_t)(1u << i);
	return 0;
}

/* Length of the instruction at @offset if it may be stepped over, else 0. @written: gets the
 * registers that it changes */
static size_t step_over(const struct place_walk *w, size_t offset, uint8_t *written)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&w->decoder, w->bytes + offset,
						 w->available - offset, &in, operands)) ||
	    !is_harmless(in.mnemonic))
		return 0;
	for (size_t i = 0; i < in.operand_count; i++) {
		if (!is_safe_operand(w, &in, &operands[i], w->function->address + offset))
			return 0;
		if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			*written |= argument_bit(operands[i].reg.value);
	}
	return in.length;
}

static bool is_entered_at(const struct place_walk *w, size_t offset)
{
	return rarog_code_reached(w->map, w->function->address + 1, offset, RAROG_REACH_ANY);
}

/* --- a function --- */

static bool is_cfa_proven(const struct place_walk *w, size_t offset)
{
	const struct rarog_eh_frame *frame = &w->map->binary->frame;
	uint64_t at = w->function->address + offset;
	const struct rarog_fde *fde = rarog_eh_frame_find(frame, at);

	return !fde || rarog_eh_frame_is_entry(frame, fde, at);
}

/* Behind @from, which is 0 or where the program's own nops end. */
static void find_quick(const struct place_walk *w, size_t from, struct rarog_probe_place *place)
{
	size_t end = w->function->size < w->available ? w->function->size : w->available;
	uint8_t written = 0;

	for (size_t at = 0, n; at < end && at < REACH; at += n) {
		if (at > 0 && (is_entered_at(w, at) || !is_cfa_proven(w, at)))
			break;
		if (at >= from && rarog_probe_is_quick(w->available - at, w->bytes + at)) {
			place->offset = (uint8_t)at;
			place->written = written;
			place->is_quick = true;
			return;
		}
		n = step_over(w, at, &written);
		if (n == 0)
			break;
	}
}

/* Kernels copy the instruction elsewhere to step through it. Of those with EVEX prefixes (AVX-512)
 * some do nothing there: seen on Linux 6.18, so none of the newer encodings is left to it. */
static bool is_steppable(const struct place_walk *w)
{
	ZydisDecodedInstruction in;

	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&w->decoder, NULL, w->bytes, w->available,
							  &in)) &&
	       in.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

/* Does the program have a table of its own with nops of @function in it? */
static bool has_sled(const struct rarog_code_map *map, const struct rarog_function *function)
{
	const struct rarog_sleds *sleds = &map->binary->sleds;
	size_t i = rarog_sleds_behind(sleds, function->address - RAROG_SLED_REACH);

	for (; i < sleds->n && sleds->v[i].address <= function->address + ENDBR_SIZE; i++)
		if (sleds->v[i].entry == function->address)
			return true;
	return false;
}

/* A program that reads such a table looks at these bytes, or writes to them: where they end. */
static size_t sled_end(const struct place_walk *w)
{
	size_t at = 0;
	ZydisDecodedInstruction in;

	if (!w->map->reads_sleds || !has_sled(w->map, w->function))
		return 0;
	while (at < w->available &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&w->decoder, NULL, w->bytes + at,
							  w->available - at, &in)) &&
	       (in.mnemonic == ZYDIS_MNEMONIC_NOP || in.mnemonic == ZYDIS_MNEMONIC_ENDBR64))
		at += in.length;
	return at;
}

/* What keeps a jump from being written keeps no breakpoint away. */
static uint8_t verdict_of(const struct rarog_code_map *map, const struct rarog_function *function,
			  uint8_t site)
{
	switch (site) {
	case RAROG_SITE_SHORT:
	case RAROG_SITE_TARGET:
	case RAROG_SITE_RELOCATE:
	case RAROG_SITE_FLAGS:
	case RAROG_SITE_RETURN:
	case RAROG_SITE_SLED:
	case RAROG_SITE_OK:
		break;
	default:
		return site;
	}
	return rarog_code_reached(map, function->address, 1, RAROG_REACH_OWN) ? RAROG_SITE_LOOP
									      : RAROG_SITE_OK;
}

static struct rarog_probe_place judge(const struct rarog_code_map *map, size_t index, uint8_t site)
{
	const struct rarog_function *function = &map->functions[index];
	const struct rarog_code_region *region = rarog_code_region_of(map, function->address);
	struct rarog_probe_place place = { .verdict = verdict_of(map, function, site) };
	uint64_t offset = region ? function->address - region->start : 0;
	struct place_walk w = { .map = map, .function = function };
	size_t sled;

	if (!region)
		place.verdict = RAROG_SITE_NOT_ENTRY;
	if (place.verdict != RAROG_SITE_OK)
		return place;
	w.bytes = region->bytes + offset;
	w.available = region->size - offset;
	ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	sled = sled_end(&w);
	find_quick(&w, sled, &place);
	place.may_be_entry = sled == 0 && is_steppable(&w);
	if (!place.is_quick && sled > 0)
		place.verdict = RAROG_SITE_SLED;
	else if (!place.is_quick && !is_steppable(&w))
		place.verdict = RAROG_SITE_RELOCATE;
	place.may_return =
		site != RAROG_SITE_RETURN && !rarog_return_slot_used(map, function->address);
	return place;
}

int rarog_probe_places(const struct rarog_binary *binary, struct rarog_probe_place **ret_places)
{
	rarog_cleanup(rarog_code_map_release) struct rarog_code_map map = { .binary = binary };
	rarog_cleanup(rarog_freep) struct rarog_probe_place *places = NULL;
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;
	int r = rarog_patch_sites(binary, &sites);

	if (r == 0)
		r = rarog_code_map_init(&map, binary);
	if (r < 0)
		return r;
	places = calloc(map.n_functions + 1, sizeof(*places));
	if (!places)
		return rarog_oom();
	for (size_t i = 0; i < map.n_functions; i++)
		places[i] = judge(&map, i, sites[i].verdict);
	*ret_places = rarog_take(places);
	return 0;
}
