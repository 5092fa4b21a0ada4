/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-metrics.h"

#include "base/clock.h"
#include "cmd/project-graph.h"
#include "view/metrics.h"

const char *const rarog_collect_metrics_names[] = { "none", "text", "json", NULL };

/* As techniques get it; the time that it takes is none of the run's. */
static int find_graph(void *user, const char *path, struct rarog_call_graph *ret_graph)
{
	const struct rarog_call_wanted wanted = { .path = path, .options = { .keep_parts = true } };

	return rarog_call_graph_kept(user, &wanted, ret_graph);
}

int rarog_collect_metrics_say(const struct rarog_collect_optimize *optimize,
			      enum rarog_collect_metrics how, const char *profile,
			      uint64_t start_ns, uint64_t drive_ns)
{
	const struct rarog_optimizer *o = &optimize->techniques.optimizer;
	struct rarog_context context = *optimize->context;
	const struct rarog_metric_times times = {
		.profiling_ns = rarog_now_ns() - start_ns,
		.collection_ns = drive_ns > o->spent_ns ? drive_ns - o->spent_ns : 0,
		.overhead_ns = o->spent_ns,
		.resources_ns = o->resources_ns,
	};
	const struct rarog_metric_graphs graphs = {
		.graph = find_graph,
		.user = &context,
		.levels = (enum rarog_level_rule)o->parameters.number[RAROG_PARAMETER_CG_LEVELS],
	};
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *opened = NULL;
	struct rarog_metrics metrics;
	int r;

	if (how == RAROG_METRICS_NONE || !*profile)
		return 0;
	r = rarog_profile_open(profile, &opened);
	if (r == 0)
		r = rarog_metrics_find(opened, &times, &graphs, &metrics);
	if (r < 0)
		return r;
	return how == RAROG_METRICS_JSON ? rarog_metrics_write(&metrics, stdout)
					 : rarog_metrics_print(&metrics, stderr, context.colour);
}
