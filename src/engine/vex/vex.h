/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace collector's engine vex: one run under the Valgrind tool, into one profile. */
#ifndef RAROG_ENGINE_VEX_VEX_H
#define RAROG_ENGINE_VEX_VEX_H

#include "base/json-writer.h"
#include "engine/vex/image.h"
#include "plan/plan.h"
#include "process/running.h"

struct rarog_vex_options {
	struct rarog_command_line *command;
	const char *output;      /* profile to write */
	const char *keep;        /* an older one is kept under this name; NULL: replaced */
	struct rarog_plan *plan; /* of which .follow, .accesses and .values are for it */
	/* As in struct rarog_trace_options. */
	void (*describe)(struct rarog_json *json, void *user);
	void *user;
};

struct rarog_vex_result {
	struct rarog_run_result run;
	struct rarog_vex_totals totals;
	uint64_t lost; /* files and processes of which something is missing */
	uint64_t profile_bytes;
};

/** rarog_vex_write_parameters() - members "collector", "engine", "detail" and "parameters" of the
 * header. */
void rarog_vex_write_parameters(struct rarog_json *json, const struct rarog_plan *plan);

/**
 * rarog_vex() - run the program and write its profile
 *
 * Processes that it leaves behind are counted until it ends. What is missing is warned of.
 *
 * Return: 0: the program ran (see ret_result->run) and the profile is written; -ENOENT, -EACCES …
 * as rarog_launch_failed(); as rarog_vex_tool_find(); -ENODATA: it ran, and nothing was counted;
 * else negative. All with message, and nothing is left behind.
 */
int rarog_vex(const struct rarog_vex_options *options, struct rarog_vex_result *ret_result);

#endif
