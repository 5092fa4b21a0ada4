/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jumps that are taken out while the program runs, and put in again later (--overhead): what is
 * called most is dear even if its gate is shut. Stubs stay, so a thread that is in one goes on.
 */
#ifndef RAROG_ENGINE_INLINE_CODE_TURNED_H
#define RAROG_ENGINE_INLINE_CODE_TURNED_H

#include "engine/inline/code/image.h"
#include "process/threads.h"

/** rarog_turned_want() - the jump of probe @number of @module shall be out, or in again; nothing is
 * written yet. The lock of known-areas.h is held. */
void rarog_turned_want(struct rarog_image *image, const struct rarog_module *module,
		       uint32_t number, bool is_out);

/** rarog_turned_is_due() - are there jumps to write in a process where those up to @seen are? */
static inline bool rarog_turned_is_due(const struct rarog_image *image, uint64_t seen)
{
	return __atomic_load_n(&image->turns, __ATOMIC_SEQ_CST) != seen;
}

/**
 * rarog_turned_write() - write them, while @threads stand still
 * @all_stand: else some are where they cannot be looked at, and nothing is put in
 *
 * A jump that a thread stands inside the place of, or will return to there, comes next time.
 * Return: what the process has seen then.
 */
uint64_t rarog_turned_write(struct rarog_image *image, const struct rarog_threads *threads,
			    bool all_stand, uint64_t seen);

#endif
