/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One walk over the tree. An edge's time counts where the edge is not already on the path from the
 * root, so recursion counts once. Open addressing; the table holds indices and is kept half empty.
 */
#include "view/html/edges.h"

#include <string.h>

#include "base/error.h"
#include "base/vec.h"

struct table {
	size_t size; /* a power of two */
	uint32_t *slots;
};

static size_t slot_of(const struct table *table, const struct rarog_edge *v, uint32_t caller,
		      uint32_t callee)
{
	uint64_t key = ((uint64_t)caller << 32 | callee) * 0x9e3779b97f4a7c15U;
	size_t at = (size_t)(key >> 20) & (table->size - 1);

	while (table->slots[at] != RAROG_NONE &&
	       (v[table->slots[at]].caller != caller || v[table->slots[at]].callee != callee))
		at = (at + 1) & (table->size - 1);
	return at;
}

static int grow(struct table *table, const struct rarog_edges *edges)
{
	struct table larger = { .size = table->size * 2 };

	larger.slots = malloc(larger.size * sizeof(*larger.slots));
	if (!larger.slots)
		return rarog_oom();
	memset(larger.slots, 0xff, larger.size * sizeof(*larger.slots));
	for (size_t i = 0; i < edges->n; i++)
		larger.slots[slot_of(&larger, edges->v, edges->v[i].caller, edges->v[i].callee)] =
			(uint32_t)i;
	free(table->slots);
	*table = larger;
	return 0;
}

/* Index of the edge, made if it is new. */
static long find(struct rarog_edges *edges, struct table *table, uint32_t caller, uint32_t callee)
{
	if ((edges->n + 1) * 2 > table->size && grow(table, edges) < 0)
		return -1;
	size_t at = slot_of(table, edges->v, caller, callee);

	if (table->slots[at] == RAROG_NONE) {
		if (rarog_vec_push(edges,
				   (struct rarog_edge){ .caller = caller, .callee = callee }) < 0)
			return rarog_oom();
		table->slots[at] = (uint32_t)edges->n - 1;
	}
	return (long)table->slots[at];
}

static int walk_all(struct rarog_edges *edges, struct table *table,
		    const struct rarog_call_tree *tree)
{
	struct rarog_call_tree_walk walk = { .tree = tree, .is_unordered = true };

	while (rarog_call_tree_step(&walk)) {
		const struct rarog_node *node = &tree->nodes[walk.node];

		if (walk.node == 0)
			continue;
		uint32_t caller = node->parent ? tree->nodes[node->parent].location : RAROG_NONE;
		long i = find(edges, table, caller, node->location);

		if (i < 0)
			return rarog_oom();
		struct rarog_edge *edge = &edges->v[i];

		if (walk.is_leaving) {
			edge->active--;
			continue;
		}
		edge->count += node->count;
		if (edge->active++ == 0)
			edge->ticks += node->inclusive;
	}
	return 0;
}

int rarog_edges_init(struct rarog_edges *edges, const struct rarog_call_tree *tree)
{
	struct table table = { .size = 512 };

	*edges = (struct rarog_edges){ 0 };
	int r = grow(&table, edges);

	if (r == 0)
		r = walk_all(edges, &table, tree);
	free(table.slots);
	if (r < 0)
		rarog_edges_release(edges);
	return r;
}

void rarog_edges_release(struct rarog_edges *edges)
{
	rarog_vec_release(edges);
	*edges = (struct rarog_edges){ 0 };
}
