/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which node comes before which in a graph with circles: its strongly connected components, and
 * levels.
 */
#ifndef RAROG_BINARY_CALL_ORDER_H
#define RAROG_BINARY_CALL_ORDER_H

#include <stdbool.h>

#include "binary/digraph.h"

#define RAROG_LEVEL_NONE UINT32_MAX /* no root leads there */

struct rarog_components {
	uint32_t n;
	uint32_t
		*of; /* [nodes]: an arc leads to a component with a smaller number, or to its own */
};

/** rarog_components_make() - Source: Tarjan 1972. 0, -ENOMEM. Release in any case. */
int rarog_components_make(const struct rarog_digraph *arcs,
			  struct rarog_components *ret_components);
void rarog_components_release(struct rarog_components *components); /* fits rarog_cleanup() */

/**
 * rarog_levels_find() - the longest path to each component from any root that reaches it
 * @is_root: [nodes]; with each root, what is reached by arcs
 * @ret_levels: [nodes]: 0 of a root that no other root leads to, nodes of one component the same
 *
 * Return: 0, -ENOMEM.
 */
int rarog_levels_find(const struct rarog_digraph *arcs, const struct rarog_components *components,
		      const bool is_root[], uint32_t ret_levels[]);

/**
 * rarog_levels_deepest() - the deepest level that each node leads to
 * @levels: [nodes]; RAROG_LEVEL_NONE counts as none
 * @ret_deepest: [nodes]; a node leads to itself; RAROG_LEVEL_NONE where there is no level
 *
 * Return: 0, -ENOMEM.
 */
int rarog_levels_deepest(const struct rarog_digraph *arcs,
			 const struct rarog_components *components, const uint32_t levels[],
			 uint32_t ret_deepest[]);

/**
 * rarog_levels_estimate() - levels by the documents' estimator (Algorithm 1)
 * @in: the arcs turned round
 * @rank: [nodes], different of each: which of several with the lowest estimate is first
 *
 * A node is done when all its callers are; its level is one more than the highest estimate of its
 * callers and callees. When no node is done that way, the open one with the lowest estimate is.
 * What @root does not lead to has no level and is not looked at. Return: 0, -ENOMEM.
 */
int rarog_levels_estimate(const struct rarog_digraph *out, const struct rarog_digraph *in,
			  uint32_t root, const uint32_t rank[], uint32_t ret_levels[]);

#endif
