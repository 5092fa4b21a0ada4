/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pass makes of a counter `addq $1, m` or `incq m`, of one that was in a register behind its
 * loop `addq r, m`, and without optimisation `movq m, r` and `movq r, m` around an addition. Of
 * counters whose address is in a register (libraries) nothing is seen.
 */
#include "blocks/machine-use.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/instruction.h"

struct finder {
	const struct rarog_binary *binary;
	const struct rarog_map *map;
	const struct rarog_record *record;
	struct rarog_native_uses *uses;
	size_t site; /* the first that is not before the current instruction */
};

/* An immediate operand is last. */
static int32_t immediate(const uint8_t *code, const struct rarog_instruction *in)
{
	int32_t value;

	if (in->opcode == 0x83)
		return (int8_t)code[in->length - 1];
	memcpy(&value, code + in->length - sizeof(value), sizeof(value));
	return value;
}

static enum rarog_use_kind kind_of(const uint8_t *code, const struct rarog_instruction *in,
				   int32_t *ret_factor)
{
	unsigned what = code[in->opcode_offset + 1] >> 3 & 7;
	bool is_wide = in->opcode_offset > 0 && (code[in->opcode_offset - 1] & 0xf8) == 0x48;

	*ret_factor = 1;
	if (!is_wide)
		return RAROG_USE_ODD;
	if ((in->opcode == 0x83 || in->opcode == 0x81) && (what == 0 || what == 5)) {
		*ret_factor = what == 0 ? immediate(code, in) : -immediate(code, in);
		return RAROG_USE_ADD;
	}
	if (in->opcode == 0xff && what == 0)
		return RAROG_USE_ADD;
	if (in->opcode == 0x89)
		return RAROG_USE_ADD;
	*ret_factor = 0;
	if (in->opcode == 0x01)
		return RAROG_USE_SUM;
	return in->opcode == 0x8b ? RAROG_USE_LOAD : RAROG_USE_ODD;
}

/* The number of the function's counter at @address. */
static bool is_own(const struct finder *f, uint64_t address, uint32_t *ret_counter)
{
	uint64_t at = address - f->record->counters;

	*ret_counter = (uint32_t)(at / 8);
	return at % 8 == 0 && at / 8 < f->record->n_counters;
}

static bool is_own_site(const struct finder *f, const struct rarog_site *site,
			uint32_t *ret_counter)
{
	if (!site->is_number)
		return is_own(f, site->counter, ret_counter);
	*ret_counter = (uint32_t)site->counter;
	return site->counter < f->record->n_counters;
}

static int add_use(struct finder *f, uint32_t counter, uint32_t block, enum rarog_use_kind kind,
		   int32_t factor)
{
	return rarog_vec_push(&f->uses->list,
			      (struct rarog_native_use){ counter, block, kind, factor });
}

/* `addq $1, r`; a site that only marks its block has something else. */
static bool adds_one(const uint8_t *code, const struct rarog_instruction *in)
{
	return in->opcode == 0x83 && code[in->opcode_offset + 1] >> 3 == (0xc0 >> 3) &&
	       immediate(code, in) == 1;
}

static int add_sites(struct finder *f, uint32_t block, uint64_t address, const uint8_t *code,
		     const struct rarog_instruction *in)
{
	const struct rarog_map *map = f->map;
	uint32_t counter;
	bool is_counting = false;
	int r = 0;

	while (f->site < map->n_sites && map->sites[f->site].address < address)
		f->site++;
	for (; r == 0 && f->site < map->n_sites && map->sites[f->site].address == address;
	     f->site++)
		if (is_own_site(f, &map->sites[f->site], &counter)) {
			is_counting = adds_one(code, in);
			r = add_use(f, counter, block, RAROG_USE_SITE, 1);
		}
	f->uses->counting[block] += is_counting;
	return r;
}

static int look_at(struct finder *f, uint32_t block, uint64_t address, const uint8_t *code,
		   const struct rarog_instruction *in)
{
	int r = add_sites(f, block, address, code, in);
	uint32_t counter;
	int32_t factor;

	if (r == 0 && in->memory_offset && is_own(f, in->memory, &counter)) {
		enum rarog_use_kind kind = kind_of(code, in, &factor);

		f->uses->counting[block]++;
		r = add_use(f, counter, block, kind, factor);
	}
	/* without position independence the address may be an absolute one */
	if (r == 0 && !in->memory_offset && in->displacement &&
	    is_own(f, in->displacement, &counter)) {
		enum rarog_use_kind kind = kind_of(code, in, &factor);

		f->uses->counting[block]++;
		r = add_use(f, counter, block, kind, factor);
	}
	return r;
}

static int look_through(struct finder *f, uint32_t number,
			const struct rarog_code_graph_block *block)
{
	const uint8_t *code = rarog_binary_bytes(f->binary, block->address, block->size);
	uint32_t at = 0;
	int r = 0;

	while (r == 0 && code && at < block->size) {
		struct rarog_instruction in;

		if (!rarog_instruction_decode(block->size - at, code + at, block->address + at,
					      &in))
			break;
		r = look_at(f, number, block->address + at, code + at, &in);
		at += in.length;
	}
	return r;
}

static size_t first_site(const struct rarog_map *map, uint64_t address)
{
	size_t low = 0, high = map->n_sites;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->sites[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int by_counter(const void *a, const void *b)
{
	const struct rarog_native_use *x = a, *y = b;

	if (x->counter != y->counter)
		return x->counter < y->counter ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

int rarog_native_uses_find(const struct rarog_binary *binary, const struct rarog_map *map,
			   const struct rarog_record *record, const struct rarog_code_graph *graph,
			   struct rarog_native_uses *ret_uses)
{
	struct rarog_native_uses uses = { .counting = calloc(graph->blocks.n + 1,
							     sizeof(*uses.counting)) };
	struct finder f = { .binary = binary, .map = map, .record = record, .uses = &uses };
	int r = uses.counting ? 0 : -ENOMEM;

	f.site = first_site(map, graph->blocks.v[0].address);
	for (uint32_t i = 0; r == 0 && i < graph->blocks.n; i++)
		r = look_through(&f, i, &graph->blocks.v[i]);
	if (r < 0) {
		rarog_native_uses_release(&uses);
		return rarog_oom();
	}
	if (uses.list.n > 0)
		qsort(uses.list.v, uses.list.n, sizeof(*uses.list.v), by_counter);
	*ret_uses = uses;
	return 0;
}

void rarog_native_uses_release(struct rarog_native_uses *uses)
{
	rarog_vec_release(&uses->list);
	free(uses->counting);
	uses->counting = NULL;
}
