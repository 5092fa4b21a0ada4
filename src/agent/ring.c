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
	__atomic_store_n(&s->cursor, s->cursor + 2, __ATOMIC_RELEASE);
}

/* The cursor moves once, when all is there: a signal handler may jump away from anywhere, and after
 * a SIGKILL rarog reads up to the cursor. */
void put_escape(struct rarog_strand_shared *s, uint16_t kind, uint64_t payload, int n)
{
	uint16_t *at = (uint16_t *)s->cursor;

	*at++ = RAROG_WORD_ESCAPE;
	*at++ = kind;
	for (int i = 0; i < n; i++, payload >>= 16)
		*at++ = (uint16_t)payload;
	__atomic_store_n(&s->cursor, (uint64_t)at, __ATOMIC_RELEASE);
}

/* What has passed is written before the stream says so: a thread that abandons the probe between
 * the two leaves a clock that is set right (mark_busy()), not one that is ahead for good. */
static uint64_t pass_time(struct rarog_strand_private *p, uint64_t ticks)
{
	__atomic_store_n(&p->last, p->last + ticks, __ATOMIC_RELEASE);
	return ticks;
}

/* Advance the stream's clock to @now. */
void put_clock(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint64_t now)
{
	if (now <= p->last)
		return; /* never backwards */
	put_escape(s, RAROG_ESCAPE_TIME64, pass_time(p, now - p->last), 4);
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
	pass_time(p, delta);
	if (delta > max)
		put_escape(s, RAROG_ESCAPE_TIME16, high, 1);
	return (uint16_t)(delta > max ? delta & 0x7fff : delta);
}

void put_enter(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint32_t event,
	       uint64_t now)
{
	uint32_t delta = put_time(p, s, now, RAROG_DELTA_MAX);

	*(uint32_t *)s->cursor = event | delta;
	__atomic_store_n(&s->cursor, s->cursor + 4, __ATOMIC_RELEASE);
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
	if (!may_be_filtered())
		system_call(SYS_FUTEX, (long)word, FUTEX_WAKE, 1, 0);
}

void wake_rarog(void)
{
	struct rarog_control *c = control();

	__atomic_fetch_add(&c->filled, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&c->sleeping, __ATOMIC_SEQ_CST))
		wake(&c->filled);
}

static void set_changing(uint32_t index, int changing)
{
	__atomic_store_n(&shared(index)->changing, (uint32_t)changing, __ATOMIC_RELEASE);
}

static int is_owned(const struct rarog_chunk *c, uint32_t index)
{
	return __atomic_load_n(&c->owner, __ATOMIC_ACQUIRE) ==
	       RAROG_CHUNK_OF(index, RAROG_CHUNK_OWNED);
}

static void give_away(struct rarog_chunk *c, uint32_t index)
{
	__atomic_store_n(&c->owner, RAROG_CHUNK_OF(index, RAROG_CHUNK_FULL), __ATOMIC_RELEASE);
}

static void free_chunk(struct rarog_chunk *c)
{
	uint64_t chunk = (uint64_t)(c - control()->chunks);

	__atomic_store_n(&c->owner, RAROG_CHUNK_FREE, __ATOMIC_RELEASE);
	__atomic_fetch_or(&control()->chunks_free[chunk / 64], 1ull << chunk % 64,
			  __ATOMIC_RELEASE);
}

/* The order is what settle_chunks() goes by. */
static void publish_chunk(uint32_t index)
{
	struct rarog_strand_shared *s = shared(index);
	struct rarog_chunk *c;

	if (!s->chunk)
		return;
	c = &control()->chunks[s->chunk - 1];
	__atomic_store_n(&c->used, (uint32_t)(s->cursor - chunk_address(s->chunk - 1)),
			 __ATOMIC_RELEASE);
	__atomic_store_n(&s->sequence, s->sequence + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&s->chunk, 0, __ATOMIC_RELEASE);
	s->cursor = s->end = 0;
	give_away(c, index);
}

/*
 * The probe before this one was abandoned, perhaps while it changed chunks. The strand's own is
 * gone on with; one that nearly was given away is given away, one that nearly was taken is free.
 */
