/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What breaks.c does for break-traps.c: breakpoints are found in both. */
#ifndef RAROG_ENGINE_INLINE_COEXIST_BREAKS_FOUND_H
#define RAROG_ENGINE_INLINE_COEXIST_BREAKS_FOUND_H

#include "engine/inline/code/image.h"

/** rarog_breaks_lock() - nobody else changes patches, or what is known of them. It may be held by
 * the caller already. */
void rarog_breaks_lock(void);
void rarog_breaks_unlock(void);

/**
 * rarog_breaks_note() - what @patch serves is not measured, because of a breakpoint
 * rarog_breaks_note_hook() - likewise, and without the hook nothing else may be
 * @was_there: before the patch
 */
void rarog_breaks_note(const struct rarog_installed *installed, struct rarog_patch *patch,
		       bool was_there);
void rarog_breaks_note_hook(struct rarog_image *image, const struct rarog_installed *installed,
			    struct rarog_patch *patch, bool was_there);

/** rarog_breaks_beware() - memory has @now in @patch's place, by somebody else. */
void rarog_breaks_beware(struct rarog_module *m, const struct rarog_patch *patch,
			 const uint8_t now[]);

/** rarog_breaks_keep_places() - of the image's places only the @wanted ones are left; the lock is
 * held. */
void rarog_breaks_keep_places(struct rarog_image *image, const bool wanted[]);

#endif
