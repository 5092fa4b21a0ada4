/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks collector: one run of a program that rarog cc compiled, into one profile. */
#ifndef RAROG_ENGINE_BLOCKS_BLOCKS_H
#define RAROG_ENGINE_BLOCKS_BLOCKS_H

#include "base/json-writer.h"
#include "engine/blocks/image.h"
#include "process/running.h"

struct rarog_blocks_options {
	struct rarog_command_line *command;
	const char *output; /* profile to write */
	const char *keep;   /* an older one is kept under this name; NULL: replaced */
	/* As in struct rarog_trace_options. */
	void (*describe)(struct rarog_json *json, void *user);
	void *user;
};

struct rarog_blocks_result {
	struct rarog_run_result run;
	struct rarog_block_totals totals;
	bool is_exact; /* nothing that the program's instrumented code did is missing */
	uint64_t profile_bytes;
};

/** rarog_blocks_write_parameters() - members "collector", "engine" and "parameters" of the header.
 */
void rarog_blocks_write_parameters(struct rarog_json *json);

/**
 * rarog_blocks() - run the program and write its profile
 *
 * Processes that it leaves behind are counted until it ends. What keeps counts from being exact is
 * warned of.
 *
 * Return: 0: the program ran (see ret_result->run) and the profile is written; -ENOENT, -EACCES …
 * as rarog_launch_failed(); -ENODATA: it ran, and nothing in it counts blocks; else negative. All
 * with message, and nothing is left behind.
 */
int rarog_blocks(const struct rarog_blocks_options *options,
		 struct rarog_blocks_result *ret_result);

#endif
