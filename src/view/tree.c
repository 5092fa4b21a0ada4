/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * First-child and next-sibling arrays from the parent column. Sorting children is one sort of all
 * nodes by inclusive time, lightest first, each then put in front of its parent's list.
 */
#include "view/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct weight {
	uint64_t inclusive;
	uint32_t node;
};

static int lightest_first(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->inclusive != y->inclusive)
		return x->inclusive < y->inclusive ? -1 : 1;
	return x->node < y->node ? 1 : -1;
}

static int check_nodes(const struct rarog_call_tree *tree)
{
	for (size_t i = 1; i < tree->n; i++)
		if (tree->nodes[i].parent >= i || tree->nodes[i].location >= tree->n_locations)
			return rarog_fail(-EBADMSG, "node %zu of the call tree is damaged", i);
	return 0;
}

static int link_children(struct rarog_call_tree *tree)
{
	rarog_cleanup(rarog_freep) struct weight *order = calloc(tree->n + 1, sizeof(*order));

	tree->child = malloc((tree->n + 1) * sizeof(*tree->child));
	tree->sibling = malloc((tree->n + 1) * sizeof(*tree->sibling));
	if (!order || !tree->child || !tree->sibling)
		return rarog_oom();
	memset(tree->child, 0xff, (tree->n + 1) * sizeof(*tree->child));
	memset(tree->sibling, 0xff, (tree->n + 1) * sizeof(*tree->sibling));
	for (size_t i = 0; i < tree->n; i++)
		order[i] = (struct weight){ tree->nodes[i].inclusive, (uint32_t)i };
	qsort(order, tree->n, sizeof(*order), lightest_first);
	for (size_t i = 0; i < tree->n; i++) {
		uint32_t node = order[i].node, parent = tree->nodes[node].parent;

		if (node == 0)
			continue;
		tree->sibling[node] = tree->child[parent];
		tree->child[parent] = node;
	}
	return 0;
}

int rarog_call_tree_init(struct rarog_call_tree *tree, struct rarog_profile *profile)
{
	long n = rarog_profile_nodes(profile, &tree->nodes);
	long n_locations = rarog_profile_locations(profile, &tree->locations);

	if (n < 0 || n_locations < 0)
		return (int)(n < 0 ? n : n_locations);
	tree->n = (size_t)n;
	tree->n_locations = (size_t)n_locations;
	int r = check_nodes(tree);

	if (r == 0)
		r = link_children(tree);
	if (r < 0)
		rarog_call_tree_release(tree);
	return r;
}

void rarog_call_tree_release(struct rarog_call_tree *tree)
{
	free(tree->owned);
	free(tree->child);
	free(tree->sibling);
	*tree = (struct rarog_call_tree){ 0 };
}

bool rarog_call_tree_step(struct rarog_call_tree_walk *walk)
{
	const struct rarog_call_tree *tree = walk->tree;

	if (!walk->is_begun) {
		walk->is_begun = true;
		return tree->n > 0;
	}
	if (!walk->is_leaving && !walk->is_skipped && tree->child[walk->node] != RAROG_NONE) {
		walk->node = tree->child[walk->node];
		walk->depth++;
	} else if (!walk->is_leaving) {
		walk->is_leaving = true;
		walk->is_skipped = false;
	} else if (walk->node == 0) {
		return false;
	} else if (tree->sibling[walk->node] != RAROG_NONE) {
		walk->node = tree->sibling[walk->node];
		walk->is_leaving = false;
	} else {
		walk->node = tree->nodes[walk->node].parent;
		walk->depth--;
	}
	return true;
}

void rarog_call_tree_skip(struct rarog_call_tree_walk *walk)
{
	walk->is_skipped = true;
}

/* Folding: where each node went, and a hash table from (parent, location) to the new node. */
struct folding {
	const struct rarog_call_tree *tree;
	struct rarog_node *nodes;
	uint32_t n, *map, *slots;
	size_t mask;
};

static uint32_t *find_slot(const struct folding *f, uint32_t parent, uint32_t location)
{
	size_t at =
		((size_t)parent * 0x9e3779b97f4a7c15u) ^ ((size_t)location * 0xc2b2ae3d27d4eb4fu);

	for (at ^= at >> 29;; at++) {
		uint32_t *slot = &f->slots[at & f->mask];

		if (*slot == RAROG_NONE ||
		    (f->nodes[*slot].parent == parent && f->nodes[*slot].location == location))
			return slot;
	}
}

static uint32_t fold_node(struct folding *f, const struct rarog_node *node)
{
	uint32_t parent = f->map[node->parent];

	if (parent != 0 && f->nodes[parent].location == node->location) {
		f->nodes[parent].count += node->count;
		f->nodes[parent].exclusive += node->exclusive;
		return parent;
	}
	uint32_t *slot = find_slot(f, parent, node->location);

	if (*slot == RAROG_NONE) {
		*slot = f->n++;
		f->nodes[*slot] = *node;
		f->nodes[*slot].parent = parent;
		return *slot;
	}
	f->nodes[*slot].count += node->count;
	f->nodes[*slot].inclusive += node->inclusive;
	f->nodes[*slot].exclusive += node->exclusive;
	return *slot;
}

int rarog_call_tree_fold(struct rarog_call_tree *tree)
{
	size_t n_slots = 16;

	while (n_slots < 2 * tree->n)
		n_slots *= 2;
	rarog_cleanup(rarog_freep) uint32_t *map = calloc(tree->n + 1, sizeof(*map));
	rarog_cleanup(rarog_freep) uint32_t *slots = malloc(n_slots * sizeof(*slots));
	struct folding f = { .tree = tree, .map = map, .slots = slots, .mask = n_slots - 1 };

	f.nodes = calloc(tree->n + 1, sizeof(*f.nodes));
	if (!map || !slots || !f.nodes) {
		free(f.nodes);
		return rarog_oom();
	}
	memset(slots, 0xff, n_slots * sizeof(*slots));
	for (size_t i = 0; i < tree->n; i++) {
		if (i == 0)
			f.nodes[f.n++] = tree->nodes[0];
		else
			map[i] = fold_node(&f, &tree->nodes[i]);
	}
	free(tree->owned);
	free(tree->child);
	free(tree->sibling);
	tree->nodes = tree->owned = f.nodes;
	tree->n = f.n;
	tree->child = tree->sibling = NULL;
	return link_children(tree);
}
