/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time collector: one run of a program as it is, nothing in it, and what the kernel says of it
 * at its end. */
#ifndef RAROG_ENGINE_TIME_TIME_H
#define RAROG_ENGINE_TIME_TIME_H

#include "base/json-writer.h"
#include "process/running.h"

struct rarog_time_options {
	const struct rarog_command_line *command;
	const char *output; /* profile to write */
	const char *keep;   /* an older one is kept under this name; NULL: replaced */
	/* As in struct rarog_trace_options. */
	void (*describe)(struct rarog_json *json, void *user);
	void *user;
};

struct rarog_time_result {
	struct rarog_run_result run;
	uint64_t profile_bytes;
};

/** rarog_time_write_parameters() - members "collector", "engine" and "parameters" of the header. */
void rarog_time_write_parameters(struct rarog_json *json);

/**
 * rarog_time() - run the program and write its profile, which is a header ("end" has the amounts)
 *
 * Return: 0: the program ran (see ret_result->run) and the profile is written; -ENOENT, -EACCES …
 * as rarog_launch_failed(); else negative. All with message, and nothing is left behind.
 */
int rarog_time(const struct rarog_time_options *options, struct rarog_time_result *ret_result);

#endif
