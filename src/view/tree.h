/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The context tree of a profile with links downwards, and a walk over it without recursion (call
 * stacks may be 100,000 deep).
 */
#ifndef RAROG_VIEW_TREE_H
#define RAROG_VIEW_TREE_H

#include "profile/off-cpu.h"

struct rarog_call_tree {
	size_t n;
	const struct rarog_node *nodes;      /* borrowed from the profile, or owned */
	struct rarog_node *owned;            /* when folded, or from elsewhere */
	struct rarog_off_cpu_ticks *off_cpu; /* away[node], of its exclusive time; NULL: CPU time is
					  not known of everything */
	uint32_t *child, *sibling;           /* first child, next sibling; RAROG_NONE: none; in no
						order until a walk has come by */
	size_t n_locations;
	const struct rarog_location *locations; /* borrowed */
};

/**
 * rarog_call_tree_init() - link the tree of @profile
 *
 * Return: 0; -EBADMSG when the nodes are no tree; other errors of the reader.
 */
int rarog_call_tree_init(struct rarog_call_tree *tree, struct rarog_profile *profile);

/** rarog_call_tree_of() - link nodes that come from elsewhere. @take_nodes: malloc'd, parents
 * first, the tree's from here on, also on failure. Return: 0; -ENOMEM. */
int rarog_call_tree_of(struct rarog_call_tree *tree, size_t n, struct rarog_node *take_nodes);

void rarog_call_tree_release(struct rarog_call_tree *tree);

/**
 * rarog_call_tree_fold() - a function called by itself becomes one node with its caller
 *
 * Calls and exclusive times add up; inclusive time is the outermost call's. The invariant of nodes
 * holds. Return: 0, -ENOMEM.
 */
int rarog_call_tree_fold(struct rarog_call_tree *tree);

/* A walk in depth-first order: every node is entered and left once, node 0 first and last; children
 * by inclusive time, heaviest first, if order is wanted. */
struct rarog_call_tree_walk {
	const struct rarog_call_tree *tree;
	uint32_t node;
	bool is_leaving, is_begun, is_skipped, is_unordered;
	size_t depth; /* of node; the root has 0 */
};

/** rarog_call_tree_step() - the next enter or leave; false at the end. */
bool rarog_call_tree_step(struct rarog_call_tree_walk *walk);

/** rarog_call_tree_skip() - called on entering: the next step leaves the node. */
void rarog_call_tree_skip(struct rarog_call_tree_walk *walk);

#endif
