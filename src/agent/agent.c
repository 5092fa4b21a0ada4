/* SPDX-License-Identifier: MIT */
/*
 * The agent: what the probes (probe.S) do when a call is not ordinary. It runs inside the measured
 * program, wherever that happens to be: in a signal handler, between fork and exec, with any lock
 * held. So it links nothing, allocates nothing, uses only general registers (the build says
 * -mgeneral-regs-only, so no vector or x87 state needs saving), little stack, and three system
 * calls: futex (a full ring), gettid/getpid (once per thread) and sigaltstack (which stack is this,
 * when the stack pointer jumped).
 *
 * Invariants, per strand:
 *   - frames' slots decrease from base to top (the machine stack grows down);
 *   - the stream's open calls are exactly the frames, in order; RAROG_ESCAPE_DEPTH says so again
 *     whenever a probe may have been abandoned half-way (siglongjmp out of a handler);
 *   - a frame's return address is never forgotten while its slot may still be returned through:
 *     popped frames stay readable above top until overwritten.
 */
#include "abi.h"
#include "layout.h"

#define HIDDEN __attribute__((visibility("hidden")))

extern struct rarog_area rarog_area HIDDEN;
extern const char rarog_agent_landing[] HIDDEN;

struct frame {
	uint64_t ret;  /* true return address */
	uint64_t slot; /* where it stood: the stack pointer at the entry; bit 0: RAROG_SLOT_SLOW */
	uint64_t stub; /* resume address in the stub */
	uint64_t spare;
};

struct enter_probe { /* what probe.S pushed, lowest address first */
	uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rcx, rdx;
	uint64_t resume; /* into the stub */
	uint64_t rax;
	uint64_t ret; /* the slot */
};

struct leave_probe {
	uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rcx, rdx, rax;
	uint64_t ret; /* the slot: to be filled */
};

struct hook_probe {
	uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rcx, rdx, rax;
	uint64_t resume;
	uint64_t ret;
};

enum kind { KIND_PLAIN = 0, KIND_WITHIN, KIND_BELOW, KIND_ROOT };

#define NEVER    (~(uint64_t)0)
#define BUSY_NEW 1 /* busy mark of a strand being made */

/* --- the machine --- */

static uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static uint64_t thread_pointer(void)
{
	uint64_t value;

	__asm__ volatile("mov %%fs:0, %0" : "=r"(value));
	return value;
}

static uint64_t gs_base(void)
{
	uint64_t value;

	__asm__ volatile("rdgsbase %0" : "=r"(value));
	return value;
}

static void set_gs_base(uint64_t value)
{
	__asm__ volatile("wrgsbase %0" : : "r"(value) : "memory");
}

static long system_call6(long number, const int64_t a[6])
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static long system_call(long number, long a, long b, long c, long d)
{
	const int64_t arguments[6] = { a, b, c, d, 0, 0 };

	return system_call6(number, arguments);
}

#define SYS_GETPID      39
#define SYS_SIGALTSTACK 131
#define SYS_GETTID      186
#define SYS_FUTEX       202
#define FUTEX_WAIT      0
#define FUTEX_WAKE      1

/* --- records --- */

static struct rarog_control *control(void)
{
	return (struct rarog_control *)rarog_area.control;
}

static struct rarog_strand_wiped *wiped(uint32_t index)
{
	return (void *)(rarog_area.strands + RAROG_WIPED + (uint64_t)index * RAROG_STRAND_STRIDE);
}

static struct rarog_strand_private *private(uint32_t index)
{
	return (void *)(rarog_area.strands + RAROG_PRIVATE + (uint64_t)index * RAROG_STRAND_STRIDE);
}

static struct rarog_strand_shared *shared(uint32_t index)
{
	return (void *)(rarog_area.strands + RAROG_SHARED + (uint64_t)index * RAROG_STRAND_STRIDE);
}

static uint32_t current_index(void)
{
	return (uint32_t)((gs_base() - rarog_area.strands) / RAROG_STRAND_STRIDE);
}

