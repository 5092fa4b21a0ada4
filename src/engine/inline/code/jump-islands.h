/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the steps of a module's jumps are (island-place.h), found once for all of its processes. */
#ifndef RAROG_ENGINE_INLINE_CODE_JUMP_ISLANDS_H
#define RAROG_ENGINE_INLINE_CODE_JUMP_ISLANDS_H

#include "engine/inline/code/island-place.h"
#include "engine/inline/code/module-marks.h"

struct rarog_island {
	struct rarog_jump_window window; /* what the jump replaces */
	uint64_t place;                  /* of the step; 0: there is none */
};

/* All addresses are the file's: run-time addresses minus the load bias. */
struct rarog_islands {
	struct rarog_island_places places;
	size_t n;                   /* hooks, probes, blocks of marks only */
	size_t n_unsafe;            /* of which a breakpoint may end the program */
	struct rarog_island *steps; /* [n], in this order */
};

/* Where there may be steps. */
struct rarog_islands_room {
	uint64_t base;
	size_t span; /* bytes, free where the module is */
	size_t n_code;
	const struct rarog_island_range
		*code; /* what runs there, which changed jumps must not lead into */
};

/**
 * rarog_islands_choose() - a place for a step of each hook, probe and block of marks of @m
 * @blocks: rarog_module_blocks()
 * @ret_steps: the module's, until the next call for it
 *
 * Return: 0; -ENOMEM.
 */
int rarog_islands_choose(struct rarog_module *m, const struct rarog_blocks *blocks,
			 const struct rarog_islands_room *room,
			 const struct rarog_islands **ret_steps);

void rarog_islands_free(struct rarog_islands *steps);

/** rarog_islands_probe() - hook or probe number @i of a module, as rarog_islands.steps counts them.
 */
const struct rarog_probe *rarog_islands_probe(const struct rarog_module *m, size_t i);

#endif
