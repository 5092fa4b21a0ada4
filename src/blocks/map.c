/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks/map.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/debug-file.h"
#include "binary/elf-file.h"
#include "profile/bytes.h"

#define LEAST_SITE 9

static int add_function(struct rarog_map *map, struct rarog_block_record *take_record)
{
	if (map->n_functions == map->capacity) {
		size_t capacity = 2 * map->capacity + 64;
		struct rarog_block_record *functions =
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
static bool has_counters(const struct rarog_map *map, const struct rarog_block_record *record)
{
	uint64_t at = record->counters - map->counters;

	return at % 8 == 0 && at / 8 <= map->n_counters &&
	       rarog_record_cells(record) <= map->n_counters - at / 8;
}

static int read_all(struct rarog_map *map, const uint8_t *bytes, size_t n, uint64_t address)
{
	for (size_t at = 0; at < n;) {
		struct rarog_block_record record;
		long size =
			rarog_record_read(bytes + at, n - at, address + at, &map->pool, &record);
		int r;

		if (size < 0)
			return (int)size;
		if (record.counters == 0) {
			rarog_record_release(&record); /* nor are its counters in the file */
			at += (size_t)size;
			continue;
		}
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

/* A section that may be packed; NULL: it is not there. */
static const uint8_t *section_bytes(const struct rarog_elf *elf, const char *name, size_t *ret_n)
{
	const struct rarog_elf_section *section = rarog_elf_section(elf, name);

	*ret_n = 0;
	return section ? rarog_elf_section_unpacked(section, ret_n) : NULL;
}

/* Returns whether @elf has the section @name, or a negative error. */
static int read_section(struct rarog_map *map, const struct rarog_elf *elf, const char *name)
{
	const struct rarog_elf_section *records = rarog_elf_section(elf, name);
	const uint8_t *bytes;
	size_t n;
	int r;

	if (!records || (elf->role == RAROG_ELF_DEBUG && records->header->sh_type == SHT_NOBITS))
		return false;
	map->pool.bytes = section_bytes(elf, RAROG_BLOCKS_NAMES, &map->pool.size);
	bytes = section_bytes(elf, name, &n);
	r = bytes ? read_all(map, bytes, n, records->header->sh_addr)
		  : rarog_fail(-EINVAL, "section %s has no bytes that can be read", name);
	map->pool.bytes = NULL; /* the file's */
	map->pool.size = 0;
	return r < 0 ? rarog_fail_prefix(r, "%s", elf->path) : true;
}

/* --- sites --- */

static int by_address(const void *a, const void *b)
{
	const struct rarog_counting_site *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->counter > y->counter) - (x->counter < y->counter);
}

static bool read_site(struct rarog_byte_cursor *c, struct rarog_counting_site *ret_site)
{
	const uint8_t *address = rarog_get_bytes(c, sizeof(uint64_t)), *counter;
	uint64_t which = rarog_get_varint(c);

	ret_site->address = address ? rarog_load_u64(address) : 0;
	ret_site->counter = which / 2;
	ret_site->is_number = which % 2 == 0;
	if (!ret_site->is_number) {
		counter = rarog_get_bytes(c, sizeof(uint64_t));
		ret_site->counter = counter ? rarog_load_u64(counter) : 0;
	}
	return !c->bad;
}

/* Without them less is known; so what is wrong with them is no reason to fail. */
static int read_sites(struct rarog_map *map, const struct rarog_elf *elf)
{
	size_t n, kept = 0;
	const uint8_t *bytes = section_bytes(elf, RAROG_BLOCKS_SITES, &n);

	if (!bytes)
		return 0;
	map->sites = calloc(n / LEAST_SITE + 1, sizeof(*map->sites));
	if (!map->sites)
		return rarog_oom();
	for (struct rarog_byte_cursor c = { .at = bytes, .end = bytes + n }; c.at < c.end;)
		if (!read_site(&c, &map->sites[map->n_sites++])) {
			map->n_sites--;
			break;
		}
	if (map->n_sites == 0)
		return 0;
	qsort(map->sites, map->n_sites, sizeof(*map->sites), by_address);
	/* of functions that the linker had twice, it may have kept two */
	for (size_t i = 0; i < map->n_sites; i++)
		if (i == 0 || by_address(&map->sites[i], &map->sites[kept - 1]) != 0)
			map->sites[kept++] = map->sites[i];
	map->n_sites = kept;
	return 0;
}

/* Those that strip leaves, and the others. */
static int read_sections(struct rarog_map *map, const struct rarog_elf *elf)
{
	int kept = read_section(map, elf, RAROG_BLOCKS_MAP);
	int others = kept < 0 ? kept : read_section(map, elf, RAROG_BLOCKS_DEBUG_MAP);

	map->is_loaded |= kept > 0;
	if (others > 0 && !map->sites) {
		int r = read_sites(map, elf);

		others = r < 0 ? r : others;
	}
	return others < 0 ? others : kept || others;
}

static int read_debug_file(struct rarog_map *map, const struct rarog_elf *elf)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *debug = rarog_debug_file_find(elf);

	return debug ? read_sections(map, debug) : false;
}

int rarog_map_read(const struct rarog_elf *elf, struct rarog_map **ret_map)
{
	rarog_cleanup(rarog_map_freep) struct rarog_map *map = calloc(1, sizeof(*map));
	const struct rarog_elf_section *counters = rarog_elf_section(elf, RAROG_BLOCKS_COUNTERS);
	int r;

	if (!map)
		return rarog_oom();
	if (!counters)
		return rarog_fail(-ENODATA, "%s: has no block counters; compile it with rarog cc",
				  elf->path);
	map->counters = counters->header->sh_addr;
	map->n_counters = counters->header->sh_size / 8;
	r = read_sections(map, elf);
	if (r == 0)
		r = read_debug_file(map, elf);
	if (r == 0)
		return rarog_fail(-ENODATA,
				  "%s: what is known of its blocks was stripped; compile it with "
				  "rarog cc --rarog-keep-metadata, or do not strip it",
				  elf->path);
	if (r < 0)
		return r;
	*ret_map = rarog_take(map);
	return 0;
}

void rarog_map_free(struct rarog_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->n_functions; i++)
		rarog_record_release(&map->functions[i]);
	rarog_name_pool_release(&map->pool);
	free(map->functions);
	free(map->sites);
	free(map);
}