static struct frame *top_frame(const struct rarog_strand_private *p)
{
	return (struct frame *)p->top - 1;
}

static uint64_t slot_of(const struct frame *f)
{
	return f->slot & ~(uint64_t)RAROG_SLOT_SLOW;
}

static uint32_t depth(const struct rarog_strand_private *p)
{
	return (uint32_t)((p->top - p->base) / RAROG_FRAME_SIZE);
}

static int is_stub_address(uint64_t address)
{
	return address - rarog_area.stubs < rarog_area.stubs_size;
}

/* The event word is the immediate of the stub's second instruction. */
static uint32_t stub_id(uint64_t resume)
{
	const uint8_t *p = (const uint8_t *)resume - RAROG_STUB_RESUME + RAROG_STUB_ID;

	return (uint32_t)(p[2] | p[3] << 8);
}

/* Take a set bit out of @mask; -1 if there is none. */
static long claim_bit(uint64_t *mask, unsigned words)
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

/* --- the stream --- */

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

static void put_escape(struct rarog_strand_shared *s, uint16_t kind, uint64_t payload, int n)
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
static void put_clock(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint64_t now)
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

static void put_enter(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint32_t event,
		      uint64_t now)
{
	uint32_t delta = put_time(p, s, now, RAROG_DELTA_MAX);

	*(uint32_t *)s->cursor = event | delta;
	s->cursor += 4;
}

static void put_leave(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint64_t now)
{
	uint16_t delta = put_time(p, s, now, 0x7fff);

	put16(s, delta);
}

/* --- chunks --- */

static uint64_t chunk_address(uint32_t chunk)
{
	return rarog_area.chunks + (uint64_t)chunk * RAROG_CHUNK_SIZE;
}

static void wake_rarog(void)
{
	struct rarog_control *c = control();

	__atomic_fetch_add(&c->filled, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&c->sleeping, __ATOMIC_SEQ_CST))
		system_call(SYS_FUTEX, (long)&c->filled, FUTEX_WAKE, 1, 0);
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
	wake_rarog();
}

static int take_chunk(uint32_t index)
{
	struct rarog_control *c = control();
	struct rarog_strand_shared *s = shared(index);
	long chunk = claim_bit(c->chunks_free, RAROG_CHUNKS / 64);

	if (chunk < 0)
		return -1;
	c->chunks[chunk].strand = index;
	c->chunks[chunk].generation = s->generation;
	c->chunks[chunk].sequence = s->sequence++;
	__atomic_store_n(&c->chunks[chunk].state, RAROG_CHUNK_OWNED, __ATOMIC_RELEASE);
	s->end = chunk_address((uint32_t)chunk) + RAROG_CHUNK_SIZE - RAROG_CHUNK_MARGIN;
	s->cursor = chunk_address((uint32_t)chunk);
	__atomic_store_n(&s->chunk, (uint32_t)chunk + 1, __ATOMIC_RELEASE);
	return 0;
}

/* A second of waiting at a time; rarog silent for ten is taken for dead. */
#define WAIT_ROUNDS 10

static int wait_for_chunk(uint32_t index)
{
	struct rarog_control *c = control();
	uint32_t beat = c->beat;
	int silent = 0, taken;

	__atomic_fetch_add(&c->waiters, 1, __ATOMIC_SEQ_CST);
	wake_rarog();
	for (;;) {
		struct {
			int64_t seconds, nanoseconds;
		} second = { 1, 0 };
		uint32_t freed = __atomic_load_n(&c->freed, __ATOMIC_SEQ_CST);

		taken = take_chunk(index);
		if (taken == 0 || c->gone || silent >= WAIT_ROUNDS)
			break;
		system_call(SYS_FUTEX, (long)&c->freed, FUTEX_WAIT, freed, (long)&second);
		silent = c->beat == beat ? silent + 1 : 0;
		beat = c->beat;
	}
	__atomic_fetch_sub(&c->waiters, 1, __ATOMIC_SEQ_CST);
	if (taken < 0)
		c->gone = 1;
	return taken;
}

