/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that runs already: windows of time in the place of runs. It is attached to once; then
 * gates are changed from window to window, and what was counted in each is the difference of two
 * readings. What a window is worth is the time for a passage of the progress point in it.
 */
#ifndef RAROG_BLOW_LIVE_H
#define RAROG_BLOW_LIVE_H

#include "blow/run.h"

struct rarog_blow_live;

/**
 * rarog_blow_live_play() - attach, and let go of the program when @play has returned
 * @play: called by a thread of its own, with @user; makes windows by rarog_blow_live_run()
 * @ret_live: what it is to use, set before @play is called; it is gone when this returns
 *
 * Return: 0, also where a signal that ends rarog has come: what was measured until then counts;
 * what @play returned; -errno with message.
 */
int rarog_blow_live_play(const struct rarog_blow_task *task, int (*play)(void *user), void *user,
			 struct rarog_blow_live **ret_live);

/** rarog_blow_live_run() - as rarog_blow_run(), in a window. -ECANCELED, no message: there will be
 * none; with message -ESRCH: the program has ended, -ENODATA: it does nothing any more. */
int rarog_blow_live_run(struct rarog_blow_live *live, const struct rarog_blow_task *task,
			struct rarog_blow_outcome *ret_outcome);

#endif
