/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node knows the child that was called last; any other is found in one hash table. A full tree
 * counts calls in the caller's node, which keeps instructions right and loses only the context.
 */
#include "vex/tree.h"

#include "vex/store.h"

#define PART (1u << TREE_PART_BITS)

struct rarog_vex_node *tree_parts[TREE_MAX >> TREE_PART_BITS];

static UInt n_nodes;
static UInt *slots; /* numbers of nodes, 0: free */
static UInt bits;

static ULong hash(UInt parent, UInt function)
{
	return (((ULong)parent << 32 | function) + 1) * 0x9e3779b97f4a7c15ULL;
}

static UInt *find(UInt parent, UInt function)
{
	UInt mask = (1u << bits) - 1, at = (UInt)(hash(parent, function) >> (64 - bits));

	for (; slots[at]; at = (at + 1) & mask) {
		const struct rarog_vex_node *node = tree_node(slots[at]);

		if (node->parent == parent && node->function == function)
			break;
	}
	return &slots[at];
}

static void grow_slots(void)
{
	VG_(free)(slots);
	bits = bits ? bits + 1 : 14;
	slots = VG_(calloc)("rarog.tree", (SizeT)1 << bits, sizeof(*slots));
	for (UInt i = 1; i < n_nodes; i++)
		*find(tree_node(i)->parent, tree_node(i)->function) = i;
}

static UInt add_node(UInt parent, UInt function)
{
	struct rarog_vex_node *node;

	if (n_nodes % PART == 0) {
		struct rarog_vex_chunk *chunk =
			store_chunk(RAROG_VEX_NODES, PART * sizeof(struct rarog_vex_node));

		chunk->first = n_nodes;
		tree_parts[n_nodes >> TREE_PART_BITS] = (struct rarog_vex_node *)(chunk + 1);
	}
	node = tree_node(n_nodes);
	node->parent = parent;
	node->function = function;
	store_added(RAROG_VEX_NODES, sizeof(*node));
	return n_nodes++;
}

UInt tree_child_slow(UInt parent, UInt function)
{
	UInt *slot = find(parent, function);
	UInt number = *slot;

	if (!number && n_nodes == TREE_MAX)
		return parent;
	if (!number) {
		number = *slot = add_node(parent, function);
		if (2 * n_nodes > 1u << bits)
			grow_slots();
	}
	tree_node(parent)->child = number;
	return number;
}

void tree_open(void)
{
	grow_slots();
	add_node(0, 0);
}

void tree_zero(void)
{
	for (UInt i = 0; i < n_nodes; i++) {
		struct rarog_vex_node *node = tree_node(i);

		node->count = node->inclusive = node->unwound = 0;
	}
}
