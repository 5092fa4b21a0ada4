/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of two versions, for rarog report BASE TARGET and rarog check --html. */
#ifndef RAROG_CMD_REPORT_PAIR_H
#define RAROG_CMD_REPORT_PAIR_H

#include "cmd/command.h"
#include "cmd/option-choice.h"
#include "view/html/pair.h"

/** rarog_report_pair_save() - the page as file @output ("-": standard output), which gets its name
 * when it is whole. 0; -errno with message; as rarog_pair_write(). */
int rarog_report_pair_save(const struct rarog_checks *checks,
			   const struct rarog_pair_options *options, const char *output);

struct rarog_report_pair {
	const char *baseline, *target; /* operands as of rarog check */
	const char *output;            /* no tags; NULL: "BASE..TARGET.html" here */
	const char *title;
	const char *svg; /* a drawing of this instead of the page */
	size_t max_frames;
	bool is_forced;
	bool without_sources; /* of blocks */
	const struct rarog_option_choice *options;
	const struct rarog_strings *jobs; /* only these; empty: all */
};

/**
 * rarog_report_pair() - compare two operands by the project's strategies, else by runs, and write
 * the page
 * @ret_output: its name, "-" standard output; the caller frees
 *
 * Return: 0; as rarog_run_set_of(), rarog_checks_add() and rarog_report_pair_save().
 */
int rarog_report_pair(const struct rarog_context *context, const struct rarog_report_pair *how,
		      char **ret_output);

#endif
