/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Entries push a frame, exits pop it and settle the call: its duration is the difference of the
 * program clock, its exclusive time that less what its callees settled. The program clock is the
 * strand's clock less the waits for rarog, so a wait shortens every call open around it at once.
 *
 * run_words() is the hot loop: it takes entries and exits only, in runs short enough that neither
 * the frames nor the block of calls can overflow inside a run, and leaves at every escape. Frames
 * that are special in any way (the sentinel below the outermost call, inherited, without a node of
 * their own) have a flag in the sign bit of their tag, so that a plain exit tests once.
 *
 * Which call counts where:
 *
 *                        node's count  node's time  function's count, sum,   total and
 *                                                   extremes, histogram      exclusive
 *   plain                     +            +                 +                   +
 *   folded into parent                     +                 +                   +
 *   inherited                              +                                     +
 */
#include "collect/trace/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collect/trace/pages.h"

#define always_inline static inline __attribute__((always_inline))
#define likely(x)     __builtin_expect(!!(x), 1)
#define unlikely(x)   __builtin_expect(!!(x), 0)

#define RUN_WORDS    8192 /* words taken between two looks at the room left */
#define FIRST_FRAMES 256
#define CLOCK_MAX    (UINT64_C(1) << 62)

/* INHERITED implies FOREIGN's bit: one test finds both. */
#define FLAGS    (RAROG_FRAME_FOREIGN | RAROG_FRAME_INHERITED)
#define SENTINEL FLAGS

static int reserve_frames(struct rarog_machine *m, size_t n)
{
	size_t grown = m->n_frames ? 2 * m->n_frames : FIRST_FRAMES;
	struct rarog_frame *frames;

	if (n <= m->n_frames)
		return 0;
	if (grown < n)
		grown = n;
	frames = realloc(m->frames, grown * sizeof(*frames));
	if (!frames)
		return rarog_oom();
	m->frames = frames;
	m->n_frames = grown;
	return 0;
}

int rarog_machine_init(struct rarog_machine *machine, struct rarog_machine_shared *shared,
		       const struct rarog_assembler_sink *sink, uint32_t strand)
{
	*machine = (struct rarog_machine){
		.shared = shared,
		.is_compensating = shared->compensate || shared->compensate_self,
		.batch = { .sink = sink, .strand = strand },
	};
	int r = reserve_frames(machine, FIRST_FRAMES);

	if (r < 0)
		return r;
	machine->frames[0] = (struct rarog_frame){ .tag = SENTINEL };
	return 0;
}

void rarog_machine_release(struct rarog_machine *machine)
{
	rarog_batch_release(&machine->batch);
	free(machine->frames);
	free(machine->functions);
	free(machine->stats);
	free(machine->ends);
	*machine = (struct rarog_machine){ 0 };
}

void rarog_machine_shared_release(struct rarog_machine_shared *shared)
{
	rarog_tree_release(&shared->tree);
	rarog_histograms_release(&shared->histograms);
	free(shared->seen);
	shared->seen = NULL;
	shared->n_seen = 0;
}

static int count_locations(uint32_t strand, size_t n, const uint32_t *locations,
			   size_t *ret_locations)
{
	size_t n_locations = 0;

	if (n > RAROG_MACHINE_FUNCTIONS_MAX)
		return rarog_fail(-EINVAL, "strand %u: too many functions: %zu", strand, n);
	for (size_t i = 0; i < n; i++) {
		if (locations[i] >= RAROG_NONE - RAROG_OP_ENTRY)
			return rarog_fail(-EINVAL, "strand %u: function %zu has no location",
					  strand, i);
		if (locations[i] >= n_locations)
			n_locations = locations[i] + (size_t)1;
	}
	*ret_locations = n_locations;
	return 0;
}

/* Two functions of a strand with one location would recurse without knowing of each other. */
static int check_distinct(struct rarog_machine *m, size_t n, const uint32_t *locations,
			  size_t n_locations)
{
	struct rarog_machine_shared *shared = m->shared;

	if (n_locations > shared->n_seen) {
		if (rarog_pages_grow(&shared->seen, shared->n_seen, n_locations,
				     sizeof(*shared->seen)) < 0)
			return rarog_oom();
		shared->n_seen = n_locations;
	}
	shared->announcement++;
	for (size_t i = 0; i < n; i++) {
		if (shared->seen[locations[i]] == shared->announcement)
			return rarog_fail(-EINVAL, "strand %u: two functions at location %u",
					  m->batch.strand, locations[i]);
		shared->seen[locations[i]] = shared->announcement;
	}
	return 0;
}

