/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * First-child and next-sibling arrays from the parent column. Children are sorted when a walk comes
 * to their parent: most views see a small part of a tree, and sorting all of a million nodes took
 * longer than everything else.
 */
#include "view/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool is_lighter(const struct rarog_call_tree *tree, uint32_t a, uint32_t b)
{
	return tree->nodes[a].inclusive < tree->nodes[b].inclusive;
}

/* Both lists are sorted; of equals those of @a come first. */
static uint32_t merge(const struct rarog_call_tree *tree, uint32_t a, uint32_t b)
{
	uint32_t first = RAROG_NONE, *end = &first;

	while (a != RAROG_NONE && b != RAROG_NONE) {
		uint32_t *from = is_lighter(tree, a, b) ? &b : &a;

		*end = *from;
		end = &tree->sibling[*from];
		*from = *end;
	}
	*end = a != RAROG_NONE ? a : b;
	return first;
}

/* Bottom-up: piles[i] is empty or a sorted list of 2^i children, older ones in higher piles. */
static uint32_t sort_list(const struct rarog_call_tree *tree, uint32_t list)
{
	uint32_t piles[32], sorted = RAROG_NONE;

	memset(piles, 0xff, sizeof(piles));
	while (list != RAROG_NONE) {
		uint32_t pile = list;
		size_t i = 0;

		list = tree->sibling[list];
		tree->sibling[pile] = RAROG_NONE;
		for (; piles[i] != RAROG_NONE; i++) {
			pile = merge(tree, piles[i], pile);
			piles[i] = RAROG_NONE;
		}
		piles[i] = pile;
	}
	for (size_t i = 0; i < RAROG_COUNT(piles); i++)
		sorted = merge(tree, piles[i], sorted);
	return sorted;
}

/* The first child of @node; it and its siblings are in order from now on. */
static uint32_t first_child(const struct rarog_call_tree_walk *walk)
{
	const struct rarog_call_tree *tree = walk->tree;
	uint32_t child = tree->child[walk->node];

	if (walk->is_unordered || child == RAROG_NONE || tree->sibling[child] == RAROG_NONE)
		return child;
	return tree->child[walk->node] = sort_list(tree, child);
}

static int check_nodes(const struct rarog_call_tree *tree)
{
	for (size_t i = 1; i < tree->n; i++)
		if (tree->nodes[i].parent >= i || tree->nodes[i].location >= tree->n_locations)
			return rarog_fail(-EBADMSG, "node %zu of the call tree is damaged", i);
	return 0;
}

/* Children by index, which is what the sort keeps among equals. */
static int link_children(struct rarog_call_tree *tree)
{
	size_t bytes = (tree->n + 1) * sizeof(*tree->child);

	tree->child = malloc(bytes);
	tree->sibling = malloc(bytes);
	if (!tree->child || !tree->sibling)
		return rarog_oom();
	memset(tree->child, 0xff, bytes);
	memset(tree->sibling, 0xff, bytes);
	for (size_t i = tree->n; i-- > 1;) {
		uint32_t parent = tree->nodes[i].parent;

		tree->sibling[i] = tree->child[parent];
		tree->child[parent] = (uint32_t)i;
	}
	return 0;
}

static int load_off_cpu(struct rarog_call_tree *tree, struct rarog_profile *profile)
{
	struct rarog_off_cpu_table table;
	int r = rarog_off_cpu_table_load(profile, true, &table);

	if (r < 0)
		return r;
	if (table.is_known && table.is_whole && table.n_nodes == tree->n)
		tree->off_cpu = rarog_take(table.nodes);
	rarog_off_cpu_table_release(&table);
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
		r = load_off_cpu(tree, profile);
	if (r == 0)
		r = link_children(tree);
	if (r < 0)
		rarog_call_tree_release(tree);
	return r;
}

int rarog_call_tree_of(struct rarog_call_tree *tree, size_t n, struct rarog_node *take_nodes)
{
	*tree = (struct rarog_call_tree){ .n = n, .nodes = take_nodes, .owned = take_nodes };
	int r = link_children(tree);

	if (r < 0)
		rarog_call_tree_release(tree);
	return r;
}

void rarog_call_tree_release(struct rarog_call_tree *tree)
{
	free(tree->owned);
	free(tree->off_cpu);
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
		walk->node = first_child(walk);
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
	struct rarog_off_cpu_ticks *off_cpu; /* of the new nodes; NULL: not known */
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

static void fold_off_cpu(struct folding *f, size_t node)
{
	const struct rarog_off_cpu_ticks *from = &f->tree->off_cpu[node];
	struct rarog_off_cpu_ticks *to = &f->off_cpu[f->map[node]];

	to->waited += from->waited;
	to->preempted += from->preempted;
}

/* The new nodes take the place of the old ones. */
static int replace(struct rarog_call_tree *tree, const struct folding *f)
{
	free(tree->owned);
	free(tree->off_cpu);
	free(tree->child);
	free(tree->sibling);
	tree->nodes = tree->owned = f->nodes;
	tree->off_cpu = f->off_cpu;
	tree->n = f->n;
	tree->child = tree->sibling = NULL;
	return link_children(tree);
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
	f.off_cpu = tree->off_cpu ? calloc(tree->n + 1, sizeof(*f.off_cpu)) : NULL;
	if (!map || !slots || !f.nodes || (tree->off_cpu && !f.off_cpu)) {
		free(f.nodes);
		free(f.off_cpu);
		return rarog_oom();
	}
	memset(slots, 0xff, n_slots * sizeof(*slots));
	for (size_t i = 0; i < tree->n; i++) {
		if (i == 0)
			f.nodes[f.n++] = tree->nodes[0];
		else
			map[i] = fold_node(&f, &tree->nodes[i]);
		if (f.off_cpu)
			fold_off_cpu(&f, i);
	}
	return replace(tree, &f);
}
