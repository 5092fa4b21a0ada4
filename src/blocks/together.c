/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Union-find; the first block of a group is its root. */
#include "blocks/together.h"

static uint32_t root_of(uint32_t *first, uint32_t block)
{
	while (first[block] != block)
		block = first[block] = first[first[block]];
	return block;
}

static void join(uint32_t *first, uint32_t a, uint32_t b)
{
	a = root_of(first, a);
	b = root_of(first, b);
	first[a > b ? a : b] = a < b ? a : b;
}

void rarog_together_find(const struct rarog_tally *tally,
			 const struct rarog_tally_function *function, uint32_t *ret_first)
{
	for (uint32_t i = 0; i < function->n; i++)
		ret_first[i] = i;
	for (uint32_t i = 0; i < function->n_edges; i++) {
		const struct rarog_edge_count *way = &tally->edges[function->first_edge + i];
		uint64_t count = way->is_unknown ? 0 : way->count;

		if (count > 0 && tally->blocks[way->from].count == count &&
		    tally->blocks[way->to].count == count)
			join(ret_first, way->from - function->first, way->to - function->first);
	}
	for (uint32_t i = 0; i < function->n; i++)
		ret_first[i] = root_of(ret_first, i);
}
