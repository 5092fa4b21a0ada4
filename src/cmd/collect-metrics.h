/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog collect --metrics: what the run cost, and how much of the program it knows. */
#ifndef RAROG_CMD_COLLECT_METRICS_H
#define RAROG_CMD_COLLECT_METRICS_H

#include "cmd/collect-optimize.h"

enum rarog_collect_metrics { RAROG_METRICS_NONE, RAROG_METRICS_TEXT, RAROG_METRICS_JSON };

extern const char *const rarog_collect_metrics_names[]; /* "none", "text", "json", NULL */

#define RAROG_COLLECT_METRICS_OPTION(type, member)                                                 \
	RAROG_OPT_CHOICE_OR(0, "metrics", type, member, NULL, rarog_collect_metrics_names, "text", \
			    "say what the last run cost, and how much of the program it knows: "   \
			    "M_PT … M_FC of doc/design/techniques.md (json: to standard output)")

/** rarog_collect_metrics_say() - of @profile, which was collected from @start_ns until now,
 * @drive_ns of it by the engine. 0; -errno with message. */
int rarog_collect_metrics_say(const struct rarog_collect_optimize *optimize,
			      enum rarog_collect_metrics how, const char *profile,
			      uint64_t start_ns, uint64_t drive_ns);

#endif
