/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a git hook of ours does when git calls it. */
#ifndef RAROG_CMD_HOOK_RUN_H
#define RAROG_CMD_HOOK_RUN_H

#include "cmd/project.h"

#define RAROG_HOOK_LOG "hook.log" /* in the store */

/** rarog_hook_command() - what the hook @name does where nobody said. */
const char *rarog_hook_command(const char *name);

/**
 * rarog_hook_run() - for the hook @name, with its input on standard input
 *
 * In the background: returns at once, whatever happens; one run at a time, others queue. As a gate:
 * an exit code of the command other than 0 is returned as such, with message.
 */
int rarog_hook_run(const struct rarog_context *context, const char *name);

#endif
