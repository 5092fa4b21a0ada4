/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of contexts: a node for each way of calls from the outermost one. */
#ifndef RAROG_VEX_TREE_H
#define RAROG_VEX_TREE_H

#include "vex/core.h"
#include "vex/record.h"

#define TREE_PART_BITS 14
#define TREE_MAX       (1u << 23) /* nodes; 48 bytes each */

extern struct rarog_vex_node *tree_parts[TREE_MAX >> TREE_PART_BITS];

void tree_open(void);
void tree_zero(void); /* all counts are 0 again */

static inline struct rarog_vex_node *tree_node(UInt number)
{
	return &tree_parts[number >> TREE_PART_BITS][number & ((1u << TREE_PART_BITS) - 1)];
}

UInt tree_child_slow(UInt parent, UInt function);

/** tree_child() - the node of calls of @function from @parent; full: @parent itself. */
static inline UInt tree_child(UInt parent, UInt function)
{
	UInt child = tree_node(parent)->child;

	return LIKELY(child && tree_node(child)->function == function)
		       ? child
		       : tree_child_slow(parent, function);
}

#endif
