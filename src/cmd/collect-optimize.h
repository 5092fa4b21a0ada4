/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The techniques of rarog collect: where they get call graphs and what earlier runs said, and what
 * becomes of their account and of what this run says.
 */
#ifndef RAROG_CMD_COLLECT_OPTIMIZE_H
#define RAROG_CMD_COLLECT_OPTIMIZE_H

#include "cmd/command.h"
#include "cmd/project.h"
#include "cmd/technique-stats.h"
#include "collect/collector.h"
#include "optimize/optimize.h"

struct rarog_collect_optimize {
	const struct rarog_context *context;
	const struct rarog_optimize_options *options;
	char *const *argv; /* what is run: it tells one history from another */
	/* its own */
	struct rarog_optimizer optimizer;
	struct rarog_project project; /* opened before the run: git is a process, too */
	struct rarog_technique_stats stats;
};

/** rarog_collect_optimize_init() - @o has the first three. 0; -EINVAL with message: @collector or
 * @engine does not choose functions, or the options contradict each other; -errno. Release in any
 * case. */
int rarog_collect_optimize_init(struct rarog_collect_optimize *o,
				const struct rarog_collector *collector,
				const struct rarog_engine *engine);
void rarog_collect_optimize_release(struct rarog_collect_optimize *o); /* fits rarog_cleanup() */

/** rarog_collect_optimize_plan() - what techniques mean to @plan, which @engine carries out; what
 * does not work with it is not done, which a line says. */
void rarog_collect_optimize_plan(struct rarog_collect_optimize *o,
				 const struct rarog_engine *engine, struct rarog_plan *plan);

/** rarog_collect_optimize_say() - the account. 0, -ENOMEM. */
int rarog_collect_optimize_say(const struct rarog_collect_optimize *o);

/** rarog_collect_optimize_keep() - what the profile @path says, for runs to come, where there is a
 * store. 0; -errno with message. */
int rarog_collect_optimize_keep(struct rarog_collect_optimize *o, const char *path);

#endif
