/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open addressing with linear probing over 16-byte slots holding key and node, so that the chain
 * from one entry to the next is one multiplication and one load; amounts live in an array of their
 * own, four nodes a cache line, and are touched when the call ends.
 *
 * A full tree folds. Without a bound on the walk to an ancestor, deep stacks would make every
 * folded call cost its depth; the walk is bounded and its results are remembered.
 */
#include "events/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "events/pages.h"

#define FIRST_NODES   2048
#define FIRST_SHIFT   (64 - 12)
#define FOLD_BITS     14
#define FOLD_WALK_MAX 1024

static int grow_nodes(struct rarog_tree *tree)
{
	size_t capacity = tree->capacity ? 2 * tree->capacity : FIRST_NODES;

	if (tree->off_cpu &&
	    rarog_pages_grow(&tree->off_cpu, tree->n, capacity, sizeof(*tree->off_cpu)) < 0)
		return rarog_oom();
	if (rarog_pages_grow(&tree->amounts, tree->n, capacity, sizeof(*tree->amounts)) < 0 ||
	    rarog_pages_grow(&tree->links, tree->n, capacity, sizeof(*tree->links)) < 0)
		return rarog_oom();
	tree->capacity = capacity;
	return 0;
}

static struct rarog_tree_slot *free_slot(struct rarog_tree_slot *slots, unsigned shift,
					 uint64_t key)
{
	size_t mask = ((size_t)1 << (64 - shift)) - 1;
	size_t i = rarog_tree_hash(key, shift);

	while (slots[i].key && slots[i].key != key)
		i = (i + 1) & mask;
	return &slots[i];
}

static int grow_slots(struct rarog_tree *tree)
{
	unsigned shift = tree->slots ? tree->shift - 1 : FIRST_SHIFT;
	struct rarog_tree_slot *slots =
		rarog_pages_zeroed((size_t)1 << (64 - shift), sizeof(*slots));

	if (!slots)
		return rarog_oom();
	for (size_t node = 1; node < tree->n; node++) {
		const struct rarog_tree_link *link = &tree->links[node];
		uint64_t key = rarog_tree_key(link->parent, link->location);

		*free_slot(slots, shift, key) = (struct rarog_tree_slot){ key, (uint32_t)node };
	}
	free(tree->slots);
	tree->slots = slots;
	tree->shift = shift;
	return 0;
}

int rarog_tree_init(struct rarog_tree *tree, size_t max)
{
	*tree = (struct rarog_tree){ .max = max < UINT32_MAX ? max : UINT32_MAX };
	if (grow_nodes(tree) < 0 || grow_slots(tree) < 0) {
		rarog_tree_release(tree);
		return rarog_oom();
	}
	tree->links[0] = (struct rarog_tree_link){ RAROG_NONE, RAROG_NONE };
	tree->amounts[0] = (struct rarog_tree_amount){ 0 };
	tree->n = 1;
	return 0;
}

void rarog_tree_release(struct rarog_tree *tree)
{
	free(tree->amounts);
	free(tree->off_cpu);
	free(tree->links);
	free(tree->slots);
	free(tree->folds);
	*tree = (struct rarog_tree){ 0 };
}

static bool has_room(struct rarog_tree *tree)
{
	if (tree->n >= tree->max)
		return false;
	if ((tree->n == tree->capacity && grow_nodes(tree) < 0) ||
	    (2 * tree->n >= (size_t)1 << (64 - tree->shift) && grow_slots(tree) < 0))
		tree->max = tree->n; /* out of memory: as if this were the bound */
	return tree->n < tree->max;
}

static uint64_t ancestor(const struct rarog_tree *tree, uint32_t parent, uint32_t location)
{
	uint32_t node = parent;

	for (int i = 0; node != 0 && i < FOLD_WALK_MAX; i++) {
		if (tree->links[node].location == location)
			return node;
		node = tree->links[node].parent;
	}
	return parent | RAROG_TREE_FOREIGN;
}

static uint64_t fold(struct rarog_tree *tree, uint64_t key, bool is_recursive)
{
	uint32_t parent = (uint32_t)((key - 1) >> 32), location = (uint32_t)(key - 1);
	struct rarog_tree_slot *known;

	tree->folded++;
	if (!is_recursive)
		return parent | RAROG_TREE_FOREIGN;
	if (!tree->folds)
		tree->folds = calloc((size_t)1 << FOLD_BITS, sizeof(*tree->folds));
	if (!tree->folds)
		return ancestor(tree, parent, location);
	known = &tree->folds[rarog_tree_hash(key, 64 - FOLD_BITS)];
	if (known->key != key)
		*known =
			(struct rarog_tree_slot){ key, (uint32_t)ancestor(tree, parent, location) };
	return tree->links[known->node].location == location ? known->node
							     : parent | RAROG_TREE_FOREIGN;
}

uint64_t rarog_tree_child_slow(struct rarog_tree *tree, uint64_t key, bool is_recursive)
{
	struct rarog_tree_slot *slot = free_slot(tree->slots, tree->shift, key);

	if (slot->key)
		return slot->node;
	if (!has_room(tree))
		return fold(tree, key, is_recursive);
	slot = free_slot(tree->slots, tree->shift, key); /* the table may have grown */
	*slot = (struct rarog_tree_slot){ key, (uint32_t)tree->n };
	tree->links[tree->n] = (struct rarog_tree_link){
		.parent = (uint32_t)((key - 1) >> 32),
		.location = (uint32_t)(key - 1),
	};
	tree->amounts[tree->n] = (struct rarog_tree_amount){ 0 };
	return tree->n++;
}

int rarog_tree_off_cpu(struct rarog_tree *tree, uint32_t node,
		       const struct rarog_off_cpu_time *time)
{
	if (!tree->off_cpu)
		tree->off_cpu = rarog_pages_zeroed(tree->capacity, sizeof(*tree->off_cpu));
	if (!tree->off_cpu)
		return -ENOMEM;
	rarog_off_cpu_add(&tree->off_cpu[node], time);
	return 0;
}

int rarog_tree_inclusive(const struct rarog_tree *tree, uint64_t **ret_inclusive)
{
	uint64_t *inclusive = malloc(tree->n * sizeof(*inclusive));

	if (!inclusive)
		return rarog_oom();
	for (size_t i = 0; i < tree->n; i++)
		inclusive[i] = tree->amounts[i].exclusive;
	for (size_t i = tree->n - 1; i > 0; i--) /* children come after their parents */
		inclusive[tree->links[i].parent] += inclusive[i];
	*ret_inclusive = inclusive;
	return 0;
}
