/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that are in the agent wait at its end, where they can be brought out (agent-settle.h). */
#ifndef RAROG_ENGINE_INLINE_ATTACH_AGENT_AWAIT_H
#define RAROG_ENGINE_INLINE_ATTACH_AGENT_AWAIT_H

#include "agent/layout.h"
#include "engine/inline/code/image.h"
#include "process/threads.h"

/**
 * rarog_agents_hold() - from here on these threads wait at the agent's end, for some milliseconds
 * @n: of them, at most RAROG_HELD_MOST; 0: none waits any more
 * @tids: as they call themselves
 * @pointers: what their %fs leads to
 */
void rarog_agents_hold(struct rarog_control *control, size_t n, const uint32_t tids[],
		       const uint64_t pointers[]);

/**
 * rarog_agents_end() - let those stopped @threads that are in the agent go on to its end
 *
 * They stand in stubs afterwards, or where calls return to.
 *
 * Return: how many take too long, and are there still; -EBUSY with message: one does not stop.
 */
long rarog_agents_end(struct rarog_image *image, struct rarog_threads *threads);

#endif
