/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A code area in the making. */
#ifndef RAROG_ENGINE_INLINE_CODE_AREA_DRAFT_H
#define RAROG_ENGINE_INLINE_CODE_AREA_DRAFT_H

#include "engine/inline/code/emit.h"
#include "engine/inline/code/jump-islands.h"
#include "engine/inline/code/module.h"
#include "engine/inline/code/patch.h"
#include "process/remote.h"

/*
 * A code area in the making: our mapping, theirs, and the patches that lead into it.
 *
 *	header │ agent │ stub 0 │ stub 1 │ …    (nothing)    step 2 │ … step 0 │ … │ step 1
 *
 * Around the steps lie traps. The distance to them is more than a change of a jump's second highest
 * byte leads downwards.
 */
#define RAROG_AREA_ASIDE UINT64_C(0x800000)

struct rarog_area_draft {
	struct rarog_emitter emitter; /* of what is before the steps */
	uint8_t *memory;
	size_t size, code_size; /* of all there, and of what is before the steps … */
	size_t steps_size;      /* … and of these; here they follow at once */
	uint64_t bias;          /* of the module */
	const struct rarog_islands *steps;
	RAROG_VEC(struct rarog_patch) patches;
	RAROG_VEC(uint64_t) semaphores; /* of the patches' marks */
	struct rarog_blocks blocks;     /* empty where there are no marks */
	uint32_t first_mark_id;
};

/**
 * rarog_area_draft_map() - room for the stubs of @module, here and in the process
 *
 * area->bias is set, all else zeroed. Return: 0; -EEXIST: another thread of the process was quicker
 * to map something there; -ENOMEM, -errno with message. Release in any case.
 */
int rarog_area_draft_map(struct rarog_area_draft *area, struct rarog_remote *remote,
			 struct rarog_module *module, uint64_t *ret_address);
void rarog_area_draft_release(struct rarog_area_draft *area); /* what is mapped here */

#endif
