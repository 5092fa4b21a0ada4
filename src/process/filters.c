/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A filter of the program's own is one more than it got from rarog, which may be under some itself,
 * in a container for example. Filters never go.
 */
#include "process/filters.h"

#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"
#include "process/memory.h"

#define LOOKS 64 /* at threads, each time */

/* Kernels before 5.9 do not count them: there is one, or there is none. So a program's own is not
 * seen where rarog itself is under some. */
long rarog_filters_number(long counted, long mode)
{
	return counted >= 0 ? counted : mode == SECCOMP_MODE_FILTER;
}

long rarog_filters_on(pid_t tid)
{
	long counted = rarog_process_status(tid, "Seccomp_filters:");

	return counted >= 0 ? counted
			    : rarog_filters_number(-1, rarog_process_status(tid, "Seccomp:"));
}

long rarog_filters_inherited(void)
{
	static long known; /* and 1 more: ours never change */

	if (!__atomic_load_n(&known, __ATOMIC_RELAXED))
		__atomic_store_n(&known, rarog_filters_on(getpid()) + 1, __ATOMIC_RELAXED);
	return __atomic_load_n(&known, __ATOMIC_RELAXED) - 1;
}

bool rarog_filters_of(const struct rarog_task *task)
{
	return rarog_filters_number(task->filters, task->mode) > rarog_filters_inherited() ||
	       task->mode == SECCOMP_MODE_STRICT;
}

bool rarog_filters_has(pid_t tid, long inherited)
{
	return rarog_filters_on(tid) > inherited ||
	       rarog_process_status(tid, "Seccomp:") == SECCOMP_MODE_STRICT;
}

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
