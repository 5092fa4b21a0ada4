/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/blocks/trips.h"

#include "blocks/trips-write.h"

int rarog_block_trips_write(struct rarog_profile_writer *writer,
			    const struct rarog_block_record *record, uint32_t first_block,
			    const uint64_t *counters)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < record->n_loops; i++)
		r = rarog_trips_write(writer, first_block + record->loops[i],
				      counters + record->n_counters +
					      (size_t)i * RAROG_TRIPS_CELLS);
	return r;
}
