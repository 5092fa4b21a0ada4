/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jump tables of position-independent code: 32-bit offsets that are added to the table's own
 * address, which the code computes with `lea reg, [rip + table]`. gcc, clang and rustc all make
 * them so. Nothing says how long a table is; it is read until an entry leads outside the code or,
 * where the next table begins, outside the function that uses it.
 */
#include <stdlib.h>
#include <string.h>

#include "binary/code-map.h"

/* Entries read after the start of the next table: bounds the work on hostile files. */
#define OVERLAP_MAX 1024

struct table {
	const struct rarog_code_base *base;
	uint64_t next; /* where the next table begins */
	const uint8_t *bytes;
	uint64_t size; /* bytes up to the segment's end */
};

static uint64_t entry_target(const struct table *table, uint64_t at)
{
	int32_t offset;

	memcpy(&offset, table->bytes + at, sizeof(offset));
	return table->base->address + (uint64_t)(int64_t)offset;
}

static bool open_table(const struct rarog_code_map *map, const struct rarog_code_base *base,
		       struct table *ret)
{
	size_t size = 0;
	const uint8_t *bytes = rarog_elf_bytes(map->binary->elf, base->address, &size);

	*ret = (struct table){ base, UINT64_MAX, bytes, size };
	return bytes && size >= sizeof(int32_t);
}

static void read_table(struct rarog_code_map *map, const struct table *table)
{
	uint64_t shared = 0;

	for (uint64_t at = 0; table->size - at >= sizeof(int32_t); at += sizeof(int32_t)) {
		uint64_t target = entry_target(table, at);

		if (!rarog_code_region_of(map, target))
			return;
		if (table->base->address + at >= table->next) {
			if (rarog_code_function(map, target) != table->base->function)
				return;
			if (++shared > OVERLAP_MAX)
				return;
		}
		rarog_code_reach_table(map, target);
	}
}

static int compare_bases(const void *a, const void *b)
{
	const struct rarog_code_base *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

/* The address of a function, taken to call it. */
static bool is_entry(const struct rarog_code_map *map, uint64_t address)
{
	uint32_t function = rarog_code_function(map, address);

	return function != UINT32_MAX && map->functions[function].address == address;
}

/* Most bases are strings and variables: their first four bytes do not lead into the code. */
static void keep_tables(struct rarog_code_map *map)
{
	struct rarog_code_base *v = map->bases.v;
	size_t kept = 0;

	for (size_t i = 0; i < map->bases.n; i++) {
		struct table table;

		if (open_table(map, &v[i], &table) &&
		    rarog_code_region_of(map, entry_target(&table, 0)) &&
		    !is_entry(map, v[i].address))
			v[kept++] = v[i];
	}
	map->bases.n = kept;
}

int rarog_code_tables(struct rarog_code_map *map)
{
	struct rarog_code_base *v = map->bases.v;
	uint64_t next = UINT64_MAX;

	keep_tables(map);
	if (map->bases.n == 0)
		return 0;
	qsort(v, map->bases.n, sizeof(*v), compare_bases);
	for (size_t i = map->bases.n; i-- > 0;) {
		struct table table;

		if (i + 1 < map->bases.n && v[i + 1].address != v[i].address)
			next = v[i + 1].address;
		if (i > 0 && v[i - 1].address == v[i].address)
			continue;
		if (!open_table(map, &v[i], &table))
			continue;
		table.next = next;
		read_table(map, &table);
	}
	return 0;
}
