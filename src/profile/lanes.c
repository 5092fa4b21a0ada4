/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory is bounded over all lanes by what they hold, not by what they contain: a thousand strands
 * with ten calls each must not keep a thousand block-sized vectors. Over the bound all lanes are
 * flushed, in the order of strands, so the file does not depend on anything but the input. Pages
 * are dear where this runs (a fault costs as much as coding 500 calls), hence the spare vectors.
 */
#include "profile/lanes.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "profile/calls-codec.h"

#define HELD_MAX (16 * RAROG_CALLS_BLOCK)

static struct rarog_lane *lane_of(struct rarog_lanes *lanes, uint32_t strand)
{
	while (lanes->lane.n <= strand)
		if (rarog_vec_push(&lanes->lane, (struct rarog_lane){ 0 }) < 0)
			return NULL;
	return &lanes->lane.v[strand];
}

static void put_spare(struct rarog_lanes *lanes, struct rarog_press_calls *calls)
{
	for (size_t i = 0; i < RAROG_COUNT(lanes->spare); i++) {
		if (lanes->spare[i].op.capacity >= calls->op.capacity)
			continue;
		struct rarog_press_calls smaller = lanes->spare[i];

		lanes->spare[i] = *calls;
		*calls = smaller;
	}
	rarog_press_calls_release(calls);
}

static void take_spare(struct rarog_lanes *lanes, struct rarog_press_calls *calls)
{
	for (size_t i = 0; i < RAROG_COUNT(lanes->spare); i++) {
		if (lanes->spare[i].op.capacity == 0)
			continue;
		*calls = lanes->spare[i];
		lanes->spare[i] = (struct rarog_press_calls){ 0 };
		lanes->held += calls->op.capacity;
		return;
	}
}

static int flush_lane(struct rarog_lanes *lanes, struct rarog_press *press, struct rarog_lane *lane)
{
	if (lane->calls.op.n == 0)
		return 0;
	lanes->held -= lane->calls.op.capacity;
	int r = lanes->before(lanes->context);

	if (r == 0)
		r = rarog_press_calls(press, &lane->calls);
	else
		lane->calls.op.n = lane->calls.delta.n = lane->calls.open.n = 0;
	put_spare(lanes, &lane->calls);
	return r;
}

int rarog_lanes_flush(struct rarog_lanes *lanes, struct rarog_press *press)
{
	for (size_t i = 0; i < lanes->lane.n; i++) {
		int r = flush_lane(lanes, press, &lanes->lane.v[i]);

		if (r < 0)
			return r;
		rarog_vec_release(&lanes->lane.v[i].stack);
	}
	return 0;
}

/* Do @calls go on where the lane stopped? */
static bool continues(const struct rarog_lane *lane, const struct rarog_calls *calls)
{
	return calls->start_ticks == lane->end_ticks && calls->n_open == lane->stack.n &&
	       (calls->n_open == 0 ||
		memcmp(calls->open, lane->stack.v, calls->n_open * sizeof(*calls->open)) == 0);
}

static int copy_stack(struct rarog_lane *lane, size_t n, const uint32_t open[])
{
	int r = rarog_vec_reserve(&lane->stack, n);

	if (r == 0 && n > 0)
		memcpy(lane->stack.v, open, n * sizeof(*open));
	lane->stack.n = r == 0 ? n : 0;
	return r;
}

/* Begin a block at the lane's clock and stack. */
static int begin(struct rarog_lanes *lanes, struct rarog_lane *lane, uint32_t strand)
{
	struct rarog_press_calls *calls = &lane->calls;

	if (calls->op.capacity == 0)
		take_spare(lanes, calls);
	calls->strand = strand;
	calls->start_ticks = lane->end_ticks;
	int r = rarog_vec_reserve(&calls->open, lane->stack.n);

	if (r == 0 && lane->stack.n > 0)
		memcpy(calls->open.v, lane->stack.v, lane->stack.n * sizeof(*lane->stack.v));
	calls->open.n = r == 0 ? lane->stack.n : 0;
	return r;
}

static int append(struct rarog_lanes *lanes, struct rarog_lane *lane, size_t n, const uint32_t *op,
		  const uint64_t *delta)
{
	struct rarog_press_calls *calls = &lane->calls;
	size_t held = calls->op.capacity;

	if (rarog_vec_reserve(&calls->op, calls->op.n + n) < 0 ||
	    rarog_vec_reserve(&calls->delta, calls->delta.n + n) < 0 ||
	    rarog_vec_reserve(&lane->stack, lane->stack.n + n + 1) < 0)
		return -ENOMEM;
	lanes->held += calls->op.capacity - held;
	memcpy(calls->op.v + calls->op.n, op, n * sizeof(*op));
	memcpy(calls->delta.v + calls->delta.n, delta, n * sizeof(*delta));
	calls->op.n += n;
	calls->delta.n += n;
	lane->stack.n = rarog_calls_walk(n, op, lane->stack.n, lane->stack.v);
	lane->end_ticks += rarog_calls_time(n, op, delta);
	return 0;
}

/* As many of @calls from @at on as fit into the lane's block; how many, or -errno. */
static long add_some(struct rarog_lanes *lanes, struct rarog_press *press, struct rarog_lane *lane,
		     const struct rarog_calls *calls, size_t at)
{
	int r = 0;

	if (lane->calls.op.n == RAROG_CALLS_BLOCK)
		r = flush_lane(lanes, press, lane);
	if (r == 0 && lane->calls.op.n == 0)
		r = begin(lanes, lane, calls->strand);
	if (r < 0)
		return r;
	size_t n = RAROG_CALLS_BLOCK - lane->calls.op.n;

	if (n > calls->n - at)
		n = calls->n - at;
	r = append(lanes, lane, n, calls->op + at, calls->delta + at);
	return r < 0 ? r : (long)n;
}

int rarog_lanes_add(struct rarog_lanes *lanes, struct rarog_press *press,
		    const struct rarog_calls *calls)
{
	struct rarog_lane *lane = lane_of(lanes, calls->strand);
	int r = 0;

	if (!lane)
		return -ENOMEM;
	if (lane->calls.op.n > 0 && !continues(lane, calls))
		r = flush_lane(lanes, press, lane);
	if (r == 0 && lane->calls.op.n == 0) {
		r = copy_stack(lane, calls->n_open, calls->open);
		lane->end_ticks = calls->start_ticks;
	}
	for (size_t at = 0; r == 0 && at < calls->n;) {
		long n = add_some(lanes, press, lane, calls, at);

		if (n < 0)
			return (int)n;
		at += (size_t)n;
	}
	return r == 0 && lanes->held > HELD_MAX ? rarog_lanes_flush(lanes, press) : r;
}

void rarog_lanes_release(struct rarog_lanes *lanes)
{
	for (size_t i = 0; i < lanes->lane.n; i++) {
		rarog_press_calls_release(&lanes->lane.v[i].calls);
		rarog_vec_release(&lanes->lane.v[i].stack);
	}
	for (size_t i = 0; i < RAROG_COUNT(lanes->spare); i++)
		rarog_press_calls_release(&lanes->spare[i]);
	rarog_vec_release(&lanes->lane);
}
