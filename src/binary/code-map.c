/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order in which the bitmaps are filled. A region is contiguous code of one segment;
 * there are three in practice: .init, .text, .fini.
 */
#include "binary/code-map.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"

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
