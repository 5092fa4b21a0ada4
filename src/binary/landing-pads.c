/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An FDE names the language-specific data (LSDA) of its function; there the call-site table lists
 * the pads:
 *
 *   u8 encoding, base of the pads   (omitted: the function's start)
 *   u8 encoding, type table         (omitted: none)
 *   u8 encoding, size of the call sites, then { start, length, pad, action } each
 *
 * The personalities of C++, C, Rust and Ada share this table; data in another form only yields
 * pads that mean nothing.
 *
 * References: Itanium C++ ABI "Exception Handling Tables"; LSB 5, 10.6 (pointer encodings).
 */
#include "binary/landing-pads.h"

#include <dwarf.h>

#include "binary/internal.h"

#define APPLICATION 0x70 /* bits of an encoding: what a pointer is relative to */

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

void rarog_landing_pads_each(const struct rarog_elf *elf, const struct rarog_fde *fde,
			     size_t *budget, rarog_call_site_take *take, void *user)
{
	size_t n = 0;
	const uint8_t *bytes = fde->lsda ? rarog_elf_bytes(elf, fde->lsda, &n) : NULL;

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
	while (c.at < c.end) {
		struct rarog_call_site site = { .start = fde->start +
							 rarog_eh_number(&c, encoding) };

		site.end = site.start + rarog_eh_number(&c, encoding);
		site.pad = rarog_eh_number(&c, encoding);
		rarog_cursor_leb(&c, false); /* action */
		if (site.pad && !c.failed) {
			site.pad += base;
			take(user, &site);
		}
	}
}

struct look {
	uint64_t address, pad;
};

static void look_at(void *user, const struct rarog_call_site *site)
{
	struct look *look = user;

	if (site->start <= look->address && look->address < site->end)
		look->pad = site->pad;
}

uint64_t rarog_landing_pad(const struct rarog_binary *binary, uint64_t address)
{
	const struct rarog_fde *fde = rarog_eh_frame_find(&binary->frame, address);
	struct look look = { .address = address };
	size_t budget = binary->elf->size;

	if (fde)
		rarog_landing_pads_each(binary->elf, fde, &budget, look_at, &look);
	return look.pad;
}
