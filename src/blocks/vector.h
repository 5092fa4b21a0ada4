/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which blocks ran, again and again from fresh counters of one program: worked out once, then sums.
 */
#ifndef RAROG_BLOCKS_VECTOR_H
#define RAROG_BLOCKS_VECTOR_H

#include "blocks/map.h"

struct rarog_vector;

/** rarog_vector_new() - for the program of @map, which need not outlive it. 0; -EINVAL a record
 * whose counters are not the map's; -ENOMEM. With message. */
int rarog_vector_new(const struct rarog_map *map, struct rarog_vector **ret_vector);
void rarog_vector_free(struct rarog_vector *vector);
RAROG_DEFINE_FREEP(rarog_vector);

/** rarog_vector_blocks() - how many: those of all functions, in the order of the map and of
 * profiles. */
size_t rarog_vector_blocks(const struct rarog_vector *vector);

/** rarog_vector_counters() - how many it reads. */
size_t rarog_vector_counters(const struct rarog_vector *vector);

/**
 * rarog_vector_read() - how often each block ran
 * @counters: rarog_vector_counters() of them, summed over threads
 * @ret_hits: rarog_vector_blocks() of them: executions, at most 255; 0 also what came out below 0
 *
 * Functions none of whose counters moved cost the look at these.
 */
void rarog_vector_read(const struct rarog_vector *vector, const uint64_t *counters,
		       uint8_t *ret_hits);

#endif
