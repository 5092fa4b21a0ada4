/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a call begins and ends, for the parts of the machine only.
 *
 * Entries push a frame, exits pop it and settle the call: its duration is the difference of the
 * program clock, its exclusive time that less what its callees settled. The program clock is the
 * strand's clock less the waits for rarog, so a wait shortens every call open around it at once.
 *
 * Frames that are special in any way (the sentinel below the outermost call, inherited, without a
 * node of their own, with off-CPU time) have a flag in their tag's sign bit, so that a plain exit
 * tests once.
 *
 * Which call counts where:
 *
 *                        node's count  node's time  function's count, sum,   total and
 *                                                   extremes, histogram      exclusive
 *   plain                     +            +                 +                   +
 *   folded into parent                     +                 +                   +
 *   inherited                              +                                     +
 */
#ifndef RAROG_EVENTS_MACHINE_CALL_H
#define RAROG_EVENTS_MACHINE_CALL_H

#include "events/machine.h"

#define always_inline static inline __attribute__((always_inline))
#define likely(x)     __builtin_expect(!!(x), 1)
#define unlikely(x)   __builtin_expect(!!(x), 0)

#define RAROG_MACHINE_CLOCK_MAX (UINT64_C(1) << 62)

/* One test finds any. An inherited frame has the first two. */
#define UNCOUNTED (RAROG_FRAME_FOREIGN | RAROG_FRAME_INHERITED)
#define FLAGS     (UNCOUNTED | RAROG_FRAME_OFF_CPU)

/* machine.c */

/* rarog_strand_machine_reserve() - frames[0 … n-1] exist. 0 or -ENOMEM. */
int rarog_strand_machine_reserve(struct rarog_strand_machine *m, size_t n);
/* rarog_strand_machine_block() - a new block that starts at @clock with what is open now. */
int rarog_strand_machine_block(struct rarog_strand_machine *m, uint64_t clock);
/* rarog_strand_machine_next_block() - the block there was is full. */
int rarog_strand_machine_next_block(struct rarog_strand_machine *m);
/* rarog_strand_machine_op() - add an operation to the block, if calls are kept. */
int rarog_strand_machine_op(struct rarog_strand_machine *m, uint32_t op, uint64_t delta);
/* rarog_strand_machine_close_calls() - end the innermost @n calls now, without a return. */
int rarog_strand_machine_close_calls(struct rarog_strand_machine *m, size_t n, enum rarog_op op);
/* rarog_strand_machine_first_row() - the histogram row of a function whose first call ends. */
void rarog_strand_machine_first_row(struct rarog_strand_machine *m,
				    struct rarog_strand_machine_function *function);

/* machine-off-cpu.c */

/* rarog_strand_machine_absorb() - account for the spans up to program clock @until, with what is
 * open now. @is_event: the thread did something then, so it was not off-CPU. 0 or -ENOMEM. */
int rarog_strand_machine_absorb(struct rarog_strand_machine *m, uint64_t until, bool is_event);
/* rarog_strand_machine_skip() - nothing up to the clock counts any more: it was waited for rarog.
 */
void rarog_strand_machine_skip(struct rarog_strand_machine *m);
/* rarog_strand_machine_settle_off_cpu() - a call flagged so ends; its function is no longer active.
 */
void rarog_strand_machine_settle_off_cpu(struct rarog_strand_machine *m,
					 struct rarog_open_call *frame, uint32_t id);

/* machine-values.c: the values of the innermost open call. 0, -EBADMSG, errors of the sink. */
int rarog_strand_machine_values(struct rarog_strand_machine *m, const uint16_t *payload);
/* rarog_strand_machine_flush_values() - give the sink what was gathered of them. */
int rarog_strand_machine_flush_values(struct rarog_strand_machine *m);

/* machine-loop.c: entries and exits from @words on, up to the first escape, bad record or @end.
 * There is room for every frame and every operation. Returns where it stopped. By whether calls
 * are kept, and compensated. */
typedef const uint16_t *rarog_strand_machine_loop(struct rarog_strand_machine *m,
						  const uint16_t *words, const uint16_t *end);
