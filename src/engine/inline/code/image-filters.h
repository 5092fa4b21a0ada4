/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agents are told that their process may not make every system call. */
#ifndef RAROG_ENGINE_INLINE_CODE_IMAGE_FILTERS_H
#define RAROG_ENGINE_INLINE_CODE_IMAGE_FILTERS_H

#include <stdbool.h>

#include "engine/inline/code/image.h"

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
