/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function calls which, summed over the whole context tree (also over contexts that the flame
 * graph leaves out).
 */
#ifndef RAROG_VIEW_HTML_EDGES_H
#define RAROG_VIEW_HTML_EDGES_H

#include "view/tree.h"

struct rarog_edge {
	uint32_t caller; /* location, RAROG_NONE: called from outside of what was traced */
	uint32_t callee;
	uint32_t active; /* while walking */
	uint64_t count;
	uint64_t ticks; /* inclusive, of the outermost where the edge is below itself */
};

struct rarog_edges {
	size_t n, capacity;
	struct rarog_edge *v; /* in the order of their first occurrence */
};

/** rarog_edges_init() - Return: 0; -ENOMEM. */
int rarog_edges_init(struct rarog_edges *edges, const struct rarog_call_tree *tree);

void rarog_edges_release(struct rarog_edges *edges);

#endif
