/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state while it runs, for people: a line a run, and one a round. */
#ifndef RAROG_BLOW_LOG_H
#define RAROG_BLOW_LOG_H

#include "blow/run.h"

/* Nothing is written where options->log is NULL. @elapsed_ns: of the session. */
void rarog_blow_log_run(const struct rarog_blow_task *task,
			const struct rarog_blow_outcome *outcome,
			const struct rarog_blow_result *result, uint64_t elapsed_ns);
void rarog_blow_log_round(const struct rarog_blow_options *options,
			  const struct rarog_blow_result *result, uint64_t elapsed_ns);

#endif
