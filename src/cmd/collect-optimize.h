/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The techniques of rarog collect: with the project of the current directory, and their account. */
#ifndef RAROG_CMD_COLLECT_OPTIMIZE_H
#define RAROG_CMD_COLLECT_OPTIMIZE_H

#include "cmd/command.h"
#include "cmd/project.h"
#include "collect/collector.h"
#include "run/techniques.h"

struct rarog_collect_optimize {
	const struct rarog_context *context;
	const struct rarog_optimize_options *options;
	char *const *argv; /* what is run: it tells one history from another */
	/* its own */
	struct rarog_techniques techniques;
	struct rarog_project project; /* opened before the run: git is a process, too */
};

/** rarog_collect_optimize_init() - @o has the first three. 0; -EINVAL with message: @collector or
 * @engine does not choose functions, or the options contradict each other; -errno. Release in any
 * case. */
int rarog_collect_optimize_init(struct rarog_collect_optimize *o,
				const struct rarog_collector *collector,
				const struct rarog_engine *engine);
void rarog_collect_optimize_release(struct rarog_collect_optimize *o); /* fits rarog_cleanup() */

/** rarog_collect_optimize_end() - the account is printed, and what the run taught is kept; that the
 * latter fails is a warning, the run counts. @r: how the run ended. Returns it, or -ENOMEM. */
int rarog_collect_optimize_end(struct rarog_collect_optimize *o, const char *profile, int r);

#endif
