/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a run of rarog collect ended: what that means for its exit status and for the next run. */
#ifndef RAROG_CMD_COLLECT_END_H
#define RAROG_CMD_COLLECT_END_H

#include <signal.h>
#include <stdbool.h>

#include "process/running.h"

/** rarog_collect_end_status() - the exit status that says how the program ended. */
int rarog_collect_end_status(const struct rarog_run_result *run);

/** rarog_collect_end_is_wanted() - did somebody end it? Users who press Ctrl-C do not want the next
 * run. */
bool rarog_collect_end_is_wanted(const struct rarog_run_result *run);

/**
 * rarog_collect_end_failed() - an engine has returned @r < 0, with message: there is no profile
 * @mask: that rarog was started with
 *
 * Return: @r; or, and the message has been printed, the exit status: the program could not be
 * started, or somebody ended it or rarog before there was anything to keep.
 */
int rarog_collect_end_failed(const struct rarog_run_result *run, const sigset_t *mask, int r);

#endif
