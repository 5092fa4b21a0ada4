/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways of a function as a profile has them. */
#ifndef RAROG_ENGINE_REWRITE_WAYS_H
#define RAROG_ENGINE_REWRITE_WAYS_H

#include "engine/rewrite/shape.h"
#include "profile/profile.h"

/** rarog_rewrite_way_from() - the block that an edge comes from; RAROG_NO_EDGE: it is not known, or
 * there is none. The return of a call comes from the call. */
uint32_t rarog_rewrite_way_from(const struct rarog_rewrite_shape *shape, size_t edge);

/**
 * rarog_rewrite_ways() - rows of all ways inside of a function, in their order
 * @counts: of the edges; NULL: 0
 * @first: row of its first block
 * @rows: room for all edges
 *
 * Return: how many.
 */
size_t rarog_rewrite_ways(const struct rarog_rewrite_shape *shape,
			  const struct rarog_flow_count *counts, uint32_t first,
			  struct rarog_edge_count rows[]);

/** rarog_rewrite_is_again() - does the way @edge lead from a block to itself? It is no change of
 * blocks, so it has a time stamp only now and then (copy.c); always where flags are live. */
bool rarog_rewrite_is_again(const struct rarog_rewrite_shape *shape, uint32_t edge);

#endif