/*
 * Make room for a slow path's worst case. After a loss the stream is told how many events are
 * missing, what time it is and how many calls are open now.
 * Return: -1 when nothing can be recorded now.
 */
static int make_room_or(uint32_t index, int drop)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);
	uint64_t before = 0;

	if (s->cursor < s->end)
		return 0;
	publish_chunk(s);
	if (control()->gone)
		return -1;
	if (take_chunk(index) < 0) {
		if (drop)
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

static int make_room(uint32_t index)
{
	return make_room_or(index, (int)control()->drop);
}

/* --- strands --- */

/* Strand 1 is the first one claimed: the main thread's, with the large shadow stack. One frame
 * stays free at each end: what stands below the first frame is compared with its slot. */
static uint64_t shadow_start(uint32_t index)
{
	uint64_t after = RAROG_SHADOW_SIZE_MAIN + (uint64_t)index * RAROG_SHADOW_SIZE;

	return rarog_area.shadow + (index == 1 ? 0 : after) + RAROG_FRAME_SIZE;
}

static uint64_t shadow_end(const struct rarog_strand_private *p)
{
	uint64_t size = p->index == 1 ? RAROG_SHADOW_SIZE_MAIN : RAROG_SHADOW_SIZE;

	return p->base + size - 2 * RAROG_FRAME_SIZE;
}

static long new_strand(uint32_t parent)
{
	long index = claim_bit(control()->strands_free, RAROG_STRANDS / 64);
	struct rarog_strand_private *p;
	struct rarog_strand_shared *s;

	if (index < 0)
		return -1;
	p = private((uint32_t)index);
	s = shared((uint32_t)index);
	*p = (struct rarog_strand_private){
		.top = shadow_start((uint32_t)index),
		.base = shadow_start((uint32_t)index),
		.within = NEVER,
		.busy = BUSY_NEW,
		.index = (uint32_t)index,
		.counts = rarog_area.counters + (uint64_t)index * rarog_area.counters_stride,
	};
	p->limit = shadow_end(p);
	s->pid = (uint32_t)system_call(SYS_GETPID, 0, 0, 0, 0);
	s->tid = (uint32_t)system_call(SYS_GETTID, 0, 0, 0, 0);
	s->parent = parent;
	s->start_ticks = p->last = ticks();
	s->generation = __atomic_add_fetch(&control()->generations, 1, __ATOMIC_RELAXED);
	s->sequence = s->left_out = s->lost = 0;
	s->chunk = 0;
	s->cursor = s->end = 0;
	__atomic_store_n(&s->state, RAROG_STRAND_ACTIVE, __ATOMIC_RELEASE);
	return index;
}

/* The first record; waiting for room before it is nobody's time. */
static void start_stream(uint32_t index)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);

	if (control()->gone || (take_chunk(index) < 0 && wait_for_chunk(index) < 0))
		return;
	s->start_ticks = p->last = ticks();
	put_escape(s, RAROG_ESCAPE_START, p->last, 4);
}

static void own(uint32_t index)
{
	wiped(index)->owner = thread_pointer();
	set_gs_base(rarog_area.strands + (uint64_t)index * RAROG_STRAND_STRIDE);
}

/* The calls that were open when the process forked are open in the child, too; never dropped,
 * because their returns will be seen. */
static void inherit_frames(uint32_t from, uint32_t to)
{
	const struct rarog_strand_private *old = private(from);
	struct rarog_strand_private *p = private(to);
	struct rarog_strand_shared *s = shared(to);
	uint64_t room = shadow_end(p) - p->base, size = old->top - old->base;

	if (size > room)
		size = room;
	for (uint64_t at = 0; at < size; at += RAROG_FRAME_SIZE) {
		struct frame *f = (struct frame *)(p->base + at);

		*f = *(const struct frame *)(old->base + at);
		if (make_room_or(to, 0) == 0)
			put_escape(s, RAROG_ESCAPE_INHERIT, stub_id(f->stub), 2);
	}
	p->top = p->base + size;
	if (old->within != NEVER)
		p->within = old->within - old->base + p->base;
	p->unhooked = old->unhooked;
}

