/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spans in which the strand's thread was off-CPU, cut by its events. A span counts
 * for the calls open during it: at once as exclusive off-CPU time of the innermost, and as total
 * off-CPU time of all, when they end.
 *
 * Most calls have none of it. So nothing is done when a call begins: the innermost call gets a flag
 * and a mark with its depth; when a flagged call ends, its mark goes to the call around it. The
 * loop stops before the first event after away_from, the beginning of the next span; that is all
 * it knows.
 *
 * Spans are on the strand's raw clock, away_from on its program clock. What was waited for rarog is
 * on the raw clock only: there, nothing is off-CPU.
 */
#include <stdlib.h>

#include "base/error.h"
#include "events/machine-call.h"

static uint64_t length(const struct rarog_off_cpu_span *span)
{
	return span->ticks & ~RAROG_OFF_CPU_PREEMPTED;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Raw clock of the last operation: what is off-CPU began after it. */
static uint64_t last_raw(const struct rarog_strand_machine *m)
{
	return m->last + m->waits;
}

static void set_limit(struct rarog_strand_machine *m)
{
	const struct rarog_machine_off_cpu *off_cpu = &m->off_cpu;
	uint64_t start = UINT64_MAX;

	if (off_cpu->next < off_cpu->spans.n)
		start = later(later(off_cpu->spans.v[off_cpu->next].start, off_cpu->done),
			      m->waits) -
			m->waits;
	m->off_cpu_from = start;
}

static bool ends_by(const struct rarog_off_cpu_span *span, uint64_t clock)
{
	return span->start + length(span) <= clock;
}

static int mark(struct rarog_strand_machine *m, size_t depth, const struct rarog_off_cpu_time *time)
{
	struct rarog_machine_off_cpu *off_cpu = &m->off_cpu;

	m->frames[depth].tag |= RAROG_FRAME_OFF_CPU;
	if (off_cpu->marks.n == 0 || off_cpu->marks.v[off_cpu->marks.n - 1].depth != depth)
		return rarog_vec_push(&off_cpu->marks, (struct rarog_off_cpu_mark){ depth, *time });
	rarog_off_cpu_add(&off_cpu->marks.v[off_cpu->marks.n - 1].time, time);
	return 0;
}

static int charge(struct rarog_strand_machine *m, uint64_t ticks, bool is_preempted)
{
	const struct rarog_off_cpu_time time = {
		.waited = is_preempted ? 0 : ticks,
		.preempted = is_preempted ? ticks : 0,
	};
	uint32_t node = (uint32_t)m->frames[m->depth].tag;

	if (m->depth == 0 || ticks == 0)
		return 0;
	if (!m->off_cpu.stats)
		m->off_cpu.stats = calloc(m->n_functions, sizeof(*m->off_cpu.stats));
	if (!m->off_cpu.stats || rarog_tree_off_cpu(&m->shared->tree, node, &time) < 0 ||
	    mark(m, m->depth, &time) < 0)
		return rarog_oom();
	rarog_off_cpu_add(&m->off_cpu.stats[frame_function(&m->frames[m->depth])].exclusive, &time);
	return 0;
}

/* The clocks disagree, or the stack is not this thread's alone: an event is inside a span. */
static void check(struct rarog_strand_machine *m, const struct rarog_off_cpu_span *span,
		  uint64_t clock)
{
	if (clock > span->start + RAROG_OFF_CPU_TOLERANCE &&
	    clock + RAROG_OFF_CPU_TOLERANCE < span->start + length(span))
		m->off_cpu.is_unknown = true;
}

int rarog_strand_machine_absorb(struct rarog_strand_machine *m, uint64_t until, bool is_event)
{
	struct rarog_machine_off_cpu *off_cpu = &m->off_cpu;
	uint64_t clock = until + m->waits, from = later(off_cpu->done, last_raw(m));
	int r = 0;

	if (until <= m->off_cpu_from)
		return 0;
	while (r == 0 && off_cpu->next < off_cpu->spans.n) {
		const struct rarog_off_cpu_span *span = &off_cpu->spans.v[off_cpu->next];
		uint64_t start = later(span->start, from), end = span->start + length(span);

		if (span->start >= clock)
			break;
		if (is_event)
			check(m, span, clock);
		end = end < clock ? end : clock;
		r = charge(m, end > start ? end - start : 0, span->ticks & RAROG_OFF_CPU_PREEMPTED);
		if (!ends_by(span, clock))
			break;
		off_cpu->next++;
	}
	off_cpu->done = later(off_cpu->done, clock);
	set_limit(m);
	return r;
}

void rarog_strand_machine_skip(struct rarog_strand_machine *m)
{
	struct rarog_machine_off_cpu *off_cpu = &m->off_cpu;

	off_cpu->done = later(off_cpu->done, m->now + m->waits);
	while (off_cpu->next < off_cpu->spans.n &&
	       ends_by(&off_cpu->spans.v[off_cpu->next], off_cpu->done))
		off_cpu->next++;
	set_limit(m);
}

void rarog_strand_machine_settle_off_cpu(struct rarog_strand_machine *m,
					 struct rarog_open_call *frame, uint32_t id)
{
	struct rarog_machine_off_cpu *off_cpu = &m->off_cpu;
	struct rarog_off_cpu_time time = off_cpu->marks.v[--off_cpu->marks.n].time;
	size_t depth = (size_t)(frame - m->frames);

	if (m->functions[id].active == 0)
		rarog_off_cpu_add(&off_cpu->stats[id].total, &time);
	if (depth > 1)
		(void)mark(m, depth - 1, &time); /* there is room: its own mark is gone */
}

/* What was off-CPU when an event was taken already: events were counted as if it had not been. */
static void check_late(struct rarog_strand_machine *m, const struct rarog_off_cpu_span *span)
{
	if (span->start >= m->off_cpu.born && span->start + RAROG_OFF_CPU_TOLERANCE < last_raw(m))
		m->off_cpu.is_unknown = true;
}

static void forget_past(struct rarog_machine_off_cpu *off_cpu)
{
	for (size_t i = off_cpu->next; i < off_cpu->spans.n; i++)
		off_cpu->spans.v[i - off_cpu->next] = off_cpu->spans.v[i];
	off_cpu->spans.n -= off_cpu->next;
	off_cpu->next = 0;
}

int rarog_strand_machine_off_cpu(struct rarog_strand_machine *machine, size_t n,
				 const struct rarog_off_cpu_span spans[n])
{
	struct rarog_machine_off_cpu *off_cpu = &machine->off_cpu;

	if (off_cpu->next > 0 && off_cpu->next >= off_cpu->spans.n / 2)
		forget_past(off_cpu);
	if (off_cpu->spans.n - off_cpu->next + n > RAROG_OFF_CPU_SPANS_MAX)
		off_cpu->is_unknown = true;
	for (size_t i = 0; i < n && machine->is_started; i++)
		check_late(machine, &spans[i]);
	if (off_cpu->is_unknown) {
		off_cpu->spans.n = off_cpu->next = 0;
		machine->off_cpu_from = UINT64_MAX;
		return 0;
	}
	if (rarog_vec_reserve(&off_cpu->spans, off_cpu->spans.n + n) < 0)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		off_cpu->spans.v[off_cpu->spans.n++] = spans[i];
	set_limit(machine);
	return 0;
}
