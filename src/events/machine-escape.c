/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything in the stream that is neither a plain entry nor a plain exit: time that does not fit
 * into them, calls that end or begin without them, waits and losses; and what is malformed.
 */
#include "base/error.h"
#include "events/machine-call.h"

/* Waits since the last operation, which last has been lowered by. */
static uint64_t waits_since_last(const struct rarog_strand_machine *m)
{
	return m->anchor == m->last ? m->gap : 0;
}

static int advance(struct rarog_strand_machine *m, uint64_t ticks)
{
	if (ticks > RAROG_MACHINE_CLOCK_MAX || m->now + m->waits + ticks > RAROG_MACHINE_CLOCK_MAX)
		return rarog_fail(-EBADMSG, "the clock runs over");
	m->now += ticks;
	return 0;
}

static int escape_time16(struct rarog_strand_machine *m, const uint16_t *payload)
{
	return advance(m, (uint64_t)payload[0] << 15);
}

static int escape_time64(struct rarog_strand_machine *m, const uint16_t *payload)
{
	return advance(m, rarog_stream_u64(payload));
}

/* The first sets the clock; a later one (after a loss) may only advance it. */
static int escape_start(struct rarog_strand_machine *m, const uint16_t *payload)
{
	uint64_t clock = rarog_stream_u64(payload), reached = m->now + m->waits;

	if (m->is_started)
		return clock > reached ? advance(m, clock - reached) : 0;
	int r = advance(m, clock);

	if (r < 0)
		return r;
	m->last = m->now;
	m->is_started = true;
	m->off_cpu.born = m->now;
	rarog_strand_machine_skip(m);
	return m->is_keeping ? rarog_strand_machine_block(m, m->now) : 0;
}

/* A stream that knows of fewer calls than the engine keeps them: nothing ended. */
static int escape_depth(struct rarog_strand_machine *m, const uint16_t *payload)
{
	uint32_t open = rarog_stream_u32(payload);
	size_t gone = m->depth > open ? m->depth - open : 0;

	m->unwound += gone;
	if (gone > 0 && rarog_strand_machine_absorb(m, m->now, true) < 0)
		return rarog_oom();
	return gone ? rarog_strand_machine_close_calls(m, gone, RAROG_OP_UNWOUND) : 0;
}

/* Calls inherited at one clock share a block; an operation without effect keeps apart those that
 * the clock moved between. */
static int begin_inherited(struct rarog_strand_machine *m, uint64_t clock)
{
	int r = 0;

	if (m->batch.n == 0 && m->batch.open.n > 0 && m->batch.start_ticks != clock)
		r = rarog_strand_machine_op(m, RAROG_OP_WAIT, 0);
	if (r < 0 || m->batch.n == 0)
		return r;
	r = rarog_batch_flush(&m->batch);
	return r < 0 ? r : rarog_strand_machine_block(m, clock);
}

static int escape_inherit(struct rarog_strand_machine *m, const uint16_t *payload)
{
	uint32_t id = rarog_stream_u32(payload);
	uint64_t clock = m->now + m->waits;
	int r = rarog_strand_machine_reserve(m, m->depth + 2);

	if (r < 0)
		return r;
	if (id >= m->n_functions)
		return rarog_fail(-EBADMSG, "function %u of %zu inherited", id, m->n_functions);
	r = rarog_strand_machine_absorb(m, m->now, true);
	if (r == 0 && m->is_keeping)
		r = begin_inherited(m, clock);
	if (r < 0)
		return r;
	m->inherited++;
	push(m, &m->frames[++m->depth], id, m->now);
	m->frames[m->depth].tag |= UNCOUNTED;
	m->last = m->now;
	m->batch.start_ticks = clock;
	return m->is_keeping ? rarog_vec_push(&m->batch.open, m->functions[id].location) : 0;
}

/* Only time since the strand's last operation can have been waited. */
static int escape_wait(struct rarog_strand_machine *m, const uint16_t *payload)
{
	uint64_t ticks = rarog_stream_u64(payload), gap = waits_since_last(m);
	uint64_t passed = m->now - m->last - gap;

	if (ticks > passed)
		ticks = passed;
	int r = rarog_strand_machine_absorb(m, m->now - ticks, false);

	if (r < 0)
		return r;
	m->now -= ticks;
	m->last -= ticks;
	m->waits += ticks;
	m->gap = gap + ticks;
	m->anchor = m->last;
	rarog_strand_machine_skip(m);
	return rarog_strand_machine_op(m, RAROG_OP_WAIT, ticks);
}

static int escape_lost(struct rarog_strand_machine *m, const uint16_t *payload)
{
	uint64_t n = rarog_stream_u64(payload);

	m->lost_events += n;
	return rarog_strand_machine_op(m, RAROG_OP_LOST, n);
}

static int (*const escapes[RAROG_STREAM_ESCAPES])(struct rarog_strand_machine *m,
						  const uint16_t *payload) = {
	[RAROG_ESCAPE_TIME16] = escape_time16,
	[RAROG_ESCAPE_TIME64] = escape_time64,
	[RAROG_ESCAPE_START] = escape_start,
	[RAROG_ESCAPE_DEPTH] = escape_depth,
	[RAROG_ESCAPE_INHERIT] = escape_inherit,
	[RAROG_ESCAPE_WAIT] = escape_wait,
	[RAROG_ESCAPE_LOST] = escape_lost,
	[RAROG_ESCAPE_VALUES] = rarog_strand_machine_values,
};

int rarog_strand_machine_escape(struct rarog_strand_machine *m, const uint16_t *words)
{
	unsigned kind = words[0] & RAROG_WORD_ENTRY ? words[1] : 0; /* an exit is one word */

	if (!m->is_started && (words[0] != RAROG_WORD_ESCAPE || kind != RAROG_ESCAPE_START))
		return rarog_fail(-EBADMSG, "the strand does not begin with its start");
	if (!(words[0] & RAROG_WORD_ENTRY))
		return rarog_fail(-EBADMSG, "an exit while no call is open");
	if (words[0] != RAROG_WORD_ESCAPE)
		return rarog_fail(-EBADMSG, "entry into function %u of %zu",
				  kind == RAROG_ID_WIDE ? rarog_stream_u32(words + 2) : kind,
				  m->n_functions);
	if (kind >= RAROG_STREAM_ESCAPES || !escapes[kind])
		return rarog_fail(-EBADMSG, "unknown escape %u", kind);
	int r = escapes[kind](m, words + 2);

	return r < 0 ? r : (int)rarog_stream_length(words);
}
