/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All functions of a program or library that were compiled with block counters. */
#ifndef RAROG_BLOCKS_MAP_H
#define RAROG_BLOCKS_MAP_H

#include "base/cleanup.h"
#include "blocks/record-texts.h"
#include "blocks/record.h"

struct rarog_elf;

/* An instruction that counts in a register. */
struct rarog_counting_site {
	uint64_t address; /* in the file's numbering … */
	uint64_t counter; /* … as is this; or the counter's number in the function */
	bool is_number;
};

struct rarog_map {
	size_t n_functions, capacity;
	struct rarog_block_record *functions;
	struct rarog_name_pool pool; /* of their texts */
	uint64_t counters;           /* address of the first counter, in the file's numbering */
	size_t n_counters;
	bool is_loaded; /* strip leaves it, or the linker went on with the code (LTO) */
	size_t n_sites;
	struct rarog_counting_site *sites; /* by address */
};

/**
 * rarog_map_read() - the records of @elf, or of its debug file
 *
 * Return: 0; -ENODATA: nothing in it was compiled so, or that was stripped; -EINVAL, -ENOTSUP,
 * -ENOMEM. All with a message.
 */
int rarog_map_read(const struct rarog_elf *elf, struct rarog_map **ret_map);

void rarog_map_free(struct rarog_map *map);
RAROG_DEFINE_FREEP(rarog_map);

#endif
