/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_PROCESS_FILTERS_H
#define RAROG_PROCESS_FILTERS_H

#include <stdbool.h>

#include "engine/inline/code/image.h"
#include "process/task.h"

/** rarog_filters_number() - of what /proc says: how many there are (-1: it does not), and the mode.
 */
long rarog_filters_number(long counted, long mode);

/** rarog_filters_on() - how many are on thread @tid, as far as the kernel says. */
long rarog_filters_on(pid_t tid);

/** rarog_filters_inherited() - how many filters are on rarog itself. */
long rarog_filters_inherited(void);

/** rarog_filters_has() - is thread @tid under more of them than @inherited? */
bool rarog_filters_has(pid_t tid, long inherited);

/** rarog_filters_of() - the same of a thread that was read, and rarog's own filters. */
bool rarog_filters_of(const struct rarog_task *task);

/**
 * rarog_filters_look() - has a thread of @image forbidden itself system calls (seccomp)?
 * @is_foreign: its processes live in a name space of their own
 *
 * Looks at 64 threads, at others the next time, so with more it takes longer to be seen. If so,
 * rarog_filters_tell().
 */
void rarog_filters_look(struct rarog_image *image, bool is_foreign);

/** rarog_filters_tell() - a thread of process @pid has a filter. From now on agents of @image make
 * no futex call any more, and those of the process no call at all, but where a library is loaded.
 */
void rarog_filters_tell(struct rarog_image *image, pid_t pid);

#endif
