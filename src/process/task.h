/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_PROCESS_TASK_H
#define RAROG_PROCESS_TASK_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
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

/** rarog_task_has_memory() - has it not ended yet? A process's first may while others go on. */
bool rarog_task_has_memory(pid_t tid);

/**
 * rarog_task_other() - a task of process @pid that has memory, but for the first
 * @ret_others: stands for which others than the first it has; 0: none
 *
 * Return: 0: none was found.
 */
pid_t rarog_task_other(pid_t pid, uint64_t *ret_others);

/** rarog_task_living() - a task of process @pid that has memory, the first if it can be; that, too,
 * if there is none. */
pid_t rarog_task_living(pid_t pid);

/** rarog_task_next() - the next number that @directory of /proc lists; 0: no more. */
pid_t rarog_task_next(DIR *directory);

/** rarog_process_status() - a number of /proc/PID/status, 0: of the caller's, also if /proc numbers
 * processes otherwise; @field with its colon. -1: not there. */
long rarog_process_status(pid_t pid, const char *field);

#endif
