/* SPDX-License-Identifier: MIT */
/* The event stream of a strand, and the chunks that it is written into. */
#include "internal.h"

/* Take a set bit out of @mask; -1 if there is none. */
long claim_bit(uint64_t *mask, unsigned words)
{
	for (unsigned i = 0; i < words; i++) {
		uint64_t bits = __atomic_load_n(&mask[i], __ATOMIC_ACQUIRE);

		while (bits) {
			uint64_t bit = bits & -bits;

			if (__atomic_compare_exchange_n(&mask[i], &bits, bits & ~bit, 0,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return (long)i * 64 + __builtin_ctzll(bit);
		}
	}
	return -1;
}

static void put16(struct rarog_strand_shared *s, uint16_t word)
{
	*(uint16_t *)s->cursor = word;
	s->cursor += 2;
}

static void put_words(struct rarog_strand_shared *s, uint64_t value, int n)
{
	for (int i = 0; i < n; i++, value >>= 16)
		put16(s, (uint16_t)value);
}

void put_escape(struct rarog_strand_shared *s, uint16_t kind, uint64_t payload, int n)
{
	/* The cursor moves last: rarog may read the stream at any time after a SIGKILL. */
	uint64_t start = s->cursor, end;

	put16(s, RAROG_WORD_ESCAPE);
	put16(s, kind);
	put_words(s, payload, n);
	end = s->cursor;
	s->cursor = start;
	__atomic_store_n(&s->cursor, end, __ATOMIC_RELEASE);
}

/* Advance the stream's clock to @now. */
void put_clock(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint64_t now)
{
	if (now <= p->last)
		return; /* never backwards */
	put_escape(s, RAROG_ESCAPE_TIME64, now - p->last, 4);
	p->last = now;
}

/* The time since the last event as the delta of the next one; what is too large goes before it. */
static uint16_t put_time(struct rarog_strand_private *p, struct rarog_strand_shared *s,
			 uint64_t now, uint16_t max)
{
	uint64_t delta = now > p->last ? now - p->last : 0, high = delta >> 15;

	if (delta > max && (high > 0xffff || (delta & 0x7fff) > max)) {
		put_clock(p, s, now);
		return 0;
	}
	if (delta > max)
		put_escape(s, RAROG_ESCAPE_TIME16, high, 1);
	p->last += delta;
	return (uint16_t)(delta > max ? delta & 0x7fff : delta);
}

void put_enter(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint32_t event,
	       uint64_t now)
{
	uint32_t delta = put_time(p, s, now, RAROG_DELTA_MAX);

	*(uint32_t *)s->cursor = event | delta;
	s->cursor += 4;
}

void put_leave(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint64_t now)
{
	uint16_t delta = put_time(p, s, now, 0x7fff);

	put16(s, delta);
}

static uint64_t chunk_address(uint32_t chunk)
{
	return rarog_area.chunks + (uint64_t)chunk * RAROG_CHUNK_SIZE;
}

/* Rarog looks at everything that it waits for every few milliseconds anyway, and for full chunks
 * only so: waking it is a system call, which the program may have forbidden itself on pain of
 * death. */
void wake(uint32_t *word)
{
	if (!control()->filtered)
		system_call(SYS_FUTEX, (long)word, FUTEX_WAKE, 1, 0);
}

void wake_rarog(void)
{
	struct rarog_control *c = control();

	__atomic_fetch_add(&c->filled, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&c->sleeping, __ATOMIC_SEQ_CST))
		wake(&c->filled);
}

static void publish_chunk(struct rarog_strand_shared *s)
{
	struct rarog_control *c = control();
	uint32_t chunk = s->chunk - 1;

	if (!s->chunk)
		return;
	c->chunks[chunk].used = (uint32_t)(s->cursor - chunk_address(chunk));
	s->chunk = 0;
	s->cursor = s->end = 0;
	__atomic_store_n(&c->chunks[chunk].state, RAROG_CHUNK_FULL, __ATOMIC_RELEASE);
}

long open_memory(uint64_t at, uint64_t size)
{
	return system_call(SYS_MPROTECT, (long)at, (long)size, PROT_READ_WRITE, 0);
}

/* Chunks given out later are opened here, some at a time. Each process of an image does so for
 * itself; two threads at once do the same twice. */
#define OPEN_STEP 16

long open_chunks(uint64_t to)
{
	struct rarog_strand_private *common = private(0);
	uint64_t open = common->chunks_open ? common->chunks_open : rarog_area.chunks_open;
	long r;

	if (to > rarog_area.chunks_max)
		to = rarog_area.chunks_max;
	if (to <= open)
		return 0;
	if (is_filtered())
		return -1;
	r = open_memory(chunk_address((uint32_t)open), (to - open) * RAROG_CHUNK_SIZE);
	if (r == 0)
		common->chunks_open = to;
	return r;
}

static long open_chunk(uint32_t chunk)
{
	uint64_t open = private(0)->chunks_open;

	return chunk < (open ? open : rarog_area.chunks_open)
		       ? 0
		       : open_chunks((chunk / OPEN_STEP + 1) * OPEN_STEP);
}

/* CHUNK_NONE: there is no free one; CHUNK_CLOSED: there is, but its memory cannot be had. */
#define CHUNK_NONE   (-1)
#define CHUNK_CLOSED (-2)

static int take_chunk(uint32_t index)
{
	struct rarog_control *c = control();
	struct rarog_strand_shared *s = shared(index);
	long chunk = claim_bit(c->chunks_free, RAROG_CHUNKS / 64);

	if (chunk < 0)
		return CHUNK_NONE;
	if (open_chunk((uint32_t)chunk) < 0) {
		__atomic_fetch_or(&c->chunks_free[chunk / 64], 1ull << chunk % 64,
				  __ATOMIC_RELEASE);
		return CHUNK_CLOSED;
	}
	c->chunks[chunk].strand = index;
	c->chunks[chunk].generation = s->generation;
	c->chunks[chunk].sequence = s->sequence++;
	__atomic_store_n(&c->chunks[chunk].state, RAROG_CHUNK_OWNED, __ATOMIC_RELEASE);
	s->end = chunk_address((uint32_t)chunk) + RAROG_CHUNK_SIZE - RAROG_CHUNK_MARGIN;
	s->cursor = chunk_address((uint32_t)chunk);
	__atomic_store_n(&s->chunk, (uint32_t)chunk + 1, __ATOMIC_RELEASE);
	return 0;
}

/* Return: turns waited in vain. Only a wait that nothing ended is silence: where many wait, most
 * wake in vain. */
static int sleep_on(uint32_t *word, uint32_t value)
{
	const int64_t moment[2] = { 0, WAIT_MOMENT_NS };
	long r = system_call(SYS_FUTEX, (long)word, FUTEX_WAIT, value, (long)moment);

	return r == -ETIMEDOUT ? WAIT_MOMENT_SIZE : 0;
}

static int turn_on(const uint32_t *word, uint32_t value)
{
	uint64_t start = ticks();

	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) {
		if (ticks() - start > WAIT_TURN_TICKS)
			return 1;
		__asm__ volatile("pause");
	}
	return 0;
}

