/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run would measure and cost, found without running the program. */
#ifndef RAROG_ENGINE_INLINE_DRY_RUN_H
#define RAROG_ENGINE_INLINE_DRY_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "plan/plan.h"

/**
 * rarog_dry_run() - print it for @program, as collect would find it
 * @plan: patterns count their hits
 * @json: doc/design/json.md has the keys
 *
 * What a script starts is known only when it runs: of --binary, those that are paths of files are
 * looked at.
 *
 * Return: 0; -ENOENT when the program is not there, or no function would be probed (the message
 * names what is near); errors of rarog_binary_open().
 */
int rarog_dry_run(struct rarog_plan *plan, const char *program, bool json, FILE *out);

#endif
