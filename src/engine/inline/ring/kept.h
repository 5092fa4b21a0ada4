/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_ENGINE_INLINE_RING_KEPT_H
#define RAROG_ENGINE_INLINE_RING_KEPT_H

#include <stdbool.h>

#include "engine/inline/code/image.h"
#include "process/task.h"

/**
 * rarog_kept_new() - keep a strand of @image for a thread that has made no call yet
 * @from: the strand that its %gs leads to
 * @inherits: what is open on @from is open on the new one, too (fork)
 *
 * @ret_is_there: the thread's %gs must be made to lead to the strand returned (0: to strand 0);
 * else it stays where it leads to. Set unless -EEXIST is returned.
 *
 * Written into the thread's memory; the thread must not run.
 *
 * Return: the strand, > 0; 0: none can be spared, the thread will find one by itself; -EEXIST: it
 * has one.
 */
int rarog_kept_new(struct rarog_image *image, const struct rarog_task *task, uint32_t from,
		   bool inherits, bool *ret_is_there);

/** rarog_kept_must_open() - is strand @index not memory yet in the process of @task? Then the
 * thread should begin at image->born, which has been told by this how far to go. */
bool rarog_kept_must_open(struct rarog_image *image, const struct rarog_task *task, uint32_t index);

/** rarog_kept_sweep() - free what is kept for threads that have ended, and for all of process
 * @execed, which has another image now (0: none). */
void rarog_kept_sweep(struct rarog_image *image, pid_t execed);

/** rarog_kept_free() - strand @index is free again. */
void rarog_kept_free(struct rarog_image *image, uint32_t index);

#endif
