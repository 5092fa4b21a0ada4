/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One more run, with noise in the function that matters most, and with each call recorded. */
#ifndef RAROG_BLOW_BEST_RUN_H
#define RAROG_BLOW_BEST_RUN_H

#include "blow/blow.h"

/** rarog_blow_best() - what hangs most on slower code, or gains most by faster; NULL: nothing has
 * an estimate. */
const struct rarog_blow_function *rarog_blow_best(const struct rarog_blow_options *options,
						  const struct rarog_blow_result *result);

/**
 * rarog_blow_best_run() - of rarog_blow_best(), to the profile @path
 *
 * A probe records calls or makes them late, so what is late here is a mark of its own where the
 * function begins: the noise is in the function's time. Return: 0; -errno with message.
 */
int rarog_blow_best_run(const struct rarog_blow_options *options, struct rarog_blow_result *result,
			const char *path);

#endif
