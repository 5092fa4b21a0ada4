/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops of a function, from the ways between its blocks and how often these were taken. */
#ifndef RAROG_BLOCKS_LOOPS_H
#define RAROG_BLOCKS_LOOPS_H

#include "base/vec.h"
#include "blocks/tally.h"

struct rarog_loop {
	uint32_t header; /* block, counted from the function's first; of several the first */
	uint32_t parent; /* the loop around it, RAROG_NONE: none; stands before it */
	uint32_t depth;  /* 1: outermost */
	uint32_t n_blocks;
	uint32_t line;         /* 0: not known */
	const char *file;      /* NULL: the function's */
	bool is_irreducible;   /* it can be entered at several blocks */
	bool is_known;         /* .entries is */
	uint64_t entries;      /* from outside */
	uint64_t iterations;   /* executions of the header */
	uint64_t instructions; /* inside, inner loops included … */
	uint64_t own;          /* … and without them */
};

struct rarog_loops {
	RAROG_VEC(struct rarog_loop) list; /* outer loops before inner ones */
	uint32_t *innermost;               /* of each block of the function; RAROG_NONE: none */
};

/**
 * rarog_loops_find() - of one function
 *
 * A loop is a set of blocks from each of which all others can be reached; what is left of it
 * without its headers has the inner loops. Two natural loops of one header are one.
 *
 * Return: 0, -ENOMEM.
 */
int rarog_loops_find(const struct rarog_tally *tally, const struct rarog_tally_function *function,
		     struct rarog_loops *ret_loops);
void rarog_loops_release(struct rarog_loops *loops); /* fits rarog_cleanup() */

/** rarog_loops_hottest() - the loop with the most instructions of its own, without inner loops';
 * NULL: none went round. Borrowed. */
const struct rarog_loop *rarog_loops_hottest(const struct rarog_loops *loops);

/**
 * rarog_loop_extent() - the fewest and the most iterations of an entry, where the sums tell
 *
 * They do if it was entered once, or never went round. Return: false: they do not.
 */
bool rarog_loop_extent(const struct rarog_loop *loop, uint64_t *ret_each);

#endif
