/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/metric.h"

#include <stdlib.h>

#include "base/error.h"

static uint64_t own_time(const struct rarog_call_tree *tree, uint32_t node)
{
	return tree->nodes[node].exclusive;
}

static uint64_t own_cpu(const struct rarog_call_tree *tree, uint32_t node)
{
	const struct rarog_off_cpu_ticks *off_cpu = &tree->off_cpu[node];

	return rarog_cpu_ticks(tree->nodes[node].exclusive, off_cpu->waited, off_cpu->preempted);
}

static uint64_t own_waited(const struct rarog_call_tree *tree, uint32_t node)
{
	return tree->off_cpu[node].waited;
}

static uint64_t own_preempted(const struct rarog_call_tree *tree, uint32_t node)
{
	return tree->off_cpu[node].preempted;
}

static uint64_t own_calls(const struct rarog_call_tree *tree, uint32_t node)
{
	return tree->nodes[node].count;
}

const struct rarog_metric_kind rarog_metric_kinds[RAROG_METRICS] = {
	[RAROG_METRIC_TIME] = { "time", "time that passed, ns", true, false, own_time },
	[RAROG_METRIC_CPU] = { "cpu", "CPU time, ns", true, true, own_cpu },
	[RAROG_METRIC_WAITED] = { "waited", "time waited, ns", true, true, own_waited },
	[RAROG_METRIC_PREEMPTED] = { "preempted", "time another thread ran, ns", true, true,
				     own_preempted },
	[RAROG_METRIC_CALLS] = { "calls", "number of calls", false, false, own_calls },
};

bool rarog_metric_is_known(const struct rarog_call_tree *tree, enum rarog_view_metric metric)
{
	return tree->off_cpu || !rarog_metric_kinds[metric].needs_off_cpu;
}

/* A damaged profile may have more than there is room for. */
static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t *rarog_metric_sum(const struct rarog_call_tree *tree, enum rarog_view_metric metric)
{
	uint64_t *sums = calloc(tree->n + 1, sizeof(*sums));

	if (!sums)
		rarog_oom();
	for (size_t i = tree->n; sums && i-- > 0;) {
		uint32_t parent = tree->nodes[i].parent;

		sums[i] = add_up(sums[i], rarog_metric_kinds[metric].own(tree, (uint32_t)i));
		if (i > 0)
			sums[parent] = add_up(sums[parent], sums[i]);
	}
	return sums;
}
