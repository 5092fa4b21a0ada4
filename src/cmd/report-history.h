/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a range of versions, for rarog report A..B. */
#ifndef RAROG_CMD_REPORT_HISTORY_H
#define RAROG_CMD_REPORT_HISTORY_H

#include "cmd/command.h"
#include "cmd/option-choice.h"

struct rarog_report_history {
	const char *range;  /* has ".." */
	const char *output; /* no tags; NULL: "A..B.html" or .svg in the current directory */
	const char *title;
	const char *svg; /* a drawing of versions instead of the page; NULL: the page */
	const struct rarog_option_choice *options;
	const struct rarog_strings *jobs; /* only these; empty: all */
};

/**
 * rarog_report_history() - read every profile of the range and write the page
 * @ret_output: its name, "-" standard output; the caller frees
 *
 * Return: 0; as rarog_history_range_read() and rarog_html_history_write().
 */
int rarog_report_history(const struct rarog_context *context,
			 const struct rarog_report_history *how, char **ret_output);

#endif