int rarog_machine_functions(struct rarog_machine *machine, size_t n, const uint32_t *locations)
{
	size_t old = machine->n_functions, n_locations = 0;
	int r = count_locations(machine->batch.strand, n, locations, &n_locations);

	if (r < 0 || n <= old)
		return r;
	r = check_distinct(machine, n, locations, n_locations);
	if (r < 0)
		return r;
	r = rarog_histograms_reserve(&machine->shared->histograms, n_locations);
	if (r < 0)
		return r;
	if (rarog_pages_grow(&machine->functions, old, n, sizeof(*machine->functions)) < 0 ||
	    (machine->ends &&
	     rarog_pages_grow(&machine->ends, old, n, sizeof(*machine->ends)) < 0) ||
	    rarog_pages_grow(&machine->stats, old, n, sizeof(*machine->stats)) < 0)
		return rarog_oom();
	for (size_t i = old; i < n; i++)
		machine->functions[i].location = locations[i];
	machine->n_functions = n;
	return 0;
}

always_inline uint32_t frame_function(const struct rarog_frame *frame)
{
	return (uint32_t)((frame->tag & ~FLAGS) >> 32);
}

/* The duration of @frame, ending now, without the cost of the probes in it. It is cut to what its
 * callees settled to, so that exclusive times stay positive and sums exact. */
