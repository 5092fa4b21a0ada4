/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which words of a file the loader fills with which function of another file. */
#ifndef RAROG_BINARY_IMPORTS_H
#define RAROG_BINARY_IMPORTS_H

#include "base/vec.h"
#include "binary/binary.h"

struct rarog_import {
	uint64_t word;
	const char *name; /* borrowed from the binary */
	uint64_t own;     /* where this binary itself has it; 0: another has */
	int64_t addend;   /* of a pointer into it; else 0 */
	bool is_data;     /* it is a variable, not a function */
	bool is_stub;     /* only a stub of the linkage table uses it */
};

struct rarog_imports {
	const struct rarog_binary *binary;
	RAROG_VEC(struct rarog_import) list; /* by word */
};

/** rarog_imports_read() - from the dynamic relocations; a static program has none. 0, -ENOMEM. */
int rarog_imports_read(const struct rarog_binary *binary, struct rarog_imports *ret_imports);
void rarog_imports_release(struct rarog_imports *imports); /* fits rarog_cleanup() */

/** rarog_imports_find() - what @word is filled with, also from this binary; NULL: nothing. */
const struct rarog_import *rarog_imports_find(const struct rarog_imports *imports, uint64_t word);

/** rarog_imports_word() - the function that @word is filled with; NULL: none of another file. */
const char *rarog_imports_word(const struct rarog_imports *imports, uint64_t word);

/** rarog_imports_own() - the binary's own function that @word is filled with, unless a program puts
 * another in its place; its address, 0: it is another file's. */
uint64_t rarog_imports_own(const struct rarog_imports *imports, uint64_t word);

/** rarog_imports_stub_word() - through which a stub at @address jumps; 0: there is none. */
uint64_t rarog_imports_stub_word(const struct rarog_imports *imports, uint64_t address);

/** rarog_imports_stub() - the function to which a stub of the linkage table at @address jumps. */
const char *rarog_imports_stub(const struct rarog_imports *imports, uint64_t address);

#endif
