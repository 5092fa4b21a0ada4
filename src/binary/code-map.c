/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bitmaps, and the order in which they are filled. A region is contiguous code of one segment;
 * there are three in practice: .init, .text, .fini.
 */
#include "binary/code-map.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"

const struct rarog_code_region *rarog_code_region_of(const struct rarog_code_map *map,
						     uint64_t address)
{
	/* the first that starts behind address */
	size_t low = rarog_lower_bound(i, map->regions.n, map->regions.v[i].start <= address);

	if (low == 0 || address - map->regions.v[low - 1].start >= map->regions.v[low - 1].size)
		return NULL;
	return &map->regions.v[low - 1];
}

static void set_bit(uint64_t *bits, uint64_t at)
{
	bits[at / 64] |= 1ull << at % 64;
}

void rarog_code_reach(struct rarog_code_map *map, uint64_t address, enum rarog_reach kind)
{
	const struct rarog_code_region *region = rarog_code_region_of(map, address);

	if (!region)
		return;
	set_bit(region->bits[kind], address - region->start);
	if (kind != RAROG_REACH_WRITTEN)
		set_bit(region->bits[RAROG_REACH_ANY], address - region->start);
}

bool rarog_code_reached(const struct rarog_code_map *map, uint64_t address, size_t n,
			enum rarog_reach kind)
{
	const struct rarog_code_region *region = rarog_code_region_of(map, address);

	if (!region)
		return false;
	uint64_t at = address - region->start;
	uint64_t end = n < region->size - at ? at + n : region->size;
	for (; at < end; at++) {
		if (region->bits[kind][at / 64] >> at % 64 & 1)
			return true;
	}
	return false;
}

uint32_t rarog_code_function(const struct rarog_code_map *map, uint64_t address)
{
	size_t low = rarog_lower_bound(i, map->n_functions, map->functions[i].address <= address);

	return low ? (uint32_t)(low - 1) : UINT32_MAX;
}

static int make_bits(struct rarog_code_region *region)
{
	size_t words = region->size / 64 + 1;
	uint64_t *bits = calloc(words * RAROG_REACH_KINDS, sizeof(*bits));

	if (!bits)
		return rarog_oom();
	for (int kind = 0; kind < RAROG_REACH_KINDS; kind++)
		region->bits[kind] = bits + words * (size_t)kind;
	return 0;
}

static int add_region(struct rarog_code_map *map, const struct rarog_code_range *range)
{
	struct rarog_code_region region = { .start = range->start };
	size_t in_file = 0;

	region.bytes = rarog_elf_bytes(map->binary->elf, range->start, &in_file);
	if (!region.bytes)
		return 0;
	region.size = range->end - range->start < in_file ? range->end - range->start : in_file;
	int r = make_bits(&region);
	if (r < 0)
		return r;
	r = rarog_vec_push(&map->regions, region);
	if (r < 0)
		free(region.bits[0]);
	return r;
}

static int find_regions(struct rarog_code_map *map)
{
	const struct rarog_code_ranges *code = &map->binary->code;
	uint64_t sum = 0;
	int r = 0;

	for (size_t i = 0; i < code->n && r == 0; i++) {
		sum += code->v[i].end - code->v[i].start;
		if (sum > RAROG_CODE_MAX)
			return rarog_fail(-EFBIG, "%s: more than 1 GiB of code",
					  rarog_binary_path(map->binary));
		r = add_region(map, &code->v[i]);
	}
	return r;
}

int rarog_code_map_init(struct rarog_code_map *map, const struct rarog_binary *binary)
{
	static int (*const parts[])(struct rarog_code_map * map) = {
		find_regions,    rarog_code_sweep,   rarog_code_tables,
		rarog_code_data, rarog_code_landing,
	};

	*map = (struct rarog_code_map){ .binary = binary };
	map->n_functions = rarog_binary_functions(binary, &map->functions);
	for (size_t i = 0; i < RAROG_COUNT(parts); i++) {
		int r = parts[i](map);

		if (r < 0)
			return r;
	}
	return 0;
}

void rarog_code_map_release(struct rarog_code_map *map)
{
	for (size_t i = 0; i < map->regions.n; i++)
		free(map->regions.v[i].bits[0]);
	rarog_vec_release(&map->regions);
	rarog_vec_release(&map->bases);
	rarog_vec_release(&map->exits);
	rarog_vec_release(&map->links);
}
