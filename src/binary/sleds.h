/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places that the compiler left for instrumentation, from the tables that name them: the nops of
 * -fpatchable-function-entry, the calls or nops of -pg with -mrecord-mcount, and XRay's sleds. A
 * table tells two things that code alone does not: that a function begins there, and that a word
 * which holds an address in the middle of its first bytes is only the table's.
 */
#ifndef RAROG_BINARY_SLEDS_H
#define RAROG_BINARY_SLEDS_H

#include "binary/code-ranges.h"
#include "binary/eh-frame.h"

enum rarog_sled_kind {
	RAROG_SLED_NONE = 0,
	RAROG_SLED_NOPS,       /* __patchable_function_entries */
	RAROG_SLED_MCOUNT,     /* __mcount_loc */
	RAROG_SLED_XRAY_ENTRY, /* xray_instr_map … */
	RAROG_SLED_XRAY,       /* … any other of XRay's: exit, tail call, event */
	RAROG_SLED_KINDS
};

#define RAROG_SLED_REACH     256 /* bytes of nops before an entry, at most */
#define RAROG_XRAY_SLED_SIZE 11  /* jmp, and nine bytes of nop */

struct rarog_sled {
	uint64_t address; /* of its first byte */
	uint64_t entry;   /* of its function, where that is known; 0: not (yet) */
	uint8_t kind;     /* enum rarog_sled_kind */
};

struct rarog_sled_table { /* a section that holds such places */
	uint64_t start, end;
	uint8_t kind; /* enum rarog_sled_kind */
};

struct rarog_sleds {
	struct rarog_sled *v; /* by address; no two at one */
	size_t n, capacity;
	struct rarog_sled_table *tables;
	size_t n_tables;
};

/**
 * rarog_sleds_read() - every sled that a table of @elf names and that lies in @code
 *
 * Tables are believed in nothing: what points outside of the code, is cut off or repeated is left
 * out.
 *
 * Return: 0 (also without tables), -ENOMEM.
 */
int rarog_sleds_read(const struct rarog_elf *elf, const struct rarog_code_ranges *code,
		     struct rarog_sleds *sleds);
void rarog_sleds_release(struct rarog_sleds *sleds);

/** rarog_sleds_behind() - index of the first sled at or after @address. */
size_t rarog_sleds_behind(const struct rarog_sleds *sleds, uint64_t address);

/** rarog_sleds_at() - the sled at @address, NULL: there is none; borrowed. */
const struct rarog_sled *rarog_sleds_at(const struct rarog_sleds *sleds, uint64_t address);

/** rarog_sleds_table() - the table that @address lies in; NULL: in none. */
const struct rarog_sled_table *rarog_sleds_table(const struct rarog_sleds *sleds, uint64_t address);

#endif
