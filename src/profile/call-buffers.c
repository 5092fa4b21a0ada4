/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory is bounded over all call buffers by what they hold, not by what they contain: a thousand
 * strands with ten calls each must not keep a thousand block-sized vectors. Over the bound all call
 * buffers are flushed, in the order of strands, so the file does not depend on anything but the
 * input. Pages are dear where this runs (a fault costs as much as coding 500 calls), hence the
 * spare vectors.
 */
#include "profile/call-buffers.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "profile/calls-codec.h"

#define HELD_MAX (16 * RAROG_CALLS_BLOCK)

static struct rarog_call_buffer *call_buffer_of(struct rarog_call_buffers *call_buffers,
						uint32_t strand)
{
	while (call_buffers->call_buffer.n <= strand)
		if (rarog_vec_push(&call_buffers->call_buffer, (struct rarog_call_buffer){ 0 }) < 0)
			return NULL;
	return &call_buffers->call_buffer.v[strand];
}

static void put_spare(struct rarog_call_buffers *call_buffers, struct rarog_compressor_calls *calls)
{
	for (size_t i = 0; i < RAROG_COUNT(call_buffers->spare); i++) {
		if (call_buffers->spare[i].op.capacity >= calls->op.capacity)
			continue;
		struct rarog_compressor_calls smaller = call_buffers->spare[i];

		call_buffers->spare[i] = *calls;
		*calls = smaller;
	}
	rarog_compressor_calls_release(calls);
}

static void take_spare(struct rarog_call_buffers *call_buffers,
		       struct rarog_compressor_calls *calls)
{
	for (size_t i = 0; i < RAROG_COUNT(call_buffers->spare); i++) {
		if (call_buffers->spare[i].op.capacity == 0)
			continue;
		*calls = call_buffers->spare[i];
		call_buffers->spare[i] = (struct rarog_compressor_calls){ 0 };
		call_buffers->held += calls->op.capacity;
		return;
	}
}

static int flush_call_buffer(struct rarog_call_buffers *call_buffers,
			     struct rarog_compressor *compressor,
			     struct rarog_call_buffer *call_buffer)
{
	if (call_buffer->calls.op.n == 0)
		return 0;
	call_buffers->held -= call_buffer->calls.op.capacity;
	int r = call_buffers->before(call_buffers->context);

	if (r == 0)
		r = rarog_compressor_calls(compressor, &call_buffer->calls);
	else
		call_buffer->calls.op.n = call_buffer->calls.delta.n = call_buffer->calls.open.n =
			0;
	put_spare(call_buffers, &call_buffer->calls);
	return r;
}

int rarog_call_buffers_flush(struct rarog_call_buffers *call_buffers,
			     struct rarog_compressor *compressor)
{
	for (size_t i = 0; i < call_buffers->call_buffer.n; i++) {
		int r = flush_call_buffer(call_buffers, compressor,
					  &call_buffers->call_buffer.v[i]);

		if (r < 0)
			return r;
		rarog_vec_release(&call_buffers->call_buffer.v[i].stack);
	}
	return 0;
}

/* Do @calls go on where the call buffer stopped? */
static bool continues(const struct rarog_call_buffer *call_buffer, const struct rarog_calls *calls)
{
	return calls->start_ticks == call_buffer->end_ticks &&
	       calls->n_open == call_buffer->stack.n &&
	       (calls->n_open == 0 || memcmp(calls->open, call_buffer->stack.v,
					     calls->n_open * sizeof(*calls->open)) == 0);
}

static int copy_stack(struct rarog_call_buffer *call_buffer, size_t n, const uint32_t open[])
{
	int r = rarog_vec_reserve(&call_buffer->stack, n);

	if (r == 0 && n > 0)
		memcpy(call_buffer->stack.v, open, n * sizeof(*open));
	call_buffer->stack.n = r == 0 ? n : 0;
	return r;
}

