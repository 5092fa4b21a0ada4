/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rarog binary callgraph prints. */
#ifndef RAROG_VIEW_BINARY_CALL_GRAPH_H
#define RAROG_VIEW_BINARY_CALL_GRAPH_H

#include <stdio.h>

#include "binary/call-facts.h"

struct rarog_call_view {
	const struct rarog_call_graph *graph;
	const struct rarog_call_facts *facts;
	bool sure;            /* sure edges only */
	const bool *is_shown; /* [callees]; NULL: all */
	long function;        /* the one that is asked about; -1: all */
	int width;
	bool colour;
};

/** rarog_call_graph_print() - a table of all functions, or the callers and callees of a function;
 * 0, -ENOMEM. */
int rarog_call_graph_print(const struct rarog_call_view *view, FILE *out);

/** rarog_call_graph_json() - doc/design/call-graph.md has the keys; 0, -EIO. */
int rarog_call_graph_json(const struct rarog_call_view *view, FILE *out);

/** rarog_call_graph_svg() - the shown callees, level by level; 0, -ENOMEM. */
int rarog_call_graph_svg(const struct rarog_call_view *view, FILE *out);

/** rarog_call_cost() - "constant", "needs bounds", "unknown"; "" of what has no code. */
const char *rarog_call_cost(const struct rarog_callee *callee);

#endif
