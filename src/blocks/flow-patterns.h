/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks that need no counter because of the shape that the graph has around them. */
#ifndef RAROG_BLOCKS_FLOW_PATTERNS_H
#define RAROG_BLOCKS_FLOW_PATTERNS_H

#include "blocks/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How often each shape was found in a graph. */
struct rarog_flow_patterns {
	uint32_t n_jumps;    /* one block after the other, always both */
	uint32_t n_diamonds; /* a block, its two or more ways on, the one block where they meet */
	uint32_t n_half_diamonds; /* the same, one of the two ways without a block on it */
	uint32_t n_exits; /* 1: nothing comes back to the first block, which is left by exits */
};

/**
 * rarog_flow_find_patterns() - choose the blocks that patterns save, and count all others
 * @flow: the first n_blocks edges are its blocks, the others join them; all become blind, blocks
 *free where a pattern says that their count follows, counted elsewhere
 * @ret_patterns: what was found; may be NULL
 *
 * rarog_flow_place() decides about what is free: a block that may be left in its middle is counted
 * although a pattern would do without. The patterns are those of document 002,
 * chapter 5.6.
 *
 * Return: 0, or -ENOMEM.
 */
int rarog_flow_find_patterns(struct rarog_flow *flow, struct rarog_flow_patterns *ret_patterns);

#ifdef __cplusplus
}
#endif
#endif
