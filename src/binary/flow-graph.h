/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine code of a function as a graph: its basic blocks and where each may go on. */
#ifndef RAROG_BINARY_FLOW_GRAPH_H
#define RAROG_BINARY_FLOW_GRAPH_H

#include "base/vec.h"
#include "binary/binary.h"

#define RAROG_GRAPH_OUTSIDE UINT32_MAX

struct rarog_code_graph_block {
	uint64_t address;
	uint32_t size, instructions; /* 0: where all jumps through tables meet */
	bool is_end;                 /* control never leaves it */
};

struct rarog_code_graph_edge {
	uint32_t from, to; /* blocks, or RAROG_GRAPH_OUTSIDE */
};

struct rarog_code_graph {
	RAROG_VEC(struct rarog_code_graph_block) blocks; /* by address; the first is the entry */
	RAROG_VEC(struct rarog_code_graph_edge) edges;
	bool may_leave; /* it calls what may end otherwise than by returning */
};

/* What has to be known of all functions of a binary for the graph of one. */
struct rarog_code_graphs;
struct rarog_code_map;
struct rarog_imports;

/** rarog_code_graphs_new() - @binary outlives it. 0, -ENOMEM, -EFBIG with message. */
int rarog_code_graphs_new(const struct rarog_binary *binary, struct rarog_code_graphs **ret_graphs);
void rarog_code_graphs_free(struct rarog_code_graphs *graphs);
RAROG_DEFINE_FREEP(rarog_code_graphs);

/** rarog_code_graphs_map(), rarog_code_graphs_imports() - of the binary; borrowed. */
const struct rarog_code_map *rarog_code_graphs_map(const struct rarog_code_graphs *graphs);
const struct rarog_imports *rarog_code_graphs_imports(const struct rarog_code_graphs *graphs);

/** rarog_code_graphs_never_returns() - is it known that a function does not return? */
bool rarog_code_graphs_never_returns(const struct rarog_code_graphs *graphs, size_t function);

/**
 * rarog_code_graphs_read() - the graph of a function
 * @function: its index in the binary
 * @may_leave: calls may end otherwise than by returning, unless it is known that they do not; else
 * those are taken to return that may
 *
 * Every way that control takes is an edge; there may be others that it never takes.
 *
 * Return: 0; -ENOTSUP without message: its bytes are not all instructions; -ENOMEM.
 */
int rarog_code_graphs_read(const struct rarog_code_graphs *graphs, size_t function, bool may_leave,
			   struct rarog_code_graph *ret_graph);
void rarog_code_graph_release(struct rarog_code_graph *graph); /* fits rarog_cleanup() */

/** rarog_code_graph_find() - the block that contains @address; its number, UINT32_MAX: none. */
uint32_t rarog_code_graph_find(const struct rarog_code_graph *graph, uint64_t address);

#endif
