/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the entry on, instructions are stepped over that can neither fault nor branch nor move the
 * stack pointer, as long as nothing else in the binary leads to what follows (code-map.h errs on
 * the side of yes). So every call of the function comes by, once, with the stack as the CALL left
 * it. The first instruction that the kernel works out
 * ends the search; if none comes, the place is the entry.
 *
 * Where none comes so, it is looked for after what may fault as well, and once more after changes
 * of the stack pointer: every call comes by, unless it faults and the fault is never mended.
 *
 * What is worked out: arch/x86/kernel/uprobes.c of Linux, branch_setup_xol_ops() and
 * push_setup_xol_ops(); one nop of five bytes becomes a call in later kernels and is single-stepped
 * in others, which costs time and nothing else.
 */
#include "binary/probe-place.h"

#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "base/error.h"
#include "binary/code-map.h"
#include "binary/instruction.h"
#include "binary/probe-step.h"
#include "binary/return-slot.h"

#define REACH      UINT8_MAX /* bytes from the entry at most */
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

static bool is_long_nop(size_t n, const uint8_t *code)
{
	return n > 4 && code[0] == 0x0f && code[1] == 0x1f && code[2] == 0x44;
}

static bool is_nop(size_t n, const uint8_t *code)
{
	return code[0] == 0x90 || is_long_nop(n, code);
}

/* Is the instruction at code[0 … n-1] one that kernels work out? */
static bool is_quick(size_t n, const uint8_t code[n])
{
	return n > 0 && (is_push(n, code) || is_branch(n, code) || is_nop(n, code));
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

/* The nop of five bytes becomes a call, which writes below the stack pointer. At the entry nothing
 * is there yet. */
static bool is_quick_behind(const struct place_walk *w, const struct rarog_probe_step *step,
			    size_t at)
{
	const uint8_t *code = w->bytes + at;
	size_t n = w->available - at;

	return is_quick(n, code) && !(step->has_stored && is_long_nop(n, code));
}

/* After @from, which is 0 or where the program's own nops end. -1: there is none */
static int find_quick(const struct place_walk *w, size_t from, struct rarog_probe_step *step)
{
	size_t end = w->function->size < w->available ? w->function->size : w->available;

	for (size_t at = 0, n; at < end && at < REACH; at += n) {
		if (at > 0 && is_entered_at(w, at))
			break;
		if (at > 0 && !(step->liberties & RAROG_PROBE_STACK) && !is_cfa_proven(w, at))
			break;
		if (at >= from && is_quick_behind(w, step, at))
			return (int)at;
		n = rarog_probe_step(step, w->available - at, w->bytes + at,
				     w->function->address + at);
		if (n == 0)
			break;
	}
	return -1;
}

/* 0: none; none either where the table of nops is read, which is rare. */
static uint8_t find_with(const struct place_walk *w, unsigned liberties)
{
	struct rarog_probe_step step = { .binary = w->map->binary,
					 .decoder = w->decoder,
					 .liberties = liberties };
	int at = find_quick(w, 0, &step);

	return at > 0 ? (uint8_t)at : 0;
}

static void find_places(const struct place_walk *w, size_t from, struct rarog_probe_place *place)
{
	struct rarog_probe_step step = { .binary = w->map->binary, .decoder = w->decoder };
	int at = find_quick(w, from, &step);

	if (at >= 0) {
		place->offset = (uint8_t)at;
		place->written = step.written;
		place->is_quick = true;
	} else if (from == 0) {
		place->if_told = find_with(w, RAROG_PROBE_FAULTS);
		place->if_counted = find_with(w, RAROG_PROBE_FAULTS | RAROG_PROBE_STACK);
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

/* insn_is_prefix_bad() of arch/x86/kernel/uprobes.c: lock, and segments that mean nothing (hints
 * for branches, longer nops); what traps is for debuggers, and a system call is left in its place.
 */
static bool is_allowed(size_t n, const uint8_t code[n])
{
	static const uint8_t refused[] = { 0xf0, 0x26, 0x2e, 0x36, 0x3e };
	struct place_walk w = { .bytes = code, .available = n };
	struct rarog_instruction in;

	ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!is_steppable(&w) || !rarog_instruction_decode(n, code, 0, &in) ||
	    in.flow == RAROG_FLOW_SYSTEM || in.flow == RAROG_FLOW_BREAK ||
	    in.flow == RAROG_FLOW_STOP)
		return false;
	for (size_t i = 0; i < in.opcode_offset; i++)
		if (memchr(refused, code[i], sizeof(refused)))
			return false;
	return true;
}

/* The nop of five bytes becomes a call, which may write over variables of a leaf function. */
enum rarog_probe_kind rarog_probe_kind(size_t n, const uint8_t code[n])
{
	if (n == 0 || is_long_nop(n, code) || !is_allowed(n, code))
		return RAROG_PROBE_REFUSED;
	return is_quick(n, code) ? RAROG_PROBE_QUICK : RAROG_PROBE_STEPPED;
}

enum rarog_probe_kind rarog_probe_kind_at(const struct rarog_binary *binary, uint64_t address)
{
	size_t n = RAROG_INSTRUCTION_MAX;
	const uint8_t *code;

	do /* near the segment's end there are fewer */
		code = rarog_binary_bytes(binary, address, n);
	while (!code && --n > 0);
	return code ? rarog_probe_kind(n, code) : RAROG_PROBE_REFUSED;
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
	find_places(&w, sled, &place);
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
