/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks/map.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/elf-file.h"

static int add_function(struct rarog_map *map, struct rarog_record *take_record)
{
	if (map->n_functions == map->capacity) {
		size_t capacity = 2 * map->capacity + 64;
		struct rarog_record *functions =
			reallocarray(map->functions, capacity, sizeof(*functions));

		if (!functions) {
			rarog_record_release(take_record);
			return rarog_oom();
		}
		map->functions = functions;
		map->capacity = capacity;
	}
	map->functions[map->n_functions++] = *take_record;
	return 0;
}

/* Do the counters of a function lie among those of the file? */
static bool has_counters(const struct rarog_map *map, const struct rarog_record *record)
{
	uint64_t at = record->counters - map->counters;

	return at % 8 == 0 && at / 8 <= map->n_counters &&
	       record->n_counters <= map->n_counters - at / 8;
}

static int read_all(struct rarog_map *map, const uint8_t *bytes, size_t n, uint64_t address)
{
	for (size_t at = 0; at < n;) {
		struct rarog_record record;
		long size = rarog_record_read(bytes + at, n - at, address + at, &record);
		int r;

		if (size < 0)
			return (int)size;
		if (!has_counters(map, &record)) {
			rarog_record_release(&record);
			return rarog_fail(-EINVAL, "a record of blocks names counters that are not "
						   "there");
		}
		r = add_function(map, &record);
		if (r < 0)
			return r;
		at += (size_t)size;
	}
	return 0;
}

int rarog_map_read(const struct rarog_elf *elf, struct rarog_map **ret_map)
{
	rarog_cleanup(rarog_map_freep) struct rarog_map *map = calloc(1, sizeof(*map));
	const struct rarog_elf_section *records = rarog_elf_section(elf, RAROG_BLOCKS_MAP);
	const struct rarog_elf_section *counters = rarog_elf_section(elf, RAROG_BLOCKS_COUNTERS);
	const uint8_t *bytes;
	size_t n;
	int r;

	if (!map)
		return rarog_oom();
	if (!records || !counters)
		return rarog_fail(-ENODATA, "%s: has no block counters; compile it with rarog cc",
				  elf->path);
	map->counters = counters->header->sh_addr;
	map->n_counters = counters->header->sh_size / 8;
	bytes = rarog_elf_section_bytes(elf, records, &n);
	r = bytes ? read_all(map, bytes, n, records->header->sh_addr) : -EINVAL;
	if (!bytes)
		rarog_fail(r, "section %s has no bytes", RAROG_BLOCKS_MAP);
	if (r < 0)
		return rarog_fail_prefix(r, "%s", elf->path);
	*ret_map = rarog_take(map);
	return 0;
}

void rarog_map_free(struct rarog_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->n_functions; i++)
		rarog_record_release(&map->functions[i]);
	free(map->functions);
	free(map);
}
