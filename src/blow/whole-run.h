/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run, or a window, that counts. */
#ifndef RAROG_BLOW_WHOLE_RUN_H
#define RAROG_BLOW_WHOLE_RUN_H

#include "blow/live.h"

/**
 * rarog_blow_whole_run() - as rarog_blow_run(), again and again until noise did not end in it
 * @live: NULL: there are runs; else windows of it
 * @input: rarog_blow_input_begin()
 * @spoilt: how many did not count is added
 *
 * Return: 0; -EINTR: a signal that ends rarog has come; -ENODATA: none counts; as rarog_blow_run()
 * and rarog_blow_live_run(). With message.
 */
int rarog_blow_whole_run(struct rarog_blow_live *live, long input,
			 const struct rarog_blow_task *task, uint64_t *spoilt,
			 struct rarog_blow_outcome *ret_outcome);

/** rarog_blow_check_wanted() - 0; -EINTR with message: a signal that ends rarog has come. */
int rarog_blow_check_wanted(const struct rarog_blow_options *options);

#endif