extern rarog_strand_machine_loop *const rarog_strand_machine_loops[2][2];

/* machine-escape.c: the record at which the loop stopped; returns its length or -EBADMSG. */
int rarog_strand_machine_escape(struct rarog_strand_machine *m, const uint16_t *words);

always_inline uint32_t frame_function(const struct rarog_open_call *frame)
{
	return (uint32_t)((frame->tag & ~FLAGS) >> 32);
}

/* The duration of @frame, ending now, without the cost of the probes in it. It is cut to what its
 * callees settled to, so that exclusive times stay positive and sums exact. */
always_inline uint64_t duration(struct rarog_strand_machine *m, const struct rarog_open_call *frame,
				uint64_t now, bool compensating)
{
	uint64_t ticks = now - frame->entry, cost;

	if (!compensating)
		return ticks;
	if (__builtin_mul_overflow(m->calls - frame->calls, m->shared->compensate, &cost) ||
	    __builtin_add_overflow(cost, m->shared->compensate_self, &cost) || cost > ticks ||
	    ticks - cost < frame->children) {
		m->shared->clamped++;
		return frame->children;
	}
	return ticks - cost;
}

always_inline void count_call(struct rarog_strand_machine *m, const struct rarog_open_call *frame,
			      uint32_t id, uint64_t ticks)
{
	struct rarog_strand_machine_function *function = &m->functions[id];

	rarog_stats_add(&m->stats[id], ticks);
	if (unlikely(!function->row))
		rarog_strand_machine_first_row(m, function);
	if (likely(function->row))
		function->row[rarog_histogram_bucket(ticks)]++;
	if (unlikely(m->shared->epochs))
		rarog_epochs_add(m->shared->epochs, function->location, frame->entry + m->waits,
				 ticks);
}

/* Time goes to the node, to the function and, as a callee's, to the frame below. */
always_inline void add_time(struct rarog_strand_machine *m, struct rarog_open_call *frame,
			    uint32_t id, uint64_t ticks)
{
	uint64_t exclusive = ticks - frame->children;
	struct rarog_stats *stats = &m->stats[id];

	frame[-1].children += ticks;
	m->shared->tree.amounts[(uint32_t)frame->tag].exclusive += exclusive;
	stats->exclusive += exclusive;
	stats->total += --m->functions[id].active ? 0 : ticks;
}

/* End a call that may be special in any way; the sentinel is not one. */
static inline void settle_any(struct rarog_strand_machine *m, struct rarog_open_call *frame,
			      uint64_t now)
{
	uint64_t ticks = duration(m, frame, now, m->is_compensating);
	uint32_t id = frame_function(frame);

	add_time(m, frame, id, ticks);
	if (frame->tag & RAROG_FRAME_OFF_CPU)
		rarog_strand_machine_settle_off_cpu(m, frame, id);
	if (!(frame->tag & UNCOUNTED))
		m->shared->tree.amounts[(uint32_t)frame->tag].count++;
	if (!(frame->tag & RAROG_FRAME_INHERITED))
		count_call(m, frame, id, ticks);
}

always_inline void settle_plain(struct rarog_strand_machine *m, struct rarog_open_call *frame,
				uint64_t now, bool compensating)
{
	uint64_t ticks = duration(m, frame, now, compensating);
	uint32_t id = (uint32_t)(frame->tag >> 32);

	add_time(m, frame, id, ticks);
	m->shared->tree.amounts[(uint32_t)frame->tag].count++;
	count_call(m, frame, id, ticks);
}

always_inline void push(struct rarog_strand_machine *m, struct rarog_open_call *frame, uint32_t id,
			uint64_t now)
{
	struct rarog_strand_machine_function *function = &m->functions[id];
	bool is_recursive = function->active++ > 0;
	uint64_t node = rarog_tree_child(&m->shared->tree, (uint32_t)frame[-1].tag,
					 function->location, is_recursive);

	*frame = (struct rarog_open_call){
		.entry = now,
		.tag = node | (uint64_t)id << 32,
		.calls = m->calls,
	};
}

#endif
