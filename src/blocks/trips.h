/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many rounds each entry of a loop had: what the program counts of it, and what a profile says.
 */
#ifndef RAROG_BLOCKS_TRIPS_H
#define RAROG_BLOCKS_TRIPS_H

#include "blocks/loops.h"
#include "blocks/trips-cells.h"

/**
 * rarog_trips_of() - the rounds of @loop's entries
 *
 * Return: NULL: they were not counted. Irreducible loops' never are.
 */
const struct rarog_trips *rarog_trips_of(const struct rarog_tally *tally,
					 const struct rarog_tally_function *function,
					 const struct rarog_loop *loop);

/**
 * rarog_trips_buckets() - the histogram of @trips
 * @ret_buckets: borrowed from the tally, ascending
 *
 * Return: how many.
 */
size_t rarog_trips_buckets(const struct rarog_tally *tally, const struct rarog_trips *trips,
			   const struct rarog_trip_bucket **ret_buckets);

/**
 * rarog_trips_extent() - the fewest and the most rounds of an entry of @loop
 *
 * They are known where rounds were counted, and where the sums leave no choice: a loop that was
 * entered once, or never went round. Return: false: they are not.
 */
bool rarog_trips_extent(const struct rarog_tally *tally,
			const struct rarog_tally_function *function, const struct rarog_loop *loop,
			uint64_t *ret_least, uint64_t *ret_most);

#endif
