/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of a profile, one after the other. */
#ifndef RAROG_BLOCKS_PATHS_H
#define RAROG_BLOCKS_PATHS_H

#include "blocks/tally.h"

/* All borrowed from the profile. */
struct rarog_path_list {
	const struct rarog_path *list;
	const struct rarog_path_block *blocks;
	size_t n, n_blocks;
	size_t at, at_block; /* what comes next */
};

struct rarog_path_steps {
	const struct rarog_path *path;
	const struct rarog_path_block *more;         /* path->n_more */
	const struct rarog_tally_function *function; /* all of its blocks are of this one */
	uint64_t size;                               /* instructions of its blocks */
	uint64_t instructions;                       /* that were executed on it */
};

/** rarog_path_list_read() - 0, also if there are none; -EBADMSG, with message. */
int rarog_path_list_read(struct rarog_profile *profile, struct rarog_path_list *ret_paths);

/**
 * rarog_path_list_next() - the next path, in the order of the profile
 * @tally: of the same profile
 *
 * Return: 1; 0: there are no more; -EBADMSG with message: its blocks make no sense.
 */
int rarog_path_list_next(struct rarog_path_list *paths, const struct rarog_tally *tally,
			 struct rarog_path_steps *ret_steps);

/** rarog_path_heaviest_first() - for qsort() of struct rarog_path_steps of one profile: by executed
 * instructions. */
int rarog_path_heaviest_first(const void *a, const void *b);

#endif
