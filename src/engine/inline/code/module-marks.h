/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The marks of a module beside its other probes: all of them displace instructions. */
#ifndef RAROG_ENGINE_INLINE_CODE_MODULE_MARKS_H
#define RAROG_ENGINE_INLINE_CODE_MODULE_MARKS_H

#include "engine/inline/code/module.h"

#define RAROG_BLOCK_MARKS 16 /* at most, in one block */

/* Instructions that are displaced by one jump. */
struct rarog_displaced {
	uint64_t start, end;             /* vaddr */
	const struct rarog_probe *probe; /* NULL: of marks only */
	size_t first, n;                 /* marks in it, in m->marks */
};

struct rarog_blocks {
	struct rarog_displaced *v; /* by address, disjoint */
	size_t n, capacity;
};

/**
 * rarog_module_place_marks() - leave out those that cannot be measured, now that the probes are
 * chosen
 *
 * Return: 0, -ENOMEM.
 */
int rarog_module_place_marks(struct rarog_module *module, const struct rarog_plan *plan);

/** rarog_module_blocks() - what the probes, hooks and marks displace. 0, -ENOMEM. */
int rarog_module_blocks(const struct rarog_module *module, struct rarog_blocks *ret_blocks);
void rarog_blocks_release(struct rarog_blocks *blocks);

/** rarog_block_at() - the block that begins at @start, NULL: it has no marks. */
const struct rarog_displaced *rarog_block_at(const struct rarog_blocks *blocks, uint64_t start);

/** rarog_module_size() - how many stubs it needs; 0: nothing of it is patched. */
size_t rarog_module_size(const struct rarog_module *module);

/** rarog_module_n_locations() - probes, then names of marks. */
size_t rarog_module_n_locations(const struct rarog_module *module);

#endif