/*
 * The strand of the running thread; claims one for a new thread or a forked child. 0: none can be
 * had, the call is not recorded.
 */
static uint32_t ensure_strand(void)
{
	uint32_t from = current_index();
	uint32_t forked = 0;
	long index;

	if (from >= RAROG_STRANDS)
		return 0;
	if (from && wiped(from)->owner == (uint64_t)control()->early_thread)
		wiped(from)->owner = thread_pointer(); /* libc has set it meanwhile */
	if (from && wiped(from)->owner == thread_pointer())
		return from;
	if (from && wiped(from)->owner == 0)
		forked = from;
	index = new_strand(forked);
	if (index < 0) {
		set_gs_base(rarog_area.strands);
		__atomic_fetch_add(&shared(0)->left_out, 1, __ATOMIC_RELAXED);
		return 0;
	}
	own((uint32_t)index);
	start_stream((uint32_t)index);
	if (forked)
		inherit_frames(forked, (uint32_t)index);
	return (uint32_t)index;
}

/* A strand for calls on another stack than the current strand's; it is busy. */
static uint32_t side_strand(uint32_t outer)
{
	struct rarog_strand_private *o = private(outer);
	long index = o->nested ? (long)o->nested : new_strand(0);

	if (index < 0)
		return 0;
	private((uint32_t)index)->busy = BUSY_NEW;
	private((uint32_t)index)->outer = outer;
	own((uint32_t)index);
	if (!o->nested)
		start_stream((uint32_t)index);
	o->nested = (uint32_t)index;
	return (uint32_t)index;
}

/* --- frames --- */

static void forget_root(struct rarog_strand_private *p)
{
	if (rarog_area.flags & RAROG_AREA_BELOW && p->within != NEVER && p->top <= p->within)
		p->within = NEVER;
}

/* Frames below @slot are gone without having returned. */
static void drop_frames(uint32_t index, uint64_t slot)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);
	uint64_t top = p->top;

	while (top > p->base && slot_of((struct frame *)top - 1) < slot)
		top -= RAROG_FRAME_SIZE;
	if (top == p->top)
		return;
	p->top = top;
	forget_root(p);
	if (make_room(index) < 0) {
		s->lost++; /* the depth follows when recording goes on */
		return;
	}
	put_clock(p, s, ticks());
	put_escape(s, RAROG_ESCAPE_DEPTH, depth(p), 2);
}

static void set_slots(const struct rarog_strand_private *p, int hooked)
{
	for (uint64_t at = p->top; at > p->base; at -= RAROG_FRAME_SIZE) {
		const struct frame *f = (const struct frame *)at - 1;

		*(uint64_t *)slot_of(f) =
			hooked ? f->stub + RAROG_STUB_RETURN - RAROG_STUB_RESUME : f->ret;
	}
}

static void rehook(uint32_t index)
{
	struct rarog_strand_private *p = private(index);

	if (!p->unhooked)
		return;
	set_slots(p, 1);
	p->unhooked = 0;
	p->limit = shadow_end(p);
}

struct alternate_stack {
	uint64_t start;
	int32_t flags, pad;
	uint64_t size;
};

#define SS_ONSTACK 1

/* Does exactly one of the two addresses lie on the thread's alternate signal stack? */
static int on_other_stack(uint64_t one, uint64_t other)
{
	struct alternate_stack stack = { 0 };

	if (system_call(SYS_SIGALTSTACK, 0, (long)&stack, 0, 0) < 0 || stack.size == 0)
		return 0;
	return (one - stack.start < stack.size) != (other - stack.start < stack.size);
}

/* Far enough from the innermost call that it may be another stack? Asking costs a system call. */
static int is_far(const struct rarog_strand_private *p, uint64_t slot)
{
	return depth(p) > 0 && slot_of(top_frame(p)) - slot >= RAROG_NEAR_BYTES;
}

