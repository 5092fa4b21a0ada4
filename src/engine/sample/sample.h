/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sample collector: where the threads of a run are, looked at many times a second by the
 * kernel, into one profile. Nothing is put into the program. */
#ifndef RAROG_ENGINE_SAMPLE_SAMPLE_H
#define RAROG_ENGINE_SAMPLE_SAMPLE_H

#include "base/json-writer.h"
#include "engine/sample/options.h"
#include "process/running.h"

struct rarog_sample_run_options {
	const struct rarog_sample_options *sample;
	struct rarog_command_line *command;
	pid_t pid; /* which runs already, its command line is @command; 0: run @command */
	uint64_t duration_ns; /* of the latter: at most so long; 0: until it ends */
	const char *output;   /* profile to write */
	const char *keep;     /* an older one is kept under this name; NULL: replaced */
	/* As in struct rarog_trace_options. */
	void (*describe)(struct rarog_json *json, void *user);
	void *user;
};

struct rarog_sample_result {
	struct rarog_run_result run;
	uint64_t samples, lost, cpu_ns;
	uint64_t profile_bytes;
};

/** rarog_sample_write_parameters() - members "collector", "engine" and "parameters" of the header.
 */
void rarog_sample_write_parameters(struct rarog_json *json,
				   const struct rarog_sample_options *options);

/**
 * rarog_sample_run() - run the program, or look at one that runs, and write its profile
 *
 * Processes that it leaves behind are sampled until it ends. What is missing is warned of.
 *
 * Return: 0: the program ran (see ret_result->run) and the profile is written; -ENOENT, -EACCES …
 * as rarog_launch_failed(); as rarog_sample_events_open(): it was not run; else negative. All with
 * message, and nothing is left behind.
 */
int rarog_sample_run(const struct rarog_sample_run_options *options,
		     struct rarog_sample_result *ret_result);

#endif
