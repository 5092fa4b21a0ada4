/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_COLLECT_UNTRACED_H
#define RAROG_COLLECT_UNTRACED_H

#include "collect/run.h"

/**
 * rarog_run_untraced() - run the program without measuring it (--warmup)
 *
 * Time limit and signals as in a measured run. Return: 0 it ran, whatever its status; else
 * negative with message, @ret_run->launch_error says whether it could not be started.
 */
int rarog_run_untraced(const struct rarog_command_line *command, struct rarog_run_result *ret_run);

#endif
