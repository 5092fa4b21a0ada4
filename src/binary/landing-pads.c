/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An FDE names the language-specific data (LSDA) of its function; there the call-site table lists
 * the pads:
 *
 *   u8 encoding, base of the pads   (omitted: the function's start)
 *   u8 encoding, type table         (omitted: none)
 *   u8 encoding, size of the call sites, then { start, length, pad, action } each
 *   actions { filter, distance to the next one }, by call sites' "action", from 1
 *   types, the first one last; after them lists of numbers of types
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

bool rarog_lsda_open(const struct rarog_elf *elf, const struct rarog_fde *fde,
		     struct rarog_lsda *ret_lsda)
{
	struct rarog_lsda lsda = { .elf = elf, .start = fde->start };
	size_t n = 0;
	const uint8_t *bytes = fde->lsda ? rarog_elf_bytes(elf, fde->lsda, &n) : NULL;

	if (!bytes)
		return false;
	struct rarog_cursor c = { bytes, bytes + n, false };
	lsda.base = read_base(&c, fde->lsda, fde->start);
	lsda.type_encoding = (uint8_t)rarog_cursor_uint(&c, 1);
	if (lsda.type_encoding != DW_EH_PE_omit) {
		uint64_t distance = rarog_cursor_leb(&c, false);

		lsda.types = fde->lsda + (uint64_t)(c.at - bytes) + distance;
	}
	lsda.encoding = (uint8_t)rarog_cursor_uint(&c, 1);
	uint64_t size = rarog_cursor_leb(&c, false);

	if (c.failed || size > (uint64_t)(c.end - c.at))
		return false;
	lsda.end = c.end;
	lsda.actions = c.end = c.at + size;
	lsda.sites = c;
	*ret_lsda = lsda;
	return true;
}

bool rarog_lsda_next(struct rarog_lsda *lsda, struct rarog_call_site *ret_site)
{
	struct rarog_cursor *c = &lsda->sites;
	struct rarog_call_site site = { 0 };

	if (c->at >= c->end)
		return false;
	site.start = lsda->start + rarog_eh_number(c, lsda->encoding);
	site.end = site.start + rarog_eh_number(c, lsda->encoding);
	site.pad = rarog_eh_number(c, lsda->encoding);
	site.pad += site.pad ? lsda->base : 0;
	site.action = rarog_cursor_leb(c, false);
	*ret_site = site;
	return !c->failed;
}

uint64_t rarog_lsda_action(const struct rarog_lsda *lsda, uint64_t number, int64_t *ret_filter)
{
	struct rarog_cursor c = { lsda->actions, lsda->end, false };
	const uint8_t *at;
	int64_t next;

	*ret_filter = 0;
	if (number == 0)
		return 0;
	rarog_cursor_skip(&c, number - 1);
	*ret_filter = (int64_t)rarog_cursor_leb(&c, true);
	at = c.at;
	next = (int64_t)rarog_cursor_leb(&c, true);
	return c.failed || next == 0 ? 0 : (uint64_t)(at - lsda->actions + 1 + next);
}

/* A cursor on the bytes at @address; false: there are none. */
static bool read_at(const struct rarog_lsda *lsda, uint64_t address, struct rarog_cursor *ret_c)
{
	size_t n = 0;
	const uint8_t *bytes = lsda->types ? rarog_elf_bytes(lsda->elf, address, &n) : NULL;

	if (bytes)
		*ret_c = (struct rarog_cursor){ bytes, bytes + n, false };
	return bytes;
}

uint64_t rarog_lsda_type(const struct rarog_lsda *lsda, uint64_t number, bool *ret_is_word)
{
	static const uint8_t widths[16] = {
		[DW_EH_PE_absptr] = 8, [DW_EH_PE_udata2] = 2, [DW_EH_PE_udata4] = 4,
		[DW_EH_PE_udata8] = 8, [DW_EH_PE_sdata2] = 2, [DW_EH_PE_sdata4] = 4,
		[DW_EH_PE_sdata8] = 8
	};
	uint64_t address = lsda->types - number * widths[lsda->type_encoding & 0x0f];
	struct rarog_cursor c;
	uint64_t value = read_at(lsda, address, &c) ? rarog_eh_number(&c, lsda->type_encoding) : 0;

	*ret_is_word = lsda->type_encoding & DW_EH_PE_indirect;
	if (value == 0)
		return 0;
	return (lsda->type_encoding & APPLICATION) == DW_EH_PE_pcrel ? address + value : value;
}

uint64_t rarog_lsda_listed(const struct rarog_lsda *lsda, int64_t filter, size_t *at)
{
	uint64_t address = lsda->types - (uint64_t)filter - 1 + *at, number;
	struct rarog_cursor c;
	const uint8_t *start;

	if (!read_at(lsda, address, &c))
		return 0;
	start = c.at;
	number = rarog_cursor_leb(&c, false);
	*at += (size_t)(c.at - start);
	return c.failed ? 0 : number;
}

void rarog_landing_pads_each(const struct rarog_elf *elf, const struct rarog_fde *fde,
			     size_t *budget, rarog_call_site_take *take, void *user)
{
	struct rarog_call_site site;
	struct rarog_lsda lsda;
	size_t size;

	if (!rarog_lsda_open(elf, fde, &lsda))
		return;
	size = (size_t)(lsda.sites.end - lsda.sites.at);
	if (size > *budget)
		return;
	*budget -= size;
	while (rarog_lsda_next(&lsda, &site))
		if (site.pad)
			take(user, &site);
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
