/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rarog log --graph METRIC`: one amount over the versions, drawn. */
#ifndef RAROG_CMD_LOG_CHART_H
#define RAROG_CMD_LOG_CHART_H

#include "cmd/option-choice.h"

struct rarog_log_chart {
	const struct rarog_context *context;
	const char *metric;             /* as check/line.h names it */
	const struct rarog_walk *range; /* first parents are followed */
	uint64_t limit;                 /* measured versions, 0: all */
	bool json;
	const struct rarog_option_choice *options;
	const char *job; /* only of jobs whose command line has this; NULL: of any */
};

/** rarog_log_take_metric() - --graph is a truth, but what follows may be what to draw: "--graph
 * METRIC" and "--graph=METRIC" become --metric. A word after it that a version may be called, too,
 * is @ret_after. 0 or -ENOMEM. */
int rarog_log_take_metric(int argc, char **argv, const char **ret_after);

/** rarog_log_chart() - print it. 0; -ENODATA nothing was measured; -errno. */
int rarog_log_chart(const struct rarog_log_chart *how);

#endif
