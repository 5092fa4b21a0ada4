/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Landing pads: where an exception continues. An FDE names the language-specific data (LSDA) of its
 * function; there the call-site table lists the pads:
 *
 *   u8 encoding, base of the pads   (omitted: the function's start)
 *   u8 encoding, type table         (omitted: none)
 *   u8 encoding, size of the call sites, then { start, length, pad, action } each
 *
 * The personalities of C++, C, Rust and Ada share this table; data in another form only yields
 * marks that mean nothing.
 *
 * References: Itanium C++ ABI "Exception Handling Tables"; LSB 5, 10.6 (pointer encodings).
 */
#include <dwarf.h>

#include "binary/code-map.h"

#define APPLICATION 0x70 /* bits of an encoding: what a pointer is relative to */

static void note_pad(struct rarog_code_map *map, uint64_t address)
{
	rarog_code_reach(map, address, RAROG_REACH_TAKEN);
	rarog_code_reach(map, address, RAROG_REACH_PAD);
}

static uint64_t read_base(struct rarog_cursor *c, uint64_t address, uint64_t function)
{
	const uint8_t *start = c->at;
	uint8_t encoding = (uint8_t)rarog_cursor_uint(c, 1);

	if (encoding == DW_EH_PE_omit)
		return function;
	uint64_t here = address + (uint64_t)(c->at - start);
	uint64_t base = rarog_eh_number(c, encoding);
	return (encoding & APPLICATION) == DW_EH_PE_pcrel ? here + base : base;
}

static void read_call_sites(struct rarog_code_map *map, struct rarog_cursor c, uint8_t encoding,
			    uint64_t base)
{
	while (c.at < c.end) {
		rarog_eh_number(&c, encoding); /* start */
		rarog_eh_number(&c, encoding); /* length */
		uint64_t pad = rarog_eh_number(&c, encoding);

		rarog_cursor_leb(&c, false); /* action */
		if (pad && !c.failed)
			note_pad(map, base + pad);
	}
}

/* @budget: bytes still to be read; real tables do not overlap, hostile ones may. */
static void read_lsda(struct rarog_code_map *map, const struct rarog_fde *fde, size_t *budget)
{
	size_t n = 0;
	const uint8_t *bytes = rarog_elf_bytes(map->binary->elf, fde->lsda, &n);

	if (!bytes)
		return;
	struct rarog_cursor c = { bytes, bytes + n, false };
	uint64_t base = read_base(&c, fde->lsda, fde->start);

	if ((uint8_t)rarog_cursor_uint(&c, 1) != DW_EH_PE_omit)
		rarog_cursor_leb(&c, false); /* distance to the type table's end */
	uint8_t encoding = (uint8_t)rarog_cursor_uint(&c, 1);
	uint64_t size = rarog_cursor_leb(&c, false);

	if (c.failed || size > (uint64_t)(c.end - c.at) || size > *budget)
		return;
	*budget -= size;
	c.end = c.at + size;
	read_call_sites(map, c, encoding, base);
}

int rarog_code_landing(struct rarog_code_map *map)
{
	const struct rarog_eh_frame *frame = &map->binary->frame;
	size_t budget = map->binary->elf->size;

	for (size_t i = 0; i < frame->n; i++) {
		if (frame->v[i].lsda)
			read_lsda(map, &frame->v[i], &budget);
	}
	return 0;
}
