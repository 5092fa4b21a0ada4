/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Emptying the rings comes first, so that nothing is lost. Unwinding waits until the program has
 * ended: on the next processor, perhaps another half of the same core, it would slow the program
 * down. Two things do not wait: what only a running process can tell is asked for as soon as its
 * record is read, and what is more than a bound is unwound in the rest of each turn. What is more
 * than a second bound is lost, and counted.
 */
#include "engine/sample/loop.h"

#include <errno.h>

#include "base/clock.h"
#include "base/error.h"
#include "engine/sample/records.h"

#define TURN_NS       15000000u           /* of unwinding, before the rings are looked at again */
#define WAITING_QUIET ((size_t)128 << 20) /* bytes: 8 s of one thread, with 16 KiB of stack */
#define WAITING_MOST  ((size_t)512 << 20)

/* --- out of the rings --- */

static void lose(struct rarog_sample_loop *loop, uint64_t n)
{
	if (loop->source == RAROG_SOURCE_TIME)
		loop->sampled->losses.samples += n;
	else
		loop->sampled->losses.switches += n;
}

/* Of any record but samples: the others are few. */
static int look(struct rarog_sample_loop *loop, const struct perf_event_header *header)
{
	struct rarog_sample_record record;

	if (header->type == PERF_RECORD_SAMPLE || loop->source != RAROG_SOURCE_TIME ||
	    rarog_sample_record_read(loop->events->sample_type, header, &record) <= 0)
		return 0;
	return rarog_sampled_look(loop->sampled, &record);
}

static int take(void *context, const struct perf_event_header *record)
{
	struct rarog_sample_loop *loop = context;
	int r;

	if (!record)
		return 0; /* the kernel tells with the next one, and every thread's end is one */
	if (record->type == PERF_RECORD_SAMPLE && loop->order.size > WAITING_MOST) {
		lose(loop, 1);
		return 0;
	}
	r = rarog_order_add(&loop->order, rarog_sample_record_time(record), loop->source,
			    record->size, record);
	return r < 0 ? r : look(loop, record);
}

static int read_rings(struct rarog_sample_loop *loop)
{
	uint64_t now = rarog_now_ns();
	int r = 0;

	for (int i = 0; r == 0 && i < RAROG_SOURCES; i++) {
		loop->source = (enum rarog_sample_source)i;
		if (loop->events->rings[i])
			r = rarog_event_rings_read(loop->events->rings[i], take, loop);
	}
	return r < 0 ? r : rarog_order_round(&loop->order, now);
}

/* --- into the sums --- */

static int add(struct rarog_sample_loop *loop, const struct rarog_ordered *entry)
{
	struct rarog_sample_record record;
	int r = rarog_sample_record_read(loop->events->sample_type, entry->bytes, &record);

	if (r == -EBADMSG)
		loop->sampled->losses.damaged++;
	if (r <= 0)
		return 0;
	return entry->source == RAROG_SOURCE_TIME
		       ? rarog_sampled_add(loop->sampled, &record)
		       : rarog_sampled_add_switch(loop->sampled, &record);
}

/* What is in order, until @end_ns. */
static int add_ready(struct rarog_sample_loop *loop, uint64_t end_ns)
{
	const struct rarog_ordered *entry;
	int r = 0;

	while (r == 0 && rarog_now_ns() < end_ns && (entry = rarog_order_next(&loop->order)))
		r = add(loop, entry);
	return r;
}

void rarog_sample_loop_look(struct rarog_sample_loop *loop)
{
	if (loop->error == 0)
		loop->error = read_rings(loop);
	if (loop->error == 0 && loop->order.size > WAITING_QUIET)
		loop->error = add_ready(loop, rarog_now_ns() + TURN_NS);
}

int rarog_sample_loop_finish(struct rarog_sample_loop *loop)
{
	for (int i = 0; i < RAROG_SOURCES; i++)
		if (loop->events->rings[i])
			rarog_event_rings_stop(loop->events->rings[i]);
	if (loop->error == 0)
		loop->error = read_rings(loop);
	if (loop->error == 0)
		loop->error = rarog_order_finish(&loop->order);
	if (loop->error == 0)
		loop->error = add_ready(loop, UINT64_MAX);
	if (loop->error == 0)
		loop->error = rarog_sampled_finish(loop->sampled, rarog_now_ns());
	loop->sampled->losses.late = loop->order.late;
	return loop->error;
}

void rarog_sample_loop_release(struct rarog_sample_loop *loop)
{
	rarog_order_release(&loop->order);
}
