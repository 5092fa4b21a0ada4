/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The paths through a function, numbered (Ball and Larus, Efficient path profiling, MICRO 1996). A
 * path begins where the function is entered and where another one was cut, and ends where the
 * function ends or where it is cut: at ways back (to the header of a loop), and at others where
 * there would be too many. Also part of the compiler plug-in.
 */
#ifndef RAROG_BLOCKS_PATH_NUMBER_H
#define RAROG_BLOCKS_PATH_NUMBER_H

#include "blocks/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a function. More would not fit into the processor's cache. */
#define RAROG_PATHS_MOST 8192

#define RAROG_PATH_NOWHERE UINT64_MAX /* no path begins there */
#define RAROG_PATH_END     UINT32_MAX /* the function ends there */

struct rarog_path_way {
	uint32_t to;    /* block */
	bool is_cut;    /* the path ends with it, and another begins there */
	uint64_t value; /* is added to the number of a path that takes it */
};

/* Of what is never reached no paths are numbered. */
struct rarog_path_numbers {
	size_t n_blocks;
	uint32_t *first_way; /* n_blocks + 1, in ways */
	struct rarog_path_way *ways;
	uint64_t *begins;  /* of each block: number of the first path that begins there */
	uint64_t *n_paths; /* of each block: paths from there on; 0: never reached */
	uint64_t n;        /* all of them: 0 … n - 1 */
};

/**
 * rarog_path_numbers_make() - number the paths of a function
 * @flow: any, calls enter at block 0
 * @most: as many paths are allowed; the same gives the same numbers
 *
 * Return: 0; -E2BIG: there are more ways than that; -ENOMEM. Without message.
 */
int rarog_path_numbers_make(const struct rarog_flow *flow, uint64_t most,
			    struct rarog_path_numbers *ret_numbers);
void rarog_path_numbers_release(struct rarog_path_numbers *numbers); /* fits rarog_cleanup() */

/**
 * rarog_path_numbers_find() - the blocks of a path
 * @path: below numbers->n
 * @ret_blocks: room for n_blocks
 * @ret_next: the block at which another path begins, RAROG_PATH_END: none
 *
 * Return: how many, at least 1.
 */
size_t rarog_path_numbers_find(const struct rarog_path_numbers *numbers, uint64_t path,
			       uint32_t *ret_blocks, uint32_t *ret_next);

/**
 * rarog_path_numbers_place() - what is to be added where, as little as possible
 * @ways: how often each way is expected to be taken, in their order
 * @blocks: how often each block is
 * @ret_offsets: of each block: how far the register is below the number there. So it starts a
 * path as begins - offset, a way adds value + offset of its source - offset of its target, and at
 * the end of a path (also of one that is cut) value + offset is still to be added. It is 0, modulo
 * 2^64, for the ways of a spanning tree of largest weight.
 *
 * Return: 0, -ENOMEM.
 */
int rarog_path_numbers_place(const struct rarog_path_numbers *numbers, const uint64_t *ways,
			     const uint64_t *blocks, uint64_t *ret_offsets);

#ifdef __cplusplus
}
#endif
#endif
