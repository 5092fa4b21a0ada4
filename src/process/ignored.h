/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that the program ignores do not end its waiting. */
#ifndef RAROG_PROCESS_IGNORED_H
#define RAROG_PROCESS_IGNORED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct rarog_wait {
	pid_t tid;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC, at the latest */
};

/** struct rarog_waits - waits with a limit that were begun again; {0}: none */
struct rarog_waits {
	RAROG_VEC(struct rarog_wait) begun;
};

/**
 * rarog_ignored_signal() - let a system call go on that an ignored signal has interrupted
 * @tid: a thread that we trace, stopped because @signal is on its way to it; 0: one that it does
 * not get
 *
 * Return: whether the thread must be resumed by PTRACE_SYSCALL, so that the end of the call is seen
 * by rarog_ignored_call(); else by PTRACE_CONT.
 */
bool rarog_ignored_signal(struct rarog_waits *waits, pid_t tid, int signal);

/**
 * rarog_ignored_call() - a thread that rarog_ignored_signal() was true for enters or leaves a call
 *
 * Return: as rarog_ignored_signal().
 */
bool rarog_ignored_call(struct rarog_waits *waits, pid_t tid);

bool rarog_ignored_is_watched(const struct rarog_waits *waits, pid_t tid);

/** rarog_ignored_end() - @tid is no more, or not ours any more */
void rarog_ignored_end(struct rarog_waits *waits, pid_t tid);

void rarog_ignored_release(struct rarog_waits *waits);

#endif
