/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which symbol is which record's, and which functions have none. */
#ifndef RAROG_ENGINE_BLOCKS_SYMBOLS_H
#define RAROG_ENGINE_BLOCKS_SYMBOLS_H

#include "binary/binary.h"
#include "blocks/map.h"

struct rarog_block_symbol {
	const char *name;
	size_t function; /* of the binary */
};

struct rarog_block_symbols {
	const struct rarog_function *functions; /* borrowed from the binary */
	size_t n_functions, n;
	struct rarog_block_symbol *by_name; /* aliases, too */
	bool *has_record;                   /* by function */
	const char **recorded;              /* names that have records, sorted; the map's */
	size_t n_recorded;
};

/** rarog_block_symbols_read() - of a file and its records; both outlive them. 0 or -ENOMEM. */
int rarog_block_symbols_read(const struct rarog_binary *binary, const struct rarog_map *map,
			     struct rarog_block_symbols *ret_symbols);
void rarog_block_symbols_release(struct rarog_block_symbols *symbols);

/**
 * rarog_block_symbols_find() - the function of a record; NULL: stripped, or several of that name
 * and none can be told to be it
 *
 * A constructor or destructor whose symbol is not there is the function of its other symbol (C1 and
 * C2, D1 and D2), if that has no record: the optimiser (ThinLTO) gives a function that only an
 * alias is used of the alias's name.
 *
 * All of the name are taken to have records.
 */
const struct rarog_function *rarog_block_symbols_find(struct rarog_block_symbols *symbols,
						      const struct rarog_block_record *record);

/** rarog_block_symbols_without() - functions for which no record was looked up: compiled by other
 * means. What the linker and Rarog's runtime bring is not counted. */
size_t rarog_block_symbols_without(const struct rarog_block_symbols *symbols);

#endif
