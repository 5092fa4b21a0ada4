/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks/trips-write.h"

#include "blocks/counter-file.h"

static struct rarog_trips trips_of(uint32_t block, const uint64_t *cells)
{
	struct rarog_trips trips = { .block = block, .rounds = cells[RAROG_TRIPS_SUM] };

	for (size_t i = 0; i < RAROG_TRIPS_BUCKETS; i++)
		trips.entries += cells[RAROG_TRIPS_FIRST + i];
	if (cells[RAROG_TRIPS_MOST] != 0) {
		trips.most = cells[RAROG_TRIPS_MOST] & ~RAROG_COUNTER_EXTREME;
		/* killed between the two */
		trips.least = cells[RAROG_TRIPS_LEAST] ? ~cells[RAROG_TRIPS_LEAST] : trips.most;
	}
	return trips;
}

static int add_buckets(struct rarog_profile_writer *writer, uint32_t block, const uint64_t *cells)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < RAROG_TRIPS_BUCKETS; i++) {
		const struct rarog_trip_bucket bucket = { .block = block,
							  .log2 = i,
							  .entries = cells[RAROG_TRIPS_FIRST + i] };

		if (bucket.entries > 0)
			r = rarog_profile_add_trip_buckets(writer, 1, &bucket);
	}
	return r;
}

int rarog_trips_write(struct rarog_profile_writer *writer, uint32_t block, const uint64_t *cells)
{
	struct rarog_trips trips = trips_of(block, cells);
	int r = rarog_profile_add_trips(writer, 1, &trips);

	return r == 0 ? add_buckets(writer, block, cells) : r;
}
