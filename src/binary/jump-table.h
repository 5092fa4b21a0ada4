/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table that an indirect jump of a switch statement or of computed gotos goes through, and how
 * long it is.
 */
#ifndef RAROG_BINARY_JUMP_TABLE_H
#define RAROG_BINARY_JUMP_TABLE_H

#include "binary/code-map.h"
#include "binary/filled-words.h"

struct rarog_jump_table {
	uint64_t jump, address; /* of the instruction, of the table */
	uint32_t entries;
	uint8_t entry_bytes; /* 4: offsets to the table; 8: addresses */
	bool is_bounded;     /* the code compares the index with the length; else it ends where an
			      * entry leads nowhere or the next table begins */
};

/* Code that was decoded from one end to the other. */
struct rarog_code_run {
	uint64_t start;
	uint32_t size;
	const uint8_t *code;
	size_t n;
	const uint32_t *offsets; /* [n] of its instructions */
};

/* May a table of @run lead to @target, which is not in it? */
typedef bool rarog_is_own_code(const void *context, const struct rarog_code_run *run,
			       uint64_t target);

/**
 * rarog_jump_table_find() - of the indirect jump that is instruction @number of @run
 * @is_own: NULL: tables lead to @run only
 *
 * Patterns of gcc and clang, with and without position-independent code. Return: is there one?
 */
bool rarog_jump_table_find(const struct rarog_code_map *map, const struct rarog_filled_words *words,
			   const struct rarog_code_run *run, size_t number,
			   rarog_is_own_code *is_own, const void *context,
			   struct rarog_jump_table *ret_table);

/** rarog_jump_table_target() - where entry @number leads; 0: it is not in the file. */
uint64_t rarog_jump_table_target(const struct rarog_filled_words *words,
				 const struct rarog_jump_table *table, uint32_t number);

#endif
