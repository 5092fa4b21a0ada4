/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/batch.h"

#include <stdlib.h>

#include "base/error.h"

static int grow(struct rarog_batch *batch, size_t capacity)
{
	uint32_t *op;
	uint64_t *delta;

	if (capacity <= batch->capacity)
		return 0;
	op = realloc(batch->op, capacity * sizeof(*op));
	if (!op)
		return rarog_oom();
	batch->op = op;
	delta = realloc(batch->delta, capacity * sizeof(*delta));
	if (!delta)
		return rarog_oom();
	batch->delta = delta;
	batch->capacity = capacity;
	return 0;
}

int rarog_batch_begin(struct rarog_batch *batch, uint64_t start_ticks, size_t depth)
{
	batch->n = 0;
	batch->open.n = 0;
	batch->start_ticks = start_ticks;
	int r = rarog_vec_reserve(&batch->open, depth);

	if (r < 0)
		return r;
	return grow(batch, depth > RAROG_BATCH_EVENTS ? depth : RAROG_BATCH_EVENTS);
}

int rarog_batch_flush(struct rarog_batch *batch)
{
	struct rarog_calls calls = {
		.strand = batch->strand,
		.start_ticks = batch->start_ticks,
		.n_open = batch->open.n,
		.open = batch->open.v,
		.n = batch->n,
		.op = batch->op,
		.delta = batch->delta,
	};

	if (batch->n == 0 || !batch->sink->calls)
		return 0;
	return batch->sink->calls(batch->sink->context, &calls);
}

void rarog_batch_release(struct rarog_batch *batch)
{
	rarog_vec_release(&batch->open);
	free(batch->op);
	free(batch->delta);
	batch->op = NULL;
	batch->delta = NULL;
	batch->n = batch->capacity = 0;
}