int wait_a_moment(uint32_t *word, uint32_t value, struct pulse *pulse)
{
	int silent = control()->filtered ? turn_on(word, value) : sleep_on(word, value);
	uint32_t beat = __atomic_load_n(&control()->beat, __ATOMIC_RELAXED);

	pulse->silent = beat == pulse->beat ? pulse->silent + silent : 0;
	pulse->beat = beat;
	return pulse->silent < WAIT_SILENT;
}

static int wait_for_chunk(uint32_t index)
{
	struct rarog_control *c = control();
	struct pulse pulse = { 0 };
	int taken;

	__atomic_fetch_add(&c->waiters, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		uint32_t freed = __atomic_load_n(&c->freed, __ATOMIC_SEQ_CST);

		taken = take_chunk(index);
		if (taken != CHUNK_NONE || is_gone(c))
			break;
		if (!wait_a_moment(&c->freed, freed, &pulse))
			break;
	}
	__atomic_fetch_sub(&c->waiters, 1, __ATOMIC_SEQ_CST);
	if (taken == CHUNK_NONE)
		give_up(c);
	return taken;
}

/*
 * Make room for a slow path's worst case. After a loss the stream is told how many events are
 * missing, what time it is and how many calls are open now.
 * Return: -1 when nothing can be recorded now.
 */
int make_room_or(uint32_t index, int drop)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);
	uint64_t before = 0;
	int taken;

	if (s->cursor < s->end)
		return 0;
	publish_chunk(s);
	if (control()->gone)
		return -1;
	taken = take_chunk(index);
	if (taken < 0) {
		if (drop || taken == CHUNK_CLOSED)
			return -1;
		before = ticks();
		if (wait_for_chunk(index) < 0)
			return -1;
	}
	if (s->lost) {
		put_escape(s, RAROG_ESCAPE_LOST, s->lost, 4);
		put_escape(s, RAROG_ESCAPE_START, p->last, 4);
		put_escape(s, RAROG_ESCAPE_DEPTH, depth(p), 2);
		s->lost = 0;
	}
	if (before) {
		put_clock(p, s, ticks());
		put_escape(s, RAROG_ESCAPE_WAIT, p->last - before, 4);
	}
	return 0;
}

int make_room(uint32_t index)
{
	return make_room_or(index, (int)control()->drop);
}

/* A new strand's first chunk; always waits for it. Negative: rarog is gone, or no memory. */
int first_chunk(uint32_t index)
{
	int taken;

	if (control()->gone)
		return -1;
	taken = take_chunk(index);
	return taken == CHUNK_NONE ? wait_for_chunk(index) : taken;
}
