/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LLVM's natural loops are the loops that are found here and have one header (loops.c): all ways
 * into such a set lead to its header, which so dominates it. The header's block is the name.
 */
#include "blocks/trips.h"

#include "base/lower-bound.h"

const struct rarog_trips *rarog_trips_of(const struct rarog_tally *tally,
					 const struct rarog_tally_function *function,
					 const struct rarog_loop *loop)
{
	uint32_t block = function->first + loop->header;
	size_t from = rarog_lower_bound(i, tally->n_trips, tally->trips[i].block < block);

	if (loop->is_irreducible || from == tally->n_trips || tally->trips[from].block != block)
		return NULL;
	return &tally->trips[from];
}

size_t rarog_trips_buckets(const struct rarog_tally *tally, const struct rarog_trips *trips,
			   const struct rarog_trip_bucket **ret_buckets)
{
	size_t from = rarog_lower_bound(i, tally->n_trip_buckets,
					tally->trip_buckets[i].block < trips->block);
	size_t n = 0;

	while (from + n < tally->n_trip_buckets &&
	       tally->trip_buckets[from + n].block == trips->block)
		n++;
	*ret_buckets = tally->trip_buckets + from;
	return n;
}

bool rarog_trips_extent(const struct rarog_tally *tally,
			const struct rarog_tally_function *function, const struct rarog_loop *loop,
			uint64_t *ret_least, uint64_t *ret_most)
{
	const struct rarog_trips *trips = rarog_trips_of(tally, function, loop);
	uint64_t each;

	if (trips && trips->entries > 0) {
		*ret_least = trips->least;
		*ret_most = trips->most;
		return true;
	}
	if (!rarog_loop_extent(loop, &each))
		return false;
	*ret_least = *ret_most = each;
	return true;
}
