/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The context tree folded to (caller, callee) pairs, as callgrind's format wants it.
 *
 * Recursion: a callee's cost is added only where the callee is not already on the path above; the
 * inner calls are part of that. A function that calls itself so gets its calls with cost 0, and own
 * cost + cost of its callees is what it was on the stack for.
 */
#ifndef RAROG_VIEW_EXPORT_ARCS_H
#define RAROG_VIEW_EXPORT_ARCS_H

#include "view/metric.h"

#define RAROG_ARC_AMOUNTS RAROG_METRIC_CALLS /* at most; calls are no cost here */

/* Caller RAROG_NONE: called from outside. */
struct rarog_arc {
	uint32_t caller, callee;
	uint64_t count;
	uint64_t inclusive[RAROG_ARC_AMOUNTS];
};

/* What a function costs itself. */
struct rarog_own_cost {
	uint64_t ticks[RAROG_ARC_AMOUNTS];
};

struct rarog_arcs {
	size_t n;
	struct rarog_arc *v;         /* by caller, then callee; those from outside are last */
	struct rarog_own_cost *self; /* self[n_locations]: of no location */
	size_t n_locations;
	size_t n_amounts; /* of rarog_metric_kinds: those known */
};

/**
 * rarog_arcs_make() - of a whole tree whose locations are below @n_locations
 *
 * To be released on failure, too. Return: 0; -ENOMEM.
 */
int rarog_arcs_make(const struct rarog_call_tree *tree, size_t n_locations,
		    struct rarog_arcs *ret_arcs);
void rarog_arcs_release(struct rarog_arcs *arcs);

#endif
