/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directed graph of numbered nodes, as algorithms want it: where the arcs of a node lead. */
#ifndef RAROG_BINARY_DIGRAPH_H
#define RAROG_BINARY_DIGRAPH_H

#include <stddef.h>
#include <stdint.h>

struct rarog_digraph_arc {
	uint32_t from, to;
};

struct rarog_digraph {
	uint32_t n;      /* nodes */
	uint32_t *first; /* [n + 1]: into to */
	uint32_t *to;    /* in the order in which the arcs were given */
};

/** rarog_digraph_make() - of @n_arcs arcs between @n nodes; 0, -ENOMEM. Release in any case. */
int rarog_digraph_make(uint32_t n, size_t n_arcs, const struct rarog_digraph_arc arcs[],
		       struct rarog_digraph *ret_arcs);

/** rarog_digraph_turn() - every arc the other way round. */
int rarog_digraph_turn(const struct rarog_digraph *arcs, struct rarog_digraph *ret_arcs);
void rarog_digraph_release(struct rarog_digraph *arcs); /* fits rarog_cleanup() */

#endif
