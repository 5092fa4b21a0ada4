/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_COLLECT_TRACE_INLINE_FILTERS_H
#define RAROG_COLLECT_TRACE_INLINE_FILTERS_H

#include <stdbool.h>

#include "collect/trace/inline/image.h"

/** rarog_filters_inherited() - how many filters are on rarog itself. */
long rarog_filters_inherited(void);

/** rarog_filters_has() - is thread @tid under more of them than @inherited? */
bool rarog_filters_has(pid_t tid, long inherited);

/**
 * rarog_filters_look() - has a thread of @image forbidden itself system calls (seccomp)?
 *
 * Looks at 16 threads, at others the next time, so with more it takes longer to be seen. If so,
 * agents of the image make no futex call any more; before, they make one only when the ring is
 * nearly full. In the process itself no thread that has made no call yet is asked who it is: it is
 * left out.
 */
void rarog_filters_look(struct rarog_image *image);

#endif
