/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a binary has code of its own: executable sections with bytes in the file, without the
 * procedure linkage tables (.plt and kin), whose stubs are not functions.
 */
#ifndef RAROG_BINARY_CODE_RANGES_H
#define RAROG_BINARY_CODE_RANGES_H

#include "binary/elf-file.h"

struct rarog_code_range {
	uint64_t start, end;
};

struct rarog_code_ranges {
	struct rarog_code_range *v; /* sorted, disjoint */
	size_t n, capacity;
};

/** rarog_code_ranges_read() - from sections, else from executable segments.
 * Return: 0, -EINVAL, -ENOMEM. */
int rarog_code_ranges_read(const struct rarog_elf *elf, struct rarog_code_ranges *ranges);
void rarog_code_ranges_release(struct rarog_code_ranges *ranges);

/** rarog_code_ranges_find() - the range that holds @vaddr, NULL if none does; borrowed. */
const struct rarog_code_range *rarog_code_ranges_find(const struct rarog_code_ranges *ranges,
						      uint64_t vaddr);

#endif