/* Is a probe at @slot inside of the probe that the busy mark tells of (in a signal handler)? If
 * not, that one was abandoned by siglongjmp. */
static int is_inside(const struct rarog_strand_private *p, uint64_t slot)
{
	return p->busy > BUSY_NEW && (slot < p->busy || on_other_stack(slot, p->busy));
}

/* Is a strand made for a handler's calls left by a probe at @slot? */
static int is_left(const struct rarog_strand_private *p, uint64_t slot)
{
	uint64_t first;

	if (is_inside(private(p->outer), slot))
		return 0;
	if (depth(p) == 0)
		return 1;
	first = slot_of((const struct frame *)p->base);
	return slot > first || (is_far(p, slot) && on_other_stack(first, slot));
}

/* Mark the strand busy for a probe at @slot. A mark that was left there: what the abandoned probe
 * wrote may be half of what it did, so the stream is told what is open. */
static void mark_busy(uint32_t index, uint64_t slot)
{
	struct rarog_strand_private *p = private(index);
	int abandoned = p->busy > BUSY_NEW;

	p->busy = slot;
	if (!abandoned)
		return;
	drop_frames(index, slot);
	if (make_room(index) == 0)
		put_escape(shared(index), RAROG_ESCAPE_DEPTH, depth(p), 2);
}

/*
 * Which strand does a probe at @slot belong to? Mostly the current one; another one when a
 * handler's strand was left by siglongjmp, when the probe hit a running probe (signal), or when it
 * runs on an alternate signal stack. The strand returned is marked busy. 0: none can be had.
 */
static uint32_t strand_for(uint32_t index, uint64_t slot)
{
	struct rarog_strand_private *p = private(index);

	while (!is_inside(p, slot)) {
		uint32_t outer = p->outer;

		mark_busy(index, slot);
		if (!outer || !is_left(p, slot))
			break;
		drop_frames(index, NEVER);
		own(outer);
		p->busy = 0;
		index = outer;
		p = private(index);
	}
	if (p->busy != slot)
		index = side_strand(index);
	else if (is_far(p, slot) && on_other_stack(slot, slot_of(top_frame(p)))) {
		p->busy = 0;
		index = side_strand(index);
	}
	if (index)
	private(index)->busy = slot;
	return index;
}

static void pass(struct enter_probe *probe)
{
	probe->resume += RAROG_STUB_PASS - RAROG_STUB_RESUME;
}

static int is_left_out(struct rarog_strand_private *p, enum kind kind)
{
	if (kind == KIND_WITHIN)
		return p->top <= p->within;
	if (kind == KIND_BELOW || (kind == KIND_ROOT && rarog_area.flags & RAROG_AREA_BELOW))
		return p->top > p->within;
	return 0;
}

/* A call in tail position: the caller's frame becomes the callee's. */
static void replace_frame(uint32_t index, const struct enter_probe *probe, uint32_t event)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);

	top_frame(p)->stub = probe->resume;
	put_leave(p, s, ticks());
	put_enter(p, s, event, p->last);
}

static void push_frame(uint32_t index, const struct enter_probe *probe, uint32_t event, int slow)
{
	struct rarog_strand_private *p = private(index);
	struct frame *f = (struct frame *)p->top;

	/* What stands below the first frame makes the next call at this depth an ordinary one. */
	if (depth(p) == 0)
		f[-1].slot = (uint64_t)&probe->ret + RAROG_NEAR_BYTES / 2;
	f->ret = probe->ret;
	f->slot = (uint64_t)&probe->ret | (slow ? RAROG_SLOT_SLOW : 0);
	f->stub = probe->resume;
	put_enter(p, shared(index), event, ticks());
	p->top += RAROG_FRAME_SIZE;
}

