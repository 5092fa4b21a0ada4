/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a node of the call tree has itself: the amounts that views and exports can show by context.
 * One more is one more line in the table.
 */
#ifndef RAROG_VIEW_METRIC_H
#define RAROG_VIEW_METRIC_H

#include "view/tree.h"

enum rarog_view_metric {
	RAROG_METRIC_TIME, /* that passed: the sum of the next three */
	RAROG_METRIC_CPU,
	RAROG_METRIC_WAITED,
	RAROG_METRIC_PREEMPTED,
	RAROG_METRIC_CALLS,
	RAROG_METRICS
};

struct rarog_metric_kind {
	const char *name, *title; /* one word; for people */
	bool is_time;             /* ticks */
	bool needs_off_cpu;       /* only where CPU time is known */

	/** own() - without what is below; @tree->away is there if it is needed. */
	uint64_t (*own)(const struct rarog_call_tree *tree, uint32_t node);
};

extern const struct rarog_metric_kind rarog_metric_kinds[RAROG_METRICS];

/** rarog_metric_is_known() - of all nodes of @tree. */
bool rarog_metric_is_known(const struct rarog_call_tree *tree, enum rarog_view_metric metric);

/**
 * rarog_metric_sum() - of every node with all below it
 *
 * Return: sums[tree->n], the caller's; NULL: no memory.
 */
uint64_t *rarog_metric_sum(const struct rarog_call_tree *tree, enum rarog_view_metric metric);

#endif
