/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flow of control through one function: where counters go, and all counts from those. */
#ifndef RAROG_BLOCKS_FLOW_H
#define RAROG_BLOCKS_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the function's callers are, and everything that never comes back. */
#define RAROG_FLOW_OUTSIDE 0

/* Each block is two nodes, with the edge of the block itself between them. */
#define RAROG_FLOW_IN(block)  (1 + 2 * (block))
#define RAROG_FLOW_OUT(block) (2 + 2 * (block))

enum rarog_flow_state {
	RAROG_FLOW_FREE,    /* may have a counter; before the placement */
	RAROG_FLOW_DERIVED, /* its count follows from others */
	RAROG_FLOW_COUNTED, /* has a counter */
	RAROG_FLOW_BLIND, /* cannot have one (a return, an edge of an indirect jump), or needs none
			   */
};

struct rarog_flow_edge {
	uint32_t from, to; /* nodes */
	enum rarog_flow_state state;
	bool is_split;   /* a counter here needs a block of its own */
	uint64_t weight; /* how often it is expected to be taken */
};

/* The first n_blocks edges are the blocks themselves, in their order. */
struct rarog_flow {
	size_t n_blocks, n_edges;
	struct rarog_flow_edge *edges;
};

/**
 * rarog_flow_place() - decide which of the free edges have a counter
 * @flow: every free edge becomes derived or counted
 *
 * What has no counter forms, together with the blind edges, a spanning tree of largest weight
 * (Knuth, The Art of Computer Programming 2.3.4.1; Ball and Larus, 1994); of two edges of one
 * weight the one that would have to be split goes without. Blind edges are in the tree whatever it
 * costs. The same
 * @flow always gives the same result.
 *
 * Return: number of counters, or -ENOMEM.
 */
long rarog_flow_place(struct rarog_flow *flow);

/* One count of the result. */
struct rarog_flow_count {
	int64_t count; /* negative only for the way out of a block that was left and entered midway
			*/
	bool is_known; /* all but blind edges on a circle of such edges */
};

/**
 * rarog_flow_solve() - all counts from those of the counters
 * @flow: placed
 * @counters: one for each counted edge, in the order of the edges
 * @ret_counts: n_edges results
 *
 * What enters a node leaves it (Kirchhoff's law). The counts of all blocks are always known.
 *
 * Return: 0, or -ENOMEM.
 */
int rarog_flow_solve(const struct rarog_flow *flow, const uint64_t *counters,
		     struct rarog_flow_count *ret_counts);

#ifdef __cplusplus
}
#endif
#endif
