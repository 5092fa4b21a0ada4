/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bitmaps, and the order in which they are filled. A region is contiguous code of one segment;
 * there are one to three in practice, so looking one up is a short loop.
 */
#include "binary/code-map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

const struct rarog_code_region *rarog_code_region_of(const struct rarog_code_map *map,
						     uint64_t address)
{
	for (size_t i = 0; i < map->regions.n; i++) {
		const struct rarog_code_region *region = &map->regions.v[i];

		if (address - region->start < region->size)
			return region;
	}
	return NULL;
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
	size_t low = 0, high = map->n_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? (uint32_t)(low - 1) : UINT32_MAX;
}

static int make_bits(struct rarog_code_map *map)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < map->regions.n; i++) {
		struct rarog_code_region *region = &map->regions.v[i];
		size_t words = region->size / 64 + 1;

		sum += region->size;
		if (sum > RAROG_CODE_MAX)
			return rarog_fail(-EFBIG, "%s: more than 1 GiB of code",
					  rarog_binary_path(map->binary));
		uint64_t *bits = calloc(words * RAROG_REACH_KINDS, sizeof(*bits));
		if (!bits)
			return rarog_oom();
		for (int kind = 0; kind < RAROG_REACH_KINDS; kind++)
			region->bits[kind] = bits + words * (size_t)kind;
	}
	return 0;
}

static int open_file(struct rarog_code_map *map)
{
	const char *path = rarog_binary_path(map->binary);

	elf_version(EV_CURRENT);
	map->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (map->fd < 0)
		return rarog_fail_errno("%s", path);
	map->elf = elf_begin(map->fd, ELF_C_READ_MMAP, NULL);
	if (!map->elf)
		return rarog_fail(-EINVAL, "%s: %s", path, elf_errmsg(-1));
	return 0;
}

int rarog_code_map_init(struct rarog_code_map *map, const struct rarog_binary *binary)
{
	static int (*const parts[])(struct rarog_code_map * map) = {
		open_file,         rarog_code_regions_find, make_bits,          rarog_code_sweep,
		rarog_code_tables, rarog_code_data,         rarog_code_landing,
	};

	*map = (struct rarog_code_map){ .binary = binary, .fd = -1 };
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
	elf_end(map->elf);
	rarog_closep(&map->fd);
}
