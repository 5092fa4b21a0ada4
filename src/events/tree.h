/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calling context tree: one node per distinct path of locations from the outermost call,
 * merged over all strands. Children are found in one hash table keyed (parent, location).
 *
 * Calls add to their node's count and exclusive time only; inclusive time is summed upwards when
 * the tree is written, so inclusive = exclusive + sum of the children's inclusive by construction,
 * also where contexts were folded.
 */
#ifndef RAROG_EVENTS_TREE_H
#define RAROG_EVENTS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/off-cpu.h"
#include "profile/profile.h"

struct rarog_tree_amount {
	uint64_t count, exclusive;
};

struct rarog_tree_link {
	uint32_t parent, location;
};

struct rarog_tree_slot {
	uint64_t key; /* 0: free */
	uint32_t node;
};

struct rarog_tree {
	struct rarog_tree_amount *amounts;  /* [capacity] */
	struct rarog_off_cpu_time *off_cpu; /* [capacity], NULL: none yet */
	struct rarog_tree_link *links;      /* [capacity] */
	struct rarog_tree_slot *slots;      /* [1 << (64 - shift)], at most half full */
	unsigned shift;
	size_t n, capacity, max;
	struct rarog_tree_slot *folds; /* where recent folded contexts went; direct mapped */
	uint64_t folded;               /* calls whose context has no node of its own */
};

/* Set in what rarog_tree_child() returns when the node belongs to another location: the call's
 * time goes there, its count nowhere. */
#define RAROG_TREE_FOREIGN (UINT64_C(1) << 63)

/** rarog_tree_init() - a tree of the root alone; @max: bound on nodes, at least 1. 0 or -ENOMEM. */
int rarog_tree_init(struct rarog_tree *tree, size_t max);
void rarog_tree_release(struct rarog_tree *tree);

uint64_t rarog_tree_child_slow(struct rarog_tree *tree, uint64_t key, bool is_recursive);

static inline uint64_t rarog_tree_key(uint32_t parent, uint32_t location)
{
	return ((uint64_t)parent << 32 | location) + 1; /* location < RAROG_NONE: never 0 */
}

static inline size_t rarog_tree_hash(uint64_t key, unsigned shift)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> shift);
}

/**
 * rarog_tree_child() - the node of a call of @location from @parent, made if it is new
 * @is_recursive: @location is open further out
 *
 * When the tree is full (or memory is), a new context folds into the nearest ancestor of the same
 * location, else into @parent, then with RAROG_TREE_FOREIGN.
 */
static inline uint64_t rarog_tree_child(struct rarog_tree *tree, uint32_t parent, uint32_t location,
					bool is_recursive)
{
	uint64_t key = rarog_tree_key(parent, location);
	const struct rarog_tree_slot *slot = &tree->slots[rarog_tree_hash(key, tree->shift)];

	if (__builtin_expect(slot->key == key, 1))
		return slot->node;
	return rarog_tree_child_slow(tree, key, is_recursive);
}

/** rarog_tree_off_cpu() - of the exclusive time of @node that much was off-CPU. 0 or -ENOMEM. */
int rarog_tree_off_cpu(struct rarog_tree *tree, uint32_t node,
		       const struct rarog_off_cpu_time *time);

/** rarog_tree_inclusive() - inclusive[n] ticks of every node; malloc'd, the caller owns it. */
int rarog_tree_inclusive(const struct rarog_tree *tree, uint64_t **ret_inclusive);

#endif
