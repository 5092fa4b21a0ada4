/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All jumps of a module in a process, put in and taken out with their semaphores, not while they
 * are looked at. What has a foreign breakpoint is left out and named.
 */
#ifndef RAROG_ENGINE_INLINE_CODE_JUMPS_H
#define RAROG_ENGINE_INLINE_CODE_JUMPS_H

#include "engine/inline/code/image.h"

/** rarog_jumps_write() - put the jumps of @installed in. 0; errors of patch.h, semaphores.h. */
int rarog_jumps_write(struct rarog_image *image, struct rarog_remote *remote,
		      const struct rarog_installed *installed);

/** rarog_jumps_restore() - take them out. @but_hooks: those stay. Return: as rarog_jumps_write().
 */
int rarog_jumps_restore(struct rarog_remote *remote, const struct rarog_installed *installed,
			bool but_hooks);

/** rarog_jumps_tell() - what @patch serves is not measured any more, or never was. */
void rarog_jumps_tell(const struct rarog_installed *installed, const struct rarog_patch *patch,
		      enum rarog_drop why);

/** rarog_jumps_lose_hook() - a hook has a breakpoint: no call is recorded from here on.
 * @was_there: before it was to be patched */
void rarog_jumps_lose_hook(struct rarog_image *image, const struct rarog_installed *installed,
			   struct rarog_patch *patch, bool was_there);

#endif