/* Frames that a new call at @slot shows to be gone. */
static void settle_frames(uint32_t index, const struct enter_probe *probe)
{
	struct rarog_strand_private *p = private(index);
	uint64_t slot = (uint64_t)&probe->ret;

	drop_frames(index, is_stub_address(probe->ret) ? slot : slot + 1);
	if (p->unhooked && slot > p->unhooked_at)
		rehook(index);
}

static int is_tail_call(const struct rarog_strand_private *p, const struct enter_probe *probe)
{
	return depth(p) > 0 && top_frame(p)->slot == (uint64_t)&probe->ret;
}

static void enter_on(uint32_t index, struct enter_probe *probe, uint32_t event, enum kind kind)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);
	int root = kind == KIND_ROOT && (p->within == NEVER || p->top <= p->within);

	settle_frames(index, probe);
	if (is_left_out(p, kind))
		return pass(probe);
	if (p->top >= shadow_end(p)) {
		s->left_out++;
		return pass(probe);
	}
	if (make_room(index) < 0) {
		s->lost += 2;
		return pass(probe);
	}
	if (root)
		p->within = p->top;
	if (is_tail_call(p, probe))
		replace_frame(index, probe, event);
	else
		push_frame(index, probe, event, root || (p->outer && depth(p) == 0));
}

HIDDEN void rarog_agent_enter(struct enter_probe *probe, enum kind kind, uint32_t event)
{
	uint32_t index = ensure_strand();

	if (index)
		index = strand_for(index, (uint64_t)&probe->ret);
	if (!index)
		return pass(probe);
	enter_on(index, probe, event, kind);
	private(index)->busy = 0;
}

/* --- exits --- */

/* Which strand has a frame for @slot? Looks at live frames of this strand, then of all others, then
 * at frames already dropped: returning without an address to return to is the one thing that must
 * not happen. */
static struct frame *find_frame(uint32_t index, uint64_t slot)
{
	struct rarog_strand_private *p = private(index);

	for (uint64_t at = p->top; at > p->base; at -= RAROG_FRAME_SIZE)
		if (slot_of((struct frame *)at - 1) == slot)
			return (struct frame *)at - 1;
	return 0;
}

static struct frame *find_dropped(const struct rarog_strand_private *p, uint64_t slot)
{
	for (struct frame *f = (struct frame *)p->top; (uint64_t)f < shadow_end(p) && f->slot; f++)
		if (slot_of(f) == slot)
			return f;
	return 0;
}

static struct frame *find_anywhere(uint64_t slot, uint32_t *ret_index)
{
	for (uint32_t i = 1; i < RAROG_STRANDS; i++) {
		struct frame *f = private(i)->base ? find_frame(i, slot) : 0;

		*ret_index = i;
		if (f)
			return f;
	}
	*ret_index = 0;
	for (uint32_t i = 1; i < RAROG_STRANDS; i++) {
		struct frame *f = private(i)->base ? find_dropped(private(i), slot) : 0;

		if (f)
			return f;
	}
	return 0;
}

static void leave_on(uint32_t index, struct frame *f, uint64_t now)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);

	drop_frames(index, slot_of(f));
	p->top = (uint64_t)f;
	forget_root(p);
	if (s->chunk) {
		put_leave(p, s, now);
		make_room(index);
	} else {
		s->lost++;
	}
	if (p->outer && p->top == p->base)
		own(p->outer);
}

HIDDEN void rarog_agent_leave(struct leave_probe *probe, uint64_t now)
{
	uint64_t slot = (uint64_t)&probe->ret;
	uint32_t index = ensure_strand();
	struct frame *f = index ? find_frame(index, slot) : 0;

	if (!f)
		f = find_anywhere(slot, &index);
	if (!f)
		__builtin_trap();
	probe->ret = f->ret;
	if (!index)
		return;
	mark_busy(index, slot);
	leave_on(index, f, now);
	private(index)->busy = 0;
}

/* --- counting --- */

HIDDEN void rarog_agent_count(void)
{
	uint32_t index = ensure_strand();

	if (index)
	private(index)->busy = 0;
}

/* --- unwinding --- */

