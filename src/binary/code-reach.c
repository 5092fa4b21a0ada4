/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bitmaps. */
#include "base/lower-bound.h"
#include "binary/code-map.h"

const struct rarog_code_region *rarog_code_region_of(const struct rarog_code_map *map,
						     uint64_t address)
{
	/* the first that starts after address */
	size_t low = rarog_lower_bound(i, map->regions.n, map->regions.v[i].start <= address);

	if (low == 0 || address - map->regions.v[low - 1].start >= map->regions.v[low - 1].size)
		return NULL;
	return &map->regions.v[low - 1];
}

static void set_bit(uint64_t *bits, uint64_t at)
{
	bits[at / 64] |= 1ull << at % 64;
}

void rarog_code_reach(struct rarog_code_map *map, uint64_t address, enum rarog_code_reach kind)
{
	const struct rarog_code_region *region = rarog_code_region_of(map, address);

	if (!region)
		return;
	set_bit(region->bits[kind], address - region->start);
	if (kind != RAROG_REACH_WRITTEN)
		set_bit(region->bits[RAROG_REACH_ANY], address - region->start);
	if (kind == RAROG_REACH_TAKEN)
		set_bit(region->bits[RAROG_REACH_NAMED], address - region->start);
}

void rarog_code_reach_table(struct rarog_code_map *map, uint64_t address)
{
	const struct rarog_code_region *region = rarog_code_region_of(map, address);

	if (!region)
		return;
	set_bit(region->bits[RAROG_REACH_ANY], address - region->start);
	set_bit(region->bits[RAROG_REACH_TAKEN], address - region->start);
}

bool rarog_code_reached(const struct rarog_code_map *map, uint64_t address, size_t n,
			enum rarog_code_reach kind)
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
