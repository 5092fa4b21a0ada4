/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One walk over the tree. An edge's time counts where the edge is not already on the path from the
 * root, so recursion counts once.
 */
#include "view/html/edges.h"

#include "base/error.h"
#include "base/index.h"
#include "base/vec.h"

static bool is_edge(const void *list, size_t number, const void *key)
{
	const struct rarog_edge *edge = (const struct rarog_edge *)list + number, *as = key;

	return edge->caller == as->caller && edge->callee == as->callee;
}

/* Made if it is new; NULL: no memory. */
static struct rarog_edge *find(struct rarog_edges *edges, struct rarog_index *index,
			       uint32_t caller, uint32_t callee)
{
	const struct rarog_edge edge = { .caller = caller, .callee = callee };
	struct rarog_index_slot *slot =
		rarog_index_at(index, rarog_index_hash(caller, callee), is_edge, edges->v, &edge);

	if (!slot || (!slot->entry && rarog_vec_push(edges, edge) < 0))
		return NULL;
	if (!slot->entry)
		slot->entry = (uint32_t)edges->n;
	return &edges->v[slot->entry - 1];
}

static int walk_all(struct rarog_edges *edges, struct rarog_index *index,
		    const struct rarog_call_tree *tree)
{
	struct rarog_call_tree_walk walk = { .tree = tree, .is_unordered = true };

	while (rarog_call_tree_step(&walk)) {
		const struct rarog_node *node = &tree->nodes[walk.node];

		if (walk.node == 0)
			continue;
		uint32_t caller = node->parent ? tree->nodes[node->parent].location : RAROG_NONE;
		struct rarog_edge *edge = find(edges, index, caller, node->location);

		if (!edge)
			return rarog_oom();
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
	rarog_cleanup(rarog_index_release) struct rarog_index index = { 0 };

	*edges = (struct rarog_edges){ 0 };
	int r = walk_all(edges, &index, tree);

	if (r < 0)
		rarog_edges_release(edges);
	return r;
}

void rarog_edges_release(struct rarog_edges *edges)
{
	rarog_vec_release(edges);
	*edges = (struct rarog_edges){ 0 };
}