/* Before the unwinder walks the stack: give every frame its true return address. */
HIDDEN void rarog_agent_unhook(struct hook_probe *probe)
{
	uint64_t slot = (uint64_t)&probe->ret;
	uint32_t index = current_index();

	if (index == 0 || index >= RAROG_STRANDS || !(index = ensure_strand()))
		return;
	index = strand_for(index, slot);
	if (!index)
		return;
	drop_frames(index, slot);
	for (uint32_t i = index; i; i = private(i)->outer) {
		struct rarog_strand_private *p = private(i);

		set_slots(p, 0);
		p->limit = 0; /* the next entry takes the slow path */
		p->unhooked = 1;
		p->unhooked_at = slot;
	}
	private(index)->busy = 0;
}

/* The personality routine has chosen a landing pad: land in the agent first. */
HIDDEN void rarog_agent_set_ip(struct hook_probe *probe)
{
	uint32_t index = current_index();

	if (index == 0 || index >= RAROG_STRANDS || !private(index)->unhooked)
		return;
	private(index)->landing = probe->rsi;
	probe->rsi = (uint64_t)rarog_agent_landing;
}

HIDDEN void rarog_agent_landed(struct leave_probe *probe)
{
	uint32_t index = current_index();
	uint64_t sp = (uint64_t)&probe->ret + 8 + 128;

	probe->ret = private(index)->landing;
	index = strand_for(index, sp);
	if (!index)
		return;
	drop_frames(index, sp);
	for (uint32_t i = index; i; i = private(i)->outer)
		rehook(i);
	private(index)->busy = 0;
}

/* --- libraries --- */

static struct rarog_request *claim_request(struct rarog_control *c)
{
	for (int i = 0; i < RAROG_REQUESTS; i++) {
		uint32_t expected = RAROG_REQUEST_FREE;

		if (__atomic_compare_exchange_n(&c->requests[i].state, &expected,
						RAROG_REQUEST_CLAIMED, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return &c->requests[i];
	}
	return 0;
}

static void say(struct rarog_request *r, uint32_t state)
{
	__atomic_store_n(&r->state, state, __ATOMIC_SEQ_CST);
	system_call(SYS_FUTEX, (long)&r->state, FUTEX_WAKE, 1, 0);
}

/* Wait while the state is @state; -1: rarog is gone. */
static int wait_while(struct rarog_request *r, uint32_t state)
{
	struct rarog_control *c = control();
	uint32_t beat = c->beat;

	for (int silent = 0; __atomic_load_n(&r->state, __ATOMIC_SEQ_CST) == state;) {
		int64_t second[2] = { 1, 0 };

		if (c->gone || silent >= WAIT_ROUNDS)
			return -1;
		system_call(SYS_FUTEX, (long)&r->state, FUTEX_WAIT, state, (long)second);
		silent = c->beat == beat ? silent + 1 : 0;
		beat = c->beat;
	}
	return 0;
}

/* The dynamic linker calls its _dl_debug_state() when libraries came or went: let rarog look, and
 * make the system calls it asks for. */
HIDDEN void rarog_agent_loaded(void)
{
	struct rarog_control *c = control();
	struct rarog_request *r = c->gone ? 0 : claim_request(c);

	if (!r)
		return;
	r->pid = (uint32_t)system_call(SYS_GETPID, 0, 0, 0, 0);
	__atomic_store_n(&r->state, RAROG_REQUEST_POSTED, __ATOMIC_SEQ_CST);
	wake_rarog();
	int gone = wait_while(r, RAROG_REQUEST_POSTED);
	while (!gone && __atomic_load_n(&r->state, __ATOMIC_SEQ_CST) == RAROG_REQUEST_CALL) {
		r->result = system_call6(r->number, r->arguments);
		say(r, RAROG_REQUEST_RETURNED);
		gone = wait_while(r, RAROG_REQUEST_RETURNED);
	}
	__atomic_store_n(&r->state, RAROG_REQUEST_FREE, __ATOMIC_SEQ_CST);
}