/* Begin a block at the call buffer's clock and stack. */
static int begin(struct rarog_call_buffers *call_buffers, struct rarog_call_buffer *call_buffer,
		 uint32_t strand)
{
	struct rarog_compressor_calls *calls = &call_buffer->calls;

	if (calls->op.capacity == 0)
		take_spare(call_buffers, calls);
	calls->strand = strand;
	calls->start_ticks = call_buffer->end_ticks;
	int r = rarog_vec_reserve(&calls->open, call_buffer->stack.n);

	if (r == 0 && call_buffer->stack.n > 0)
		memcpy(calls->open.v, call_buffer->stack.v,
		       call_buffer->stack.n * sizeof(*call_buffer->stack.v));
	calls->open.n = r == 0 ? call_buffer->stack.n : 0;
	return r;
}

static int append(struct rarog_call_buffers *call_buffers, struct rarog_call_buffer *call_buffer,
		  size_t n, const uint32_t *op, const uint64_t *delta)
{
	struct rarog_compressor_calls *calls = &call_buffer->calls;
	size_t held = calls->op.capacity;

	if (rarog_vec_reserve(&calls->op, calls->op.n + n) < 0 ||
	    rarog_vec_reserve(&calls->delta, calls->delta.n + n) < 0 ||
	    rarog_vec_reserve(&call_buffer->stack, call_buffer->stack.n + n + 1) < 0)
		return -ENOMEM;
	call_buffers->held += calls->op.capacity - held;
	memcpy(calls->op.v + calls->op.n, op, n * sizeof(*op));
	memcpy(calls->delta.v + calls->delta.n, delta, n * sizeof(*delta));
	calls->op.n += n;
	calls->delta.n += n;
	call_buffer->stack.n = rarog_calls_walk(n, op, call_buffer->stack.n, call_buffer->stack.v);
	call_buffer->end_ticks += rarog_calls_time(n, op, delta);
	return 0;
}

/* As many of @calls from @at on as fit into the call buffer's block; how many, or -errno. */
static long add_some(struct rarog_call_buffers *call_buffers, struct rarog_compressor *compressor,
		     struct rarog_call_buffer *call_buffer, const struct rarog_calls *calls,
		     size_t at)
{
	int r = 0;

	if (call_buffer->calls.op.n == RAROG_CALLS_BLOCK)
		r = flush_call_buffer(call_buffers, compressor, call_buffer);
	if (r == 0 && call_buffer->calls.op.n == 0)
		r = begin(call_buffers, call_buffer, calls->strand);
	if (r < 0)
		return r;
	size_t n = RAROG_CALLS_BLOCK - call_buffer->calls.op.n;

	if (n > calls->n - at)
		n = calls->n - at;
	r = append(call_buffers, call_buffer, n, calls->op + at, calls->delta + at);
	return r < 0 ? r : (long)n;
}

int rarog_call_buffers_add(struct rarog_call_buffers *call_buffers,
			   struct rarog_compressor *compressor, const struct rarog_calls *calls)
{
	struct rarog_call_buffer *call_buffer = call_buffer_of(call_buffers, calls->strand);
	int r = 0;

	if (!call_buffer)
		return -ENOMEM;
	if (call_buffer->calls.op.n > 0 && !continues(call_buffer, calls))
		r = flush_call_buffer(call_buffers, compressor, call_buffer);
	if (r == 0 && call_buffer->calls.op.n == 0) {
		r = copy_stack(call_buffer, calls->n_open, calls->open);
		call_buffer->end_ticks = calls->start_ticks;
	}
	for (size_t at = 0; r == 0 && at < calls->n;) {
		long n = add_some(call_buffers, compressor, call_buffer, calls, at);

		if (n < 0)
			return (int)n;
		at += (size_t)n;
	}
	return r == 0 && call_buffers->held > HELD_MAX
		       ? rarog_call_buffers_flush(call_buffers, compressor)
		       : r;
}

void rarog_call_buffers_release(struct rarog_call_buffers *call_buffers)
{
	for (size_t i = 0; i < call_buffers->call_buffer.n; i++) {
		rarog_compressor_calls_release(&call_buffers->call_buffer.v[i].calls);
		rarog_vec_release(&call_buffers->call_buffer.v[i].stack);
	}
	for (size_t i = 0; i < RAROG_COUNT(call_buffers->spare); i++)
		rarog_compressor_calls_release(&call_buffers->spare[i]);
	rarog_vec_release(&call_buffers->call_buffer);
}
