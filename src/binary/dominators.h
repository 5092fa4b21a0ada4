/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which blocks of a graph control comes to by way of another one only. */
#ifndef RAROG_BINARY_DOMINATORS_H
#define RAROG_BINARY_DOMINATORS_H

#include <stdbool.h>

#include "binary/edge-index.h"

struct rarog_dominators {
	uint32_t n_blocks;
	uint32_t *nearest; /* [blocks + 1]: the nearest block before it that all ways to it lead by;
			      n_blocks: the outside. RAROG_GRAPH_OUTSIDE: no way leads there */
	uint32_t *order;   /* [blocks + 1]: numbered so that a dominator has a greater one */
};

/**
 * rarog_dominators_make() - of the graph whose edges these are
 *
 * Source: Cooper, Harvey, Kennedy 2001. Return: 0, -ENOMEM. Release in any case.
 */
int rarog_dominators_make(const struct rarog_edge_index *into, const struct rarog_edge_index *out,
			  struct rarog_dominators *ret_dominators);
void rarog_dominators_release(struct rarog_dominators *dominators); /* fits rarog_cleanup() */

/** rarog_dominators_has() - does control come from outside to @block by way of @by only? Also where
 * it does not come there at all. */
bool rarog_dominators_has(const struct rarog_dominators *dominators, uint32_t by, uint32_t block);

#endif
