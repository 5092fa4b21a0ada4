/* SPDX-License-Identifier: GPL-3.0-or-later */
/* At which end of a system call does a thread stand? */
#ifndef RAROG_PROCESS_CALL_STOP_H
#define RAROG_PROCESS_CALL_STOP_H

#include <stdbool.h>
#include <sys/types.h>

struct rarog_call_stop {
	bool is_entry;
	long result; /* where it is none */
};

/** rarog_call_stop() - of @tid, which is in a stop of PTRACE_SYSCALL. Return: whether it is in one,
 * and of those the kernel tells. */
bool rarog_call_stop(pid_t tid, struct rarog_call_stop *ret_stop);

#endif
