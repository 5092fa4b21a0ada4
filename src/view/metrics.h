/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fifteen metrics of the documents (chapter 5.1): what a run cost, and how much of the program
 * it knows. */
#ifndef RAROG_VIEW_METRICS_H
#define RAROG_VIEW_METRICS_H

#include <stdio.h>

#include "model/kinds.h"
#include "optimize/subject.h"

/* Of what the run cost, what only the command knows. */
struct rarog_metric_times {
	uint64_t profiling_ns;  /* M_PT: all of it */
	uint64_t collection_ns; /* M_CPT: probes put in, the run, the profile written */
	uint64_t overhead_ns;   /* M_OO: techniques, with … */
	uint64_t resources_ns;  /* M_ORE: … what they need to know */
};

/* Where call graphs come from: as graph() of struct rarog_optimizer_sources. */
struct rarog_metric_graphs {
	int (*graph)(void *user, const char *path, struct rarog_call_graph *ret_graph);
	void *user;
	enum rarog_level_rule levels;
};

struct rarog_metrics {
	struct rarog_metric_times times;
	uint64_t run_ns;                   /* M_PRT */
	uint64_t raw_bytes, profile_bytes; /* M_RDV, M_PS */
	uint64_t locations, reached;       /* M_PL, M_PLR */
	/* M_HC, M_HCD, M_HCP and M_TLC, M_TLCP; shares are NAN where times or contexts are not
	 * known */
	double hotspot, hotspot_depth, top;
	uint64_t hotspot_functions, top_functions;
	bool is_estimated;        /* the shares: calls are sampled */
	struct rarog_kinds kinds; /* M_FC */
};

/** rarog_metrics_find() - 0; -EBADMSG with message, -ENOMEM. What has no call graph counts for no
 * coverage. */
int rarog_metrics_find(struct rarog_profile *profile, const struct rarog_metric_times *times,
		       const struct rarog_metric_graphs *graphs, struct rarog_metrics *ret_metrics);

/** rarog_metrics_print() - a line for each. 0, -ENOMEM. */
int rarog_metrics_print(const struct rarog_metrics *metrics, FILE *out, bool colour);

/** rarog_metrics_write() - as JSON. 0; -errno with message. */
int rarog_metrics_write(const struct rarog_metrics *metrics, FILE *out);

#endif
