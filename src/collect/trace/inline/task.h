/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_COLLECT_TRACE_INLINE_TASK_H
#define RAROG_COLLECT_TRACE_INLINE_TASK_H

#include <stdbool.h>
#include <sys/types.h>

/** struct rarog_task - a thread, as /proc tells it */
struct rarog_task {
	pid_t tid, pid, parent;
	pid_t inner_tid, inner_pid; /* in its own name space */
	long filters;               /* of seccomp; -1: this kernel does not say */
	long mode;                  /* of seccomp; 1: strict */
};

/** rarog_task_read() - thread @tid. Return: 0; -ESRCH: it is no more. */
int rarog_task_read(pid_t tid, struct rarog_task *ret_task);

#endif
