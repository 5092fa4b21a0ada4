/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which basic block of one version of a function is which of the other's. */
#ifndef RAROG_CHECK_BLOCK_MATCH_H
#define RAROG_CHECK_BLOCK_MATCH_H

#include "base/vec.h"
#include "blocks/tally.h"

struct rarog_block_pair {
	uint32_t
		block[2]; /* counted from the function's first; RAROG_NONE: this version has none */
	int64_t gain;     /* instructions executed in the second less those in the first */
};

struct rarog_block_pairs {
	RAROG_VEC(struct rarog_block_pair) list; /* those with the largest gain or loss first */
};

/**
 * rarog_blocks_match() - of a function in two profiles
 *
 * Blocks keep their order from version to version, so the two lists are aligned: first by blocks
 * that are alike in size, ways out, column and how often they ran for each call, then by less and
 * less between those; lines (relative to the function's) decide between equals.
 *
 * Return: 0, -ENOMEM.
 */
int rarog_blocks_match(const struct rarog_tally *const tallies[2],
		       const struct rarog_tally_function *const functions[2],
		       const uint32_t lines[2], struct rarog_block_pairs *ret_pairs);
void rarog_block_pairs_release(struct rarog_block_pairs *pairs); /* fits rarog_cleanup() */

#endif
