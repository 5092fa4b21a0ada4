/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What breaks.c does for break-traps.c: breakpoints are found in both. */
#ifndef RAROG_ENGINE_INLINE_COEXIST_BREAKS_FOUND_H
#define RAROG_ENGINE_INLINE_COEXIST_BREAKS_FOUND_H

#include "engine/inline/code/image.h"

/** rarog_breaks_lock() - nobody else changes patches, or what is known of them. It may be held by
 * the caller already. */
void rarog_breaks_lock(void);
void rarog_breaks_unlock(void);

/** rarog_breaks_lose() - a breakpoint has come into @patch, in process @pid: all jumps of what it
 * is @installed with shall go, all of the image's if it is a hook. */
void rarog_breaks_lose(struct rarog_image *image, struct rarog_installed *installed,
		       struct rarog_patch *patch, pid_t pid);

/** rarog_breaks_keep_places() - of the image's places only the @wanted ones are left; the lock is
 * held. */
void rarog_breaks_keep_places(struct rarog_image *image, const bool wanted[]);

#endif
