/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Telling functions from cold parts where no symbol does: a compiler moves the unlikely blocks of
 * a function elsewhere and gives them an FDE of their own. If the stack happens to be as a CALL
 * leaves it there, only how the code is reached tells the difference.
 */
#ifndef RAROG_BINARY_COLD_PARTS_H
#define RAROG_BINARY_COLD_PARTS_H

#include "binary/code-ranges.h"

struct rarog_cold_parts {
	const struct rarog_code_ranges *code;
	size_t *first_bit; /* of each range of code, in the bits below */
	/* one bit per byte of code: is it the target of a CALL or LEA; of a Jcc? */
	uint8_t *called, *branched;
};

/** rarog_cold_parts_read() - look through all code of @elf; 0 or -ENOMEM. */
int rarog_cold_parts_read(const struct rarog_elf *elf, const struct rarog_code_ranges *code,
			  struct rarog_cold_parts *parts);
void rarog_cold_parts_release(struct rarog_cold_parts *parts);

/** rarog_cold_parts_has() - is @vaddr reached by conditional branches and never called directly nor
 * its address taken?
 */
bool rarog_cold_parts_has(const struct rarog_cold_parts *parts, uint64_t vaddr);

/** rarog_cold_parts_called() - is @vaddr called directly, or its address taken by code? */
bool rarog_cold_parts_called(const struct rarog_cold_parts *parts, uint64_t vaddr);

#endif
