/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One strand's calls on their way to the sink: a block of operations and deltas that is handed
 * over when it is full.
 */
#ifndef RAROG_EVENTS_BATCH_H
#define RAROG_EVENTS_BATCH_H

#include "base/vec.h"
#include "events/sink.h"

#define RAROG_BATCH_EVENTS 8192

struct rarog_batch {
	const struct rarog_assembler_sink *sink;
	uint32_t strand;
	uint64_t start_ticks;
	RAROG_VEC(uint32_t) open; /* locations open at start_ticks, outermost first */
	uint32_t *op;             /* [capacity] */
	uint64_t *delta;          /* [capacity] */
	size_t n, capacity;
};

/**
 * rarog_batch_begin() - an empty block that starts at @start_ticks
 *
 * @depth calls are open; the caller pushes their locations onto batch->open. The block gets room
 * for as many events as there are open calls, so that repeating them in every block stays
 * proportional to the number of events.
 */
int rarog_batch_begin(struct rarog_batch *batch, uint64_t start_ticks, size_t depth);

/** rarog_batch_flush() - give the block to the sink unless it has no events. */
int rarog_batch_flush(struct rarog_batch *batch);

void rarog_batch_release(struct rarog_batch *batch);

#endif
