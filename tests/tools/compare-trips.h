/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds of loops' entries against what the counts of blocks and edges say. */
#ifndef RAROG_TESTS_COMPARE_TRIPS_H
#define RAROG_TESTS_COMPARE_TRIPS_H

#include "blocks/record.h"

struct compared_trips {
	uint64_t loops, entries, rounds;
	uint64_t left;  /* of these loops, that something may have left unseen */
	uint64_t wrong; /* each was printed */
};

/**
 * compare_trips() - the natural loops of one function
 * @counts: of its edges, solved
 * @counters: of the function, with the cells of its loops
 *
 * Return: 0, -ENOMEM. Adds to @sums.
 */
int compare_trips(const struct rarog_block_record *record, const struct rarog_flow_count *counts,
		  const uint64_t *counters, struct compared_trips *sums);

#endif
