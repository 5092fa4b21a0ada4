/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that have the same memory. */
#ifndef RAROG_PROCESS_SHARING_H
#define RAROG_PROCESS_SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** rarog_sharing() - do two processes have the same memory, whichever of their threads live? Yes
 * also where that cannot be known. Not if one has none: it has ended, or is the kernel's. */
bool rarog_sharing(pid_t one, pid_t other);

/** rarog_sharing_any() - the same of @pid and any of @others, itself aside. @pid is looked for
 * once: after it has ended none of them is asked. */
bool rarog_sharing_any(pid_t pid, size_t n, const pid_t others[n]);

/** rarog_sharing_find() - a process that has the memory of @pid, or may have it, without being
 * @pid; @thread: of @pid, with memory. 0: none. */
pid_t rarog_sharing_find(pid_t pid, pid_t thread);

#endif
