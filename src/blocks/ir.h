/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of blocks as text, which the compiler plug-in keeps if asked (rarog cc --rarog-ir) in a
 * section that is debug information: stripped with it, and found like it, by build-id.
 *
 *   for each function: byte 1, its name, newline, and for each block: byte 2, the number of its
 *   instructions, newline, its text
 */
#ifndef RAROG_BLOCKS_IR_H
#define RAROG_BLOCKS_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct rarog_elf;

struct rarog_ir_block {
	const char *text; /* n bytes */
	size_t n;
	uint32_t instructions; /* PHI nodes are none */
};

struct rarog_ir_function {
	const char *name;
	size_t name_length;
	size_t first, n; /* in .blocks */
	bool is_taken;
};

struct rarog_ir {
	char *bytes;                                   /* what all texts point into */
	RAROG_VEC(struct rarog_ir_function) functions; /* by name, then as linked */
	RAROG_VEC(struct rarog_ir_block) blocks;
};

/** rarog_ir_parse() - @take_bytes: malloc'd, may hold anything, @ret_ir's from here on, also on
 * failure. 0; -ENOMEM. */
int rarog_ir_parse(size_t n, char *take_bytes, struct rarog_ir *ret_ir);

/** rarog_ir_read() - of @elf or its debug file. Return: 0, also if there is none; -ENOMEM. */
int rarog_ir_read(const struct rarog_elf *elf, struct rarog_ir *ret_ir);

void rarog_ir_release(struct rarog_ir *ir); /* fits rarog_cleanup() */

/**
 * rarog_ir_take() - the next function @name whose blocks have so many instructions, each of them
 * once: several files may have functions of one name.
 *
 * Return: its blocks, NULL: not there.
 */
const struct rarog_ir_block *rarog_ir_take(struct rarog_ir *ir, const char *name, size_t n,
					   uint32_t (*instructions)(const void *data, size_t block),
					   const void *data);

#endif
