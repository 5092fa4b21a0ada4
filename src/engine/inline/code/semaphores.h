/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Semaphores of USDT probes: 16-bit counters in the program of its observers. Many programs work
 * out a probe's arguments, or come by the probe at all, only where it is not 0.
 */
#ifndef RAROG_ENGINE_INLINE_CODE_SEMAPHORES_H
#define RAROG_ENGINE_INLINE_CODE_SEMAPHORES_H

#include "engine/inline/code/image.h"

/* Which of the patches with semaphores were there. */
struct rarog_semaphores {
	const struct rarog_installed *installed; /* borrowed */
	bool *was_patched;                       /* [installed->n_patches]; NULL: there are none */
};

/**
 * rarog_semaphores_look() - before patches of @installed are written, or taken out
 * rarog_semaphores_settle() - and after: counters follow what has changed
 *
 * Return: 0; -ENOMEM, errors of rarog_remote_read() and rarog_remote_write(). Release in any case.
 */
int rarog_semaphores_look(struct rarog_remote *remote, const struct rarog_installed *installed,
			  struct rarog_semaphores *ret_semaphores);
int rarog_semaphores_settle(struct rarog_remote *remote, const struct rarog_semaphores *semaphores);
/** rarog_semaphores_lower() - of a single patch, which was taken out. 0; errors as above. */
int rarog_semaphores_lower(struct rarog_remote *remote, const struct rarog_installed *installed,
			   const struct rarog_patch *patch);
void rarog_semaphores_release(struct rarog_semaphores *semaphores);

#endif
