/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions can reach which: a set of bits for each component of a graph. And from that which
 * functions are at its bottom, and at its top.
 */
#ifndef RAROG_BINARY_CALL_REACH_H
#define RAROG_BINARY_CALL_REACH_H

#include "binary/call-order.h"

struct rarog_call_reach {
	const struct rarog_components *components; /* borrowed */
	size_t words;                              /* of a set */
	uint64_t *bits;                            /* [components][words] */
};

/** rarog_call_reach_make() - 0; -ENOMEM; -EFBIG without message: it would take over 1 GiB. Release
 * in any case. */
int rarog_call_reach_make(const struct rarog_digraph *arcs,
			  const struct rarog_components *components,
			  struct rarog_call_reach *ret_reach);
void rarog_call_reach_release(struct rarog_call_reach *reach); /* fits rarog_cleanup() */

/** rarog_call_reach_has() - do arcs lead from @from to @to? Every node comes to itself. */
bool rarog_call_reach_has(const struct rarog_call_reach *reach, uint32_t from, uint32_t to);

/** rarog_call_bottom() - the nodes whose arcs lead back only, into their own component, or that
 * have none. @ret: [nodes]. */
void rarog_call_bottom(const struct rarog_digraph *arcs, const struct rarog_components *components,
		       bool ret[]);

/**
 * rarog_call_top() - the nodes that no other one leads to from outside their component, after @root
 * and the chain of only callees that begins with it were cut off
 * @is_there: [nodes]: those that count. Where nothing is left it is @root.
 *
 * Return: 0, -ENOMEM.
 */
int rarog_call_top(const struct rarog_digraph *arcs, const struct rarog_components *components,
		   uint32_t root, const bool is_there[], bool ret[]);

#endif