void settle_chunks(uint32_t index)
{
	struct rarog_strand_shared *s = shared(index);

	for (uint32_t i = 0; shared(index)->changing && i < RAROG_CHUNKS; i++) {
		struct rarog_chunk *c = &control()->chunks[i];

		if (!is_owned(c, index))
			continue;
		if (i + 1 == s->chunk) {
			s->sequence = c->sequence;
			c->used = 0;
		} else if (c->used) {
			give_away(c, index);
		} else {
			free_chunk(c);
		}
	}
	if (!s->chunk)
		s->cursor = s->end = 0;
	set_changing(index, 0);
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

static int own_chunk(struct rarog_chunk *c, uint32_t index)
{
	uint32_t nobody = RAROG_CHUNK_FREE;

	return __atomic_compare_exchange_n(&c->owner, &nobody,
					   RAROG_CHUNK_OF(index, RAROG_CHUNK_OWNED), 0,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* -1: there is none. Its owner is said first: a bit that is left set there does no harm. */
static long claim_chunk(uint32_t index)
{
	struct rarog_control *c = control();

	for (uint32_t i = 0; i < RAROG_CHUNKS / 64; i++) {
		uint64_t bits = __atomic_load_n(&c->chunks_free[i], __ATOMIC_ACQUIRE);

		for (; bits; bits &= bits - 1) {
			uint32_t chunk = i * 64 + (uint32_t)__builtin_ctzll(bits);

			if (!own_chunk(&c->chunks[chunk], index))
				continue;
			__atomic_fetch_and(&c->chunks_free[i], ~(bits & -bits), __ATOMIC_RELEASE);
			return chunk;
		}
	}
	return -1;
}

/* Has taken @chunk, whose memory is there. */
static void begin_chunk(uint32_t index, uint32_t chunk)
{
	struct rarog_strand_shared *s = shared(index);
	struct rarog_chunk *c = &control()->chunks[chunk];

	c->generation = s->generation;
	c->sequence = s->sequence;
	s->end = chunk_address(chunk) + RAROG_CHUNK_SIZE - RAROG_CHUNK_MARGIN;
	s->cursor = chunk_address(chunk);
	__atomic_store_n(&s->chunk, chunk + 1, __ATOMIC_RELEASE);
}

static int take_chunk(uint32_t index)
{
	long chunk = claim_chunk(index);

	if (chunk < 0)
		return CHUNK_NONE;
	if (open_chunk((uint32_t)chunk) < 0) {
		free_chunk(&control()->chunks[chunk]);
		return CHUNK_CLOSED;
	}
	begin_chunk(index, (uint32_t)chunk);
	return 0;
}

/* Return: turns waited in vain. Only a wait that nothing ended is silence: where many wait, most
 * wake in vain. */
static int sleep_on(uint32_t *word, uint32_t value)
{
	const int64_t moment[2] = { 0, WAIT_SETTLE_NS };
	long r = system_call(SYS_FUTEX, (long)word, FUTEX_WAIT, value, (long)moment);

	return r == -ETIMEDOUT ? WAIT_SETTLE_SIZE : 0;
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

int wait_to_settle(uint32_t *word, uint32_t value, struct pulse *pulse)
{
	int silent = may_be_filtered() ? turn_on(word, value) : sleep_on(word, value);
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
		if (!wait_to_settle(&c->freed, freed, &pulse))
			break;
	}
	__atomic_fetch_sub(&c->waiters, 1, __ATOMIC_SEQ_CST);
	if (taken == CHUNK_NONE)
		give_up(c);
	return taken;
}

/* Negative: there is none now. @ret_before: when it began to wait, if it did. */
static int change_chunks(uint32_t index, int drop, uint64_t *ret_before)
{
	int taken = CHUNK_CLOSED;

	set_changing(index, 1);
	publish_chunk(index);
	if (!control()->gone)
		taken = take_chunk(index);
	if (taken == CHUNK_NONE && !drop) {
		*ret_before = ticks();
		taken = wait_for_chunk(index);
	}
	set_changing(index, 0);
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

	if (s->cursor < s->end)
		return 0;
	if (change_chunks(index, drop, &before) < 0)
		return -1;
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
