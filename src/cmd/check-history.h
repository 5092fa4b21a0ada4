/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rarog check --history`: where functions changed over the versions. */
#ifndef RAROG_CMD_CHECK_HISTORY_H
#define RAROG_CMD_CHECK_HISTORY_H

#include "check/method.h"
#include "cmd/project.h"
#include "view/verdict/verdict-view.h"

struct rarog_check_history {
	const struct rarog_context *context;
	struct rarog_project *project;
	const char *range;                         /* "A..B", "A..", "B"; NULL: all up to HEAD */
	uint64_t limit;                            /* lines for people, 0: all */
	const double *thresholds;                  /* of rarog_check_history_rules */
	const struct rarog_verdict_format *format; /* that has a history */
	bool save, fails_on_maybe, fails_never;
};

/** rarog_check_history_rules - name and thresholds, for --methods and --set; compares no pairs. */
extern const struct rarog_check_method rarog_check_history_rules;

/** rarog_check_history() - find and print; the exit code, or -errno. */
int rarog_check_history(const struct rarog_check_history *how);

#endif
