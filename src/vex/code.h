/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program's code consists of, as far as it was reached: objects, functions, blocks. */
#ifndef RAROG_VEX_CODE_H
#define RAROG_VEX_CODE_H

#include "vex/core.h"
#include "vex/record.h"
#include "vex/values.h"

/* Where a block begins. */
struct code_place {
	Addr address;
	uint32_t object; /* 0: no file's */
	Bool is_plt;     /* a stub of the linker, as it seems: on the way to a function */
	Bool has_symbol; /* inside a function that has one */
	Bool is_entry;   /* … at its first instruction, where calls arrive */
	const struct rarog_value_set *values; /* of it that are asked for; NULL */
	Bool goes_on; /* the dynamic linker's resolver, which jumps to the function it has found */
	const HChar *name; /* of the function, "" without; until the next call */
};

/** code_place() - what is at @address now. */
struct code_place code_place(Addr address);

/** code_function() - the function that begins at @place, always the same one. */
struct rarog_vex_function *code_function(const struct code_place *place);

/**
 * code_block() - the counter of the @n instructions from @address on, always the same one
 * @accesses: a sum over what they do with memory
 * @ret_is_new: it was not there before
 */
struct rarog_vex_block *code_block(Addr address, uint32_t object, UInt n, const UChar sizes[n],
				   uint32_t accesses, Bool *ret_is_new);

/** code_access() - keep @access, which is of a block. */
void code_access(const struct rarog_vex_access *access);

/** code_counted_access() - the counter of @access, which is of none, always the same one. */
struct rarog_vex_access *code_counted_access(const struct rarog_vex_access *access);

/** code_zero() - all counts are 0 again. */
void code_zero(void);

#endif
