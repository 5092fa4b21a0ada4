/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gcc and clang put the place to patch after endbr64, and with -fpatchable-function-entry=N,M the
 * first M of N nops before the entry; how many is written nowhere. So the entry is the first place
 * around the sled that is otherwise known as one: by a symbol, an FDE, or a direct call. Where
 * nothing is known (stripped, without unwind information, called through pointers only), nops are
 * taken to begin at the entry, as they do unless M was asked for.
 *
 * Invariant: an entry lies in code and not in the middle of a function that is known otherwise, so
 * a damaged table cannot cut functions to pieces.
 */
#include "binary/sled-entries.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/vec.h"
#include "binary/cold-parts.h"
#include "binary/instruction.h"

struct finder {
	const struct rarog_elf *elf;
	const struct rarog_eh_frame *frame;
	const struct rarog_code_ranges *code;
	struct rarog_text_pool *texts;
	struct rarog_symbols *symbols;
	size_t n_symbols; /* those that were there before */
	struct rarog_cold_parts calls;
	bool has_calls; /* were they read? */
};

bool rarog_is_endbr(size_t n, const uint8_t *code)
{
	static const uint8_t endbr[RAROG_ENDBR_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa };

	return n >= sizeof(endbr) && memcmp(code, endbr, sizeof(endbr)) == 0;
}

/* --- what is known of an address --- */

/* The last symbol at or below @address; -1: none. */
static long symbol_below(const struct finder *f, uint64_t address)
{
	size_t low = rarog_lower_bound(i, f->n_symbols, f->symbols->v[i].address <= address);

	return (long)low - 1;
}

static bool has_symbol(const struct finder *f, uint64_t address)
{
	long i = symbol_below(f, address);

	/* names without a type stand after the others of one address */
	while (i >= 0 && f->symbols->v[i].address == address && f->symbols->v[i].type == STT_NOTYPE)
		i--;
	return i >= 0 && f->symbols->v[i].address == address;
}

static bool has_fde(const struct finder *f, uint64_t address)
{
	const struct rarog_fde *fde = rarog_eh_frame_find(f->frame, address);

	return fde && fde->start == address;
}

static bool is_inside(const struct finder *f, uint64_t address)
{
	const struct rarog_fde *fde = rarog_eh_frame_find(f->frame, address);
	long i = symbol_below(f, address);
	const struct rarog_symbol *s = i < 0 ? NULL : &f->symbols->v[i];

	return (fde && fde->start != address) ||
	       (s && s->address != address && address - s->address < s->size);
}

/* Return: 1, 0, -ENOMEM. */
static int is_called(struct finder *f, uint64_t address)
{
	if (!f->has_calls) {
		int r = rarog_cold_parts_read(f->elf, f->code, &f->calls);

		if (r < 0)
			return r;
		f->has_calls = true;
	}
	return rarog_cold_parts_called(&f->calls, address);
}

static bool is_known(const struct finder *f, uint64_t address)
{
	return has_symbol(f, address) || has_fde(f, address);
}

/* --- the entry of a sled --- */

static bool endbr_before(const struct finder *f, uint64_t address)
{
	size_t n = 0;
	const uint8_t *code = rarog_elf_bytes(f->elf, address - RAROG_ENDBR_SIZE, &n);

	return code && rarog_code_ranges_find(f->code, address - RAROG_ENDBR_SIZE) &&
	       rarog_is_endbr(n, code);
}

/* The nops from @address on: places where the entry may be, the last after them. */
static size_t nop_places(const struct finder *f, uint64_t address, size_t most, uint64_t places[])
{
	size_t n = 0, n_code = 0, at = 0;
	const uint8_t *code = rarog_elf_bytes(f->elf, address, &n_code);
	struct rarog_instruction in;

	while (n < most) {
		places[n++] = address + at;
		if (!code || at > RAROG_SLED_REACH ||
		    !rarog_instruction_decode(n_code - at, code + at, address + at, &in) ||
		    in.flow != RAROG_FLOW_NOP || rarog_is_endbr(n_code - at, code + at))
			break;
		at += in.length;
	}
	return n;
}

