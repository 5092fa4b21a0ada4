/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of paths against what the counts of blocks and edges say. */
#ifndef RAROG_TESTS_COMPARE_PATHS_H
#define RAROG_TESTS_COMPARE_PATHS_H

#include "blocks/record.h"

struct compared_paths {
	uint64_t functions, without; /* with paths, and such that have too many */
	uint64_t left;               /* of the former, that something left in a path's midst */
	uint64_t paths, taken, executions;
	uint64_t wrong; /* each was printed */
};

/**
 * compare_paths() - those of one function
 * @counts: of its edges, solved
 * @counters: of the function, with the cells of its paths
 *
 * Return: 0, -ENOMEM. Adds to @sums.
 */
int compare_paths(const struct rarog_block_record *record, const struct rarog_flow_count *counts,
		  const uint64_t *counters, struct compared_paths *sums);

#endif
