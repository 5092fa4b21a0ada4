/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often the machine code of counted functions ran, instruction by instruction. */
#ifndef RAROG_BLOCKS_MACHINE_H
#define RAROG_BLOCKS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/vec.h"

struct rarog_binary;
struct rarog_map;

struct rarog_native_block {
	uint64_t address;      /* in the file's numbering */
	uint32_t size;         /* bytes */
	uint32_t instructions; /* all … */
	uint32_t counting;     /* … and of these, those that count */
	uint64_t least, most;  /* executions; known if they are the same, most is UINT64_MAX if
				  nothing is known */
};

struct rarog_native_blocks {
	RAROG_VEC(struct rarog_native_block) list; /* by address; empty: nothing is known */
};

/* Of one binary. */
struct rarog_native;

/**
 * rarog_native_new() - @binary and @map outlive it
 * @may_leave: calls may have ended otherwise than by returning
 *
 * Return: 0; -ENOMEM, -EFBIG with message.
 */
int rarog_native_new(const struct rarog_binary *binary, const struct rarog_map *map, bool may_leave,
		     struct rarog_native **ret_machine);
void rarog_native_free(struct rarog_native *machine);
RAROG_DEFINE_FREEP(rarog_native);

/**
 * rarog_native_solve() - the blocks of a function
 * @address: of the function
 * @counters: the values of all counters of the map
 *
 * Whatever code generation did with the compiler's blocks: what is known follows from instructions
 * that count, found in the code, and from where the code may go on.
 *
 * Return: 0, -ENOMEM.
 */
int rarog_native_solve(const struct rarog_native *machine, uint64_t address,
		       const uint64_t *counters, struct rarog_native_blocks *ret_blocks);
void rarog_native_blocks_release(struct rarog_native_blocks *blocks); /* fits rarog_cleanup() */

#endif
