/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The techniques of one run, of rarog collect or of a job: where they get call graphs, digests and
 * what earlier runs have shown, what they make of a plan, and what is kept of this run.
 */
#ifndef RAROG_RUN_TECHNIQUES_H
#define RAROG_RUN_TECHNIQUES_H

#include "engine/engine.h"
#include "optimize/optimize.h"
#include "run/technique-stats.h"

struct rarog_techniques {
	const struct rarog_optimize_options *options;
	/* store, vcs, argv, workload, version: its first members are the caller's, set before
	 * begin(), or between it and look() */
	struct rarog_technique_stats stats;
	struct rarog_optimizer optimizer; /* its own */
};

/** rarog_techniques_begin() - 0; -EINVAL with message: the options contradict each other. Release
 * in any case. */
int rarog_techniques_begin(struct rarog_techniques *t);

/** rarog_techniques_look() - at versions, if any technique wants to know. 0; -errno with message.
 */
int rarog_techniques_look(struct rarog_techniques *t);
void rarog_techniques_release(struct rarog_techniques *t); /* fits rarog_cleanup() */

/** rarog_techniques_plan() - what they mean to @plan, which @engine carries out; what does not work
 * with it is not done, which a line says. */
void rarog_techniques_plan(struct rarog_techniques *t, const struct rarog_engine *engine,
			   struct rarog_plan *plan);

/** rarog_techniques_keep() - what the profile @path says, for runs to come, where there is a store.
 * 0; -errno with message. */
int rarog_techniques_keep(struct rarog_techniques *t, const char *path);

#endif