always_inline uint64_t duration(struct rarog_machine *m, const struct rarog_frame *frame,
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

static __attribute__((noinline, cold)) void first_row(struct rarog_machine *m,
						      struct rarog_machine_function *function)
{
	function->row = rarog_histograms_row(&m->shared->histograms, function->location);
	if (!function->row)
		m->shared->is_out_of_memory = true;
}

always_inline void count_call(struct rarog_machine *m, uint32_t id, uint64_t ticks)
{
	struct rarog_machine_function *function = &m->functions[id];

	rarog_stats_add(&m->stats[id], ticks);
	if (unlikely(!function->row))
		first_row(m, function);
	if (likely(function->row))
		function->row[rarog_histogram_bucket(ticks)]++;
}

/* Time goes to the node, to the function and, as a callee's, to the frame below. */
always_inline void add_time(struct rarog_machine *m, struct rarog_frame *frame, uint32_t id,
			    uint64_t ticks)
{
	uint64_t exclusive = ticks - frame->children;
	struct rarog_stats *stats = &m->stats[id];

	frame[-1].children += ticks;
	m->shared->tree.amounts[(uint32_t)frame->tag].exclusive += exclusive;
	stats->exclusive += exclusive;
	stats->total += --m->functions[id].active ? 0 : ticks;
}

/* End a call that may be special in any way; the sentinel is not one. */
static void settle_any(struct rarog_machine *m, struct rarog_frame *frame, uint64_t now)
{
	uint64_t ticks = duration(m, frame, now, m->is_compensating);
	uint32_t id = frame_function(frame);

	add_time(m, frame, id, ticks);
	if (!(frame->tag & FLAGS))
		m->shared->tree.amounts[(uint32_t)frame->tag].count++;
	if (!(frame->tag & RAROG_FRAME_INHERITED))
		count_call(m, id, ticks);
}

always_inline void settle_plain(struct rarog_machine *m, struct rarog_frame *frame, uint64_t now,
				bool compensating)
{
	uint64_t ticks = duration(m, frame, now, compensating);
	uint32_t id = (uint32_t)(frame->tag >> 32);

	add_time(m, frame, id, ticks);
	m->shared->tree.amounts[(uint32_t)frame->tag].count++;
	count_call(m, id, ticks);
}

always_inline void push(struct rarog_machine *m, struct rarog_frame *frame, uint32_t id,
			uint64_t now)
{
	struct rarog_machine_function *function = &m->functions[id];
	bool is_recursive = function->active++ > 0;
	uint64_t node = rarog_tree_child(&m->shared->tree, (uint32_t)frame[-1].tag,
					 function->location, is_recursive);

	*frame = (struct rarog_frame){
		.entry = now,
		.tag = node | (uint64_t)id << 32,
		.calls = m->calls,
	};
}

/*
 * Entries and exits from @words on, up to the first escape, bad record or @end. There is room for
 * every frame and every operation. Returns where it stopped.
 */
always_inline const uint16_t *run_words(struct rarog_machine *m, const uint16_t *words,
					const uint16_t *end, bool keeping, bool compensating)
{
	struct rarog_frame *frame = m->frames + m->depth;
	uint64_t now = m->now, last = m->last;
	uint32_t *op = m->batch.op + m->batch.n;
	uint64_t *delta = m->batch.delta + m->batch.n;

	while (words < end) {
		unsigned word = words[0];

		if (!(word & RAROG_WORD_ENTRY)) {
			now += word;
			if (unlikely(frame->tag & FLAGS)) {
				if (frame == m->frames) {
					now -= word;
					break;
				}
				settle_any(m, frame, now);
			} else {
				settle_plain(m, frame, now, compensating);
			}
			frame--;
			words++;
			if (keeping)
				*op++ = RAROG_OP_RETURN;
		} else {
			uint32_t id = words[1];

			if (unlikely(word == RAROG_WORD_ESCAPE))
				break;
			if (unlikely(id == RAROG_ID_WIDE))
				id = rarog_stream_u32(words + 2);
			if (unlikely(id >= m->n_functions))
				break;
			words += words[1] == RAROG_ID_WIDE ? 4 : 2;
			now += word & ~RAROG_WORD_ENTRY;
			m->calls++;
			push(m, ++frame, id, now);
			if (keeping)
				*op++ = m->functions[id].location + RAROG_OP_ENTRY;
		}
		if (keeping)
			*delta++ = now - last;
		last = now;
	}
	m->depth = (size_t)(frame - m->frames);
	m->now = now;
	m->last = last;
	if (keeping)
		m->batch.n = (size_t)(op - m->batch.op);
	return words;
}

typedef const uint16_t *run_function(struct rarog_machine *m, const uint16_t *words,
				     const uint16_t *end);

static const uint16_t *run_summary(struct rarog_machine *m, const uint16_t *words,
				   const uint16_t *end)
{
	return run_words(m, words, end, false, false);
}

static const uint16_t *run_summary_less_probes(struct rarog_machine *m, const uint16_t *words,
					       const uint16_t *end)
{
	return run_words(m, words, end, false, true);
}

static const uint16_t *run_calls(struct rarog_machine *m, const uint16_t *words,
				 const uint16_t *end)
{
	return run_words(m, words, end, true, false);
}

static const uint16_t *run_calls_less_probes(struct rarog_machine *m, const uint16_t *words,
					     const uint16_t *end)
{
	return run_words(m, words, end, true, true);
}

static run_function *const run_functions[2][2] = {
	{ run_summary, run_summary_less_probes },
	{ run_calls, run_calls_less_probes },
};

/* A new block that starts at the strand's clock @clock with what is open now. */
static int begin_block(struct rarog_machine *m, uint64_t clock)
{
	int r = rarog_batch_begin(&m->batch, clock, m->depth);

	if (r < 0)
		return r;
	for (size_t i = 1; i <= m->depth; i++)
		m->batch.open.v[m->batch.open.n++] =
			m->functions[frame_function(&m->frames[i])].location;
	return 0;
}

/* Waits since the last operation, which last has been lowered by. */
static uint64_t waits_since_last(const struct rarog_machine *m)
{
	return m->anchor == m->last ? m->gap : 0;
}

static int next_block(struct rarog_machine *m)
{
	int r = rarog_batch_flush(&m->batch);

	if (r < 0)
		return r;
	/* Deltas since the last operation are raw, so the block starts at its raw clock. */
	return begin_block(m, m->last + m->waits);
}

static int add_op(struct rarog_machine *m, uint32_t op, uint64_t delta)
{
	if (!m->is_keeping)
		return 0;
	if (m->batch.n == m->batch.capacity) {
		int r = next_block(m);

		if (r < 0)
			return r;
	}
	m->batch.op[m->batch.n] = op;
	m->batch.delta[m->batch.n++] = delta;
	return 0;
}

static struct rarog_stats_ends *ends_of(struct rarog_machine *m, uint32_t id)
{
	if (!m->ends)
		m->ends = calloc(m->n_functions, sizeof(*m->ends));
	return m->ends ? &m->ends[id] : NULL;
}

/* End the innermost @n calls now, without a return. */
static int close_calls(struct rarog_machine *m, size_t n, enum rarog_op op)
{
	for (; n > 0; n--) {
		struct rarog_frame *frame = &m->frames[m->depth];
		struct rarog_stats_ends *ends = ends_of(m, frame_function(frame));

		if (!ends)
			return rarog_oom();
		ends->unwound += op == RAROG_OP_UNWOUND;
		ends->open += op == RAROG_OP_CLOSED;
		settle_any(m, frame, m->now);
		m->depth--;

		int r = add_op(m, op, m->now - m->last);

		if (r < 0)
			return r;
		m->last = m->now;
	}
	return 0;
}

static int advance(struct rarog_machine *m, uint64_t ticks)
{
	if (ticks > CLOCK_MAX || m->now + m->waits + ticks > CLOCK_MAX)
		return rarog_fail(-EBADMSG, "the clock runs over");
	m->now += ticks;
	return 0;
}

static int escape_time16(struct rarog_machine *m, const uint16_t *payload)
{
	return advance(m, (uint64_t)payload[0] << 15);
}

static int escape_time64(struct rarog_machine *m, const uint16_t *payload)
{
	return advance(m, rarog_stream_u64(payload));
}

/* The first sets the clock; a later one (after a loss) may only advance it. */
static int escape_start(struct rarog_machine *m, const uint16_t *payload)
{
	uint64_t clock = rarog_stream_u64(payload), reached = m->now + m->waits;

	if (m->is_started)
		return clock > reached ? advance(m, clock - reached) : 0;
	int r = advance(m, clock);

	if (r < 0)
		return r;
	m->last = m->now;
	m->is_started = true;
	return m->is_keeping ? begin_block(m, m->now) : 0;
}

static int escape_unwind(struct rarog_machine *m, const uint16_t *payload)
{
	uint32_t n = rarog_stream_u32(payload);

	if (n > m->depth)
		return rarog_fail(-EBADMSG, "%u calls unwound, %zu are open", n, m->depth);
	m->unwound += n;
	return close_calls(m, n, RAROG_OP_UNWOUND);
}

/* Calls inherited at one clock share a block; an operation without effect keeps apart those that
 * the clock moved between. */
static int begin_inherited(struct rarog_machine *m, uint64_t clock)
{
	int r = 0;

	if (m->batch.n == 0 && m->batch.open.n > 0 && m->batch.start_ticks != clock)
		r = add_op(m, RAROG_OP_WAIT, 0);
	if (r < 0 || m->batch.n == 0)
		return r;
	r = rarog_batch_flush(&m->batch);
	return r < 0 ? r : begin_block(m, clock);
}

static int escape_inherit(struct rarog_machine *m, const uint16_t *payload)
{
	uint32_t id = rarog_stream_u32(payload);
	uint64_t clock = m->now + m->waits;
	int r = reserve_frames(m, m->depth + 2);

	if (r < 0)
		return r;
	if (id >= m->n_functions)
		return rarog_fail(-EBADMSG, "function %u of %zu inherited", id, m->n_functions);
	if (m->is_keeping) {
		r = begin_inherited(m, clock);
		if (r < 0)
			return r;
	}
	m->inherited++;
	push(m, &m->frames[++m->depth], id, m->now);
	m->frames[m->depth].tag |= FLAGS;
	m->last = m->now;
	m->batch.start_ticks = clock;
	return m->is_keeping ? rarog_vec_push(&m->batch.open, m->functions[id].location) : 0;
}

/* Only time since the strand's last operation can have been waited. */
static int escape_wait(struct rarog_machine *m, const uint16_t *payload)
{
	uint64_t ticks = rarog_stream_u64(payload), gap = waits_since_last(m);
	uint64_t passed = m->now - m->last - gap;

	if (ticks > passed)
		ticks = passed;
	m->now -= ticks;
	m->last -= ticks;
	m->waits += ticks;
	m->gap = gap + ticks;
	m->anchor = m->last;
	return add_op(m, RAROG_OP_WAIT, ticks);
}

static int escape_lost(struct rarog_machine *m, const uint16_t *payload)
{
	uint64_t n = rarog_stream_u64(payload);

	m->lost_events += n;
	return add_op(m, RAROG_OP_LOST, n);
}

static int escape_off(struct rarog_machine *m, const uint16_t *payload)
{
	(void)m;
	(void)payload;
	return 0;
}

static int escape_on(struct rarog_machine *m, const uint16_t *payload)
{
	m->left_out_calls += rarog_stream_u64(payload);
	return 0;
}

static int (*const escapes[RAROG_STREAM_ESCAPES])(struct rarog_machine *m,
						  const uint16_t *payload) = {
	[RAROG_ESCAPE_TIME16] = escape_time16,   [RAROG_ESCAPE_TIME64] = escape_time64,
	[RAROG_ESCAPE_START] = escape_start,     [RAROG_ESCAPE_UNWIND] = escape_unwind,
	[RAROG_ESCAPE_INHERIT] = escape_inherit, [RAROG_ESCAPE_WAIT] = escape_wait,
	[RAROG_ESCAPE_LOST] = escape_lost,       [RAROG_ESCAPE_OFF] = escape_off,
	[RAROG_ESCAPE_ON] = escape_on,
};

/* The record at which the loop stopped: an escape, or a bad one. Returns its length. */
static int take_record(struct rarog_machine *m, const uint16_t *words)
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

	return r < 0 ? r : 2 + rarog_stream_payload[kind];
}