/* The first of @n places that something else tells to be an entry; 0: none.
 * Return: 0, -ENOMEM. */
static int choose(struct finder *f, size_t n, const uint64_t places[], uint64_t *ret_entry)
{
	*ret_entry = 0;
	for (size_t i = 0; i < n; i++)
		if (is_known(f, places[i])) {
			*ret_entry = places[i];
			return 0;
		}
	for (size_t i = 0; i < n; i++) {
		int called = is_called(f, places[i]);

		if (called < 0)
			return called;
		if (called && !is_inside(f, places[i])) {
			*ret_entry = places[i];
			return 0;
		}
	}
	return 0;
}

static int entry_of_nops(struct finder *f, struct rarog_sled *sled)
{
	uint64_t places[RAROG_SLED_REACH + 2];
	size_t n = 0, n_code = 0;
	uint64_t last;
	const uint8_t *code;
	bool behind_endbr = endbr_before(f, sled->address);

	if (behind_endbr)
		places[n++] = sled->address - RAROG_ENDBR_SIZE;
	n += nop_places(f, sled->address, RAROG_COUNT(places) - n, places + n);
	int r = choose(f, n, places, &sled->entry);

	if (r < 0 || sled->entry)
		return r;
	last = places[n - 1];
	code = rarog_elf_bytes(f->elf, last, &n_code);
	if (!behind_endbr && code && rarog_is_endbr(n_code, code))
		sled->entry = last;
	else
		sled->entry = places[0];
	return 0;
}

/* Without -mfentry the call stands after the prologue. */
static int entry_of_mcount(struct finder *f, struct rarog_sled *sled)
{
	uint64_t places[2];
	size_t n = 0;

	if (endbr_before(f, sled->address))
		places[n++] = sled->address - RAROG_ENDBR_SIZE;
	places[n++] = sled->address;
	return choose(f, n, places, &sled->entry);
}

static int find_entry(struct finder *f, struct rarog_sled *sled)
{
	int r = 0;

	if (sled->kind == RAROG_SLED_NOPS)
		r = entry_of_nops(f, sled);
	else if (sled->kind == RAROG_SLED_MCOUNT)
		r = entry_of_mcount(f, sled);
	if (sled->entry && is_inside(f, sled->entry) && !has_symbol(f, sled->entry))
		sled->entry = 0;
	return r;
}

/* --- functions that nothing else names --- */

static int add_symbol(struct finder *f, uint64_t address)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "fn_%" PRIx64, address);
	const char *name = rarog_text_pool_add(f->texts, (size_t)length, text);

	if (!name)
		return rarog_oom();
	return rarog_vec_push(f->symbols, (struct rarog_symbol){ .address = address,
								 .name = name,
								 .type = STT_FUNC,
								 .binding = STB_LOCAL,
								 .is_made_up = true }) < 0
		       ? rarog_oom()
		       : 0;
}

static int find_all(struct finder *f, struct rarog_sleds *sleds)
{
	uint64_t last = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < sleds->n; i++) {
		struct rarog_sled *sled = &sleds->v[i];

		if (sled->kind == RAROG_SLED_XRAY)
			continue;
		r = find_entry(f, sled);
		if (r < 0 || !sled->entry || sled->entry <= last || has_symbol(f, sled->entry))
			continue;
		last = sled->entry;
		r = add_symbol(f, last);
	}
	return r;
}

long rarog_sled_entries(const struct rarog_elf *elf, const struct rarog_eh_frame *frame,
			const struct rarog_code_ranges *code, struct rarog_text_pool *texts,
			struct rarog_symbols *symbols, struct rarog_sleds *sleds)
{
	struct finder f = { .elf = elf,
			    .frame = frame,
			    .code = code,
			    .texts = texts,
			    .symbols = symbols,
			    .n_symbols = symbols->n };
	int r = find_all(&f, sleds);

	rarog_cold_parts_release(&f.calls);
	return r < 0 ? r : (long)(symbols->n - f.n_symbols);
}
