/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jobs that a command runs: those of .rarog.yml, as the command line changes them, or one that
 * it gives itself. */
#ifndef RAROG_CMD_JOB_SPEC_H
#define RAROG_CMD_JOB_SPEC_H

#include "cmd/option-choice.h"
#include "run/task.h"
#include "store/settings.h"

struct rarog_job_options {
	struct rarog_strings commands, arguments, workloads, parameters, build, pre_run, post;
	struct rarog_option_choice choice; /* read before; of -c it is the job's */
	const char *collector, *engine;    /* NULL: as the file says */
	long repeat, warmup, untraced;     /* 0, -1, -1: as the file says */
	uint64_t timeout_ns;               /* 0: likewise */
	bool no_submodules;
};

#define RAROG_JOB_COLLECTOR_OPTIONS(type, member)                                                  \
	RAROG_OPT_STRING(0, "collector", type, member.collector, "NAME",                           \
			 "the collector that measures it (trace)"),                                \
		RAROG_OPT_STRING(0, "engine", type, member.engine, "NAME",                         \
				 "the collector's engine, as in rarog collect; any: the best "     \
				 "that works here"),                                               \
		RAROG_OPT_STRINGS('p', "param", type, member.parameters, "KEY=VALUE",              \
				  "a parameter of the collector: an option of rarog collect")

#define RAROG_JOB_OPTIONS_DEFAULT                                                                  \
	{                                                                                          \
		.warmup = -1, .untraced = -1                                                       \
	}

/** rarog_job_spec_read() - matrix and jobs of the settings; with options->commands that job alone.
 * 0; -ENOENT none; as rarog_run_spec_read(), rarog_job_choose(). The options and the settings
 * outlive the spec. */
int rarog_job_spec_read(const struct rarog_job_options *options,
			const struct rarog_settings *settings, struct rarog_run_spec *spec);

/** rarog_job_tasks() - append those of the jobs named; NULL is the matrix; none named: all.
 * Of several those are left out, with a warning, whose engine their collectors do not have, or
 * for which there is none here:
 * spec->refused. 0; -EINVAL; as rarog_tasks_add(). */
int rarog_job_tasks(struct rarog_run_spec *spec, size_t n, const char *const names[],
		    const struct rarog_generator_place *place, struct rarog_tasks *tasks);

/** rarog_job_refuse() - a job is not measured, because of the last error: a warning and a line in
 * spec->refused, once. The error is told by that. 0 or -ENOMEM. */
int rarog_job_refuse(struct rarog_run_spec *spec, const struct rarog_matrix *matrix);

#endif
