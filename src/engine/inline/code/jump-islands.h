/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the steps of a module's jumps are (stub-place.h), found once for all of its processes. */
#ifndef RAROG_ENGINE_INLINE_CODE_JUMP_ISLANDS_H
#define RAROG_ENGINE_INLINE_CODE_JUMP_ISLANDS_H

#include "engine/inline/code/module-marks.h"
#include "engine/inline/code/stub-place.h"

struct rarog_step {
	struct rarog_window window; /* what the jump replaces */
	uint64_t place;             /* of the step; 0: there is none */
};

/* All addresses are the file's: run-time addresses minus the load bias. */
struct rarog_steps {
	struct rarog_stub_places places;
	size_t n;                 /* hooks, probes, blocks of marks only */
	size_t n_unsafe;          /* of which a breakpoint may end the program */
	struct rarog_step *steps; /* [n], in this order */
};

/* Where there may be steps. */
struct rarog_steps_room {
	uint64_t base;
	size_t span; /* bytes, free where the module is */
	size_t n_code;
	const struct rarog_range
		*code; /* what runs there, which changed jumps must not lead into */
};

/**
 * rarog_steps_choose() - a place for a step of each hook, probe and block of marks of @m
 * @blocks: rarog_module_blocks()
 * @ret_steps: the module's, until the next call for it
 *
 * Return: 0; -ENOMEM.
 */
int rarog_steps_choose(struct rarog_module *m, const struct rarog_blocks *blocks,
		       const struct rarog_steps_room *room, const struct rarog_steps **ret_steps);

void rarog_steps_free(struct rarog_steps *steps);

/** rarog_steps_probe() - hook or probe number @i of a module, as rarog_steps.steps counts them. */
const struct rarog_probe *rarog_steps_probe(const struct rarog_module *m, size_t i);

#endif
