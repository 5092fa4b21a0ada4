/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jumps through tables in the graph of a function: to where the entries lead, and nowhere else. */
#ifndef RAROG_BINARY_FLOW_TABLES_H
#define RAROG_BINARY_FLOW_TABLES_H

#include "binary/flow-graph.h"
#include "binary/jump-table.h"

struct rarog_flow_tables {
	RAROG_VEC(struct rarog_jump_table) list; /* by jump */
	uint32_t n_unknown;                      /* indirect jumps that go through none */
};

/**
 * rarog_flow_tables_follow() - find the tables of @function and change the edges of its @graph
 *
 * A jump whose table is not found keeps its edge to where all such jumps meet. Return: 0, -ENOMEM.
 */
int rarog_flow_tables_follow(const struct rarog_code_graphs *graphs,
			     const struct rarog_filled_words *words, size_t function,
			     struct rarog_code_graph *graph, struct rarog_flow_tables *ret_tables);
void rarog_flow_tables_release(struct rarog_flow_tables *tables); /* fits rarog_cleanup() */

#endif
