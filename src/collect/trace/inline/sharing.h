/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that have the same memory. */
#ifndef RAROG_COLLECT_TRACE_INLINE_SHARING_H
#define RAROG_COLLECT_TRACE_INLINE_SHARING_H

#include <stdbool.h>
#include <sys/types.h>

/** rarog_sharing() - do two tasks have the same memory? Not if one has none: it has ended, or is
 * the kernel's. */
bool rarog_sharing(pid_t one, pid_t other);

/** rarog_sharing_find() - a process that has the memory of @pid, whose living thread is @thread,
 * without being @pid. 0: none. */
pid_t rarog_sharing_find(pid_t pid, pid_t thread);

#endif
