/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A filter of the program's own is one more than it got from rarog, which may be under some itself,
 * in a container for example. Filters never go.
 */
#include "process/filters.h"

#include <linux/seccomp.h>
#include <unistd.h>

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
