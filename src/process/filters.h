/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_PROCESS_FILTERS_H
#define RAROG_PROCESS_FILTERS_H

#include <stdbool.h>

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

#endif
