/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace collector: one run of a program under a plan, into one profile. */
#ifndef RAROG_ENGINE_INLINE_MEASURE_H
#define RAROG_ENGINE_INLINE_MEASURE_H

#include "base/json-writer.h"
#include "events/recorder.h"
#include "plan/plan.h"
#include "process/running.h"

struct rarog_attachment;

struct rarog_trace_options {
	struct rarog_plan *plan;
	struct rarog_command_line *command;
	const struct rarog_attachment *attachment; /* to this process, whose command line @command
						    * tells; NULL: @command is run */
	const char *output;                        /* profile to write */
	const char *keep; /* an older one is kept under this name; NULL: replaced */
	bool compensate;
	/* Writes the header's members about version and machine (and more, as it likes), usually
	 * rarog_surroundings_describe(); NULL: none. Called when the program has ended, twice. */
	void (*describe)(struct rarog_json *json, void *user);
	void *user;
};

struct rarog_trace_result {
	struct rarog_run_result run;
	struct rarog_recorder_totals totals;
	uint64_t profile_bytes;
	uint64_t functions, patched;
	uint32_t images;
	bool detached;        /* the program goes on */
	uint64_t stood_ns[2]; /* how long it stood still, for attaching and for detaching */
};

/** rarog_trace_write_parameters() - members "collector", "engine", "detail" and "parameters" of the
 * header of a run under @plan. */
void rarog_trace_write_parameters(struct rarog_json *json, const struct rarog_plan *plan);

/** rarog_trace_write_values() - of "parameters" the member "values". */
void rarog_trace_write_values(struct rarog_json *json, const struct rarog_value_wishes *wishes);

/** rarog_trace_write_plan() - the same for another engine that follows plans. */
void rarog_trace_write_plan(struct rarog_json *json, const char *engine,
			    const struct rarog_plan *plan);

/**
 * rarog_trace() - run the program, or attach to one that runs, and write its profile
 *
 * Return: 0: the program ran (see ret_result->run) and the profile is written; -ENOENT, -EACCES …
 * as rarog_launch_failed(); negative with message otherwise, nothing is left behind.
 */
int rarog_trace(const struct rarog_trace_options *options, struct rarog_trace_result *ret_result);

#endif