/* How many words can be taken without running out of room; makes room first. */
static int make_room(struct rarog_machine *m, size_t *ret_words)
{
	size_t words = RUN_WORDS;
	int r = reserve_frames(m, m->depth + 2 + RUN_WORDS / 2);

	if (r < 0)
		return r;
	if (m->is_keeping && m->batch.n == m->batch.capacity) {
		r = next_block(m);
		if (r < 0)
			return r;
	}
	if (m->is_keeping && m->batch.capacity - m->batch.n < words)
		words = m->batch.capacity - m->batch.n;
	*ret_words = words;
	return 0;
}

static int run_some(struct rarog_machine *m, const uint16_t **words, const uint16_t *end)
{
	run_function *run = run_functions[m->is_keeping][m->is_compensating];
	size_t room;
	int r = make_room(m, &room);

	if (r < 0)
		return r;
	if (room < (size_t)(end - *words))
		end = *words + room;
	*words = run(m, *words, end);
	if (*words >= end)
		return 0;
	r = take_record(m, *words);
	if (r < 0)
		return r;
	*words += r;
	return 0;
}

int rarog_machine_run(struct rarog_machine *machine, size_t n, const uint16_t *words,
		      size_t *ret_used)
{
	const uint16_t *at = words, *end = words + n;
	int r = 0;

	if (!machine->is_started && n > 0) {
		r = take_record(machine, at);
		if (r > 0)
			at += r;
	}
	while (r >= 0 && at < end)
		r = run_some(machine, &at, end);
	*ret_used = (size_t)(at - words);
	return r < 0 ? r : 0;
}

int rarog_machine_stop_calls(struct rarog_machine *machine)
{
	int r = machine->is_keeping ? rarog_batch_flush(&machine->batch) : 0;

	rarog_batch_release(&machine->batch);
	machine->is_keeping = false;
	return r;
}

int rarog_machine_close(struct rarog_machine *machine, uint64_t end_ticks)
{
	uint64_t clock = machine->now + machine->waits;

	machine->open += machine->depth;
	if (end_ticks > clock && end_ticks <= CLOCK_MAX)
		machine->now += end_ticks - clock;
	int r = close_calls(machine, machine->depth, RAROG_OP_CLOSED);

	return r < 0 ? r : rarog_machine_stop_calls(machine);
}
