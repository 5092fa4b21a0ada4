/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which symbol is which record's, and which functions have none. */
#ifndef RAROG_COLLECT_BLOCKS_SYMBOLS_H
#define RAROG_COLLECT_BLOCKS_SYMBOLS_H

#include "binary/binary.h"
#include "blocks/record.h"

struct rarog_block_symbol {
	const char *name;
	size_t function; /* of the binary */
};

struct rarog_block_symbols {
	const struct rarog_function *functions; /* borrowed from the binary */
	size_t n_functions, n;
	struct rarog_block_symbol *by_name; /* aliases, too */
	bool *has_record;                   /* by function */
};

/** rarog_block_symbols_read() - 0 or -ENOMEM. */
int rarog_block_symbols_read(const struct rarog_binary *binary,
			     struct rarog_block_symbols *ret_symbols);
void rarog_block_symbols_release(struct rarog_block_symbols *symbols);

/**
 * rarog_block_symbols_find() - the function of a record; NULL: stripped, or several of that name
 * and none can be told to be it
 *
 * All of the name are taken to have records.
 */
const struct rarog_function *rarog_block_symbols_find(struct rarog_block_symbols *symbols,
						      const struct rarog_record *record);

/** rarog_block_symbols_without() - functions for which no record was looked up: compiled by other
 * means. What the linker and Rarog's runtime bring is not counted. */
size_t rarog_block_symbols_without(const struct rarog_block_symbols *symbols);

#endif
