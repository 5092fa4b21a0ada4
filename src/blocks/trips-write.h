/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rounds of a loop's entries, from the words that they were counted in, in a profile. */
#ifndef RAROG_BLOCKS_TRIPS_WRITE_H
#define RAROG_BLOCKS_TRIPS_WRITE_H

#include "blocks/trips-cells.h"
#include "profile/writer.h"

/** rarog_trips_write() - of the loop whose header is row @block; @cells: [RAROG_TRIPS_CELLS]. 0 or
 * a negative error. */
int rarog_trips_write(struct rarog_profile_writer *writer, uint32_t block, const uint64_t *cells);

#endif
