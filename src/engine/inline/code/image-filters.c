/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/code/image-filters.h"

#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"
#include "process/filters.h"
#include "process/memory.h"

#define LOOKS 64 /* at threads, each time */

/* In memory that is the process's own: what it forks has the filter as well. */
static void tell_process(struct rarog_image *image, pid_t pid)
{
	uint64_t address =
		image->base + RAROG_PRIVATE + offsetof(struct rarog_strand_private, filtered);
	uint32_t filtered = 0;
	struct iovec ours = { &filtered, sizeof(filtered) };
	struct iovec theirs = { (void *)(uintptr_t)address, sizeof(filtered) };

	if (rarog_memory_readv(pid, &ours, 1, &theirs) != sizeof(filtered) ||
	    filtered == RAROG_FILTERED)
		return;
	filtered = RAROG_FILTERED;
	if (rarog_memory_writev(pid, &ours, 1, &theirs) == sizeof(filtered))
		rarog_debug(RAROG_LOG_INSTALL, "process %d: a thread has a seccomp filter",
			    (int)pid);
}

void rarog_filters_tell(struct rarog_image *image, pid_t pid)
{
	__atomic_store_n(&image->control->filtered, 1, __ATOMIC_SEQ_CST);
	tell_process(image, pid);
}

static void look(struct rarog_image *image, const struct rarog_strand_shared *s)
{
	pid_t tid = (pid_t)(s->outer_tid ? s->outer_tid : s->tid);

	if (rarog_filters_has(tid, rarog_filters_inherited()))
		rarog_filters_tell(image, (pid_t)(s->outer_tid ? s->outer_pid : s->pid));
}

void rarog_filters_look(struct rarog_image *image, bool is_foreign)
{
	uint32_t looked = 0, index = image->looked_at;

	for (uint32_t i = 0; i < RAROG_STRANDS && looked < LOOKS; i++) {
		const struct rarog_strand_shared *s;
		uint32_t state;

		index = (index + 1) % RAROG_STRANDS;
		s = rarog_image_strand(image, index);
		state = __atomic_load_n(&s->state, __ATOMIC_ACQUIRE);
		if ((state != RAROG_STRAND_ACTIVE && state != RAROG_STRAND_KEPT) ||
		    (is_foreign && !s->outer_tid))
			continue;
		looked++;
		look(image, s);
	}
	image->looked_at = index;
}
