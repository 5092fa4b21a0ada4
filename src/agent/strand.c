/* SPDX-License-Identifier: MIT */
/* Strands: claimed by new threads and forked children, given back by rarog. */
#include "internal.h"

/* Strand 1 is the first one claimed: the main thread's, with the large shadow stack. One frame
 * stays free at each end: what stands below the first frame is compared with its slot. */
static uint64_t shadow_start(uint32_t index)
{
	uint64_t after = RAROG_SHADOW_SIZE_MAIN + (uint64_t)(index - 2) * RAROG_SHADOW_SIZE;

	return rarog_area.shadow + (index == 1 ? 0 : after) + RAROG_FRAME_SIZE;
}

static uint64_t counters_of(uint32_t index)
{
	return rarog_area.counters + (uint64_t)index * rarog_area.counters_stride;
}

uint64_t shadow_end(const struct rarog_strand_private *p)
{
	uint64_t size = p->index == 1 ? RAROG_SHADOW_SIZE_MAIN : RAROG_SHADOW_SIZE;

	return p->base + size - 2 * RAROG_FRAME_SIZE;
}

long open_strands(uint32_t from, uint32_t to)
{
	uint64_t stride = rarog_area.counters_stride;
	long r = open_memory(shadow_start(from) - RAROG_FRAME_SIZE,
			     (uint64_t)(to - from) * RAROG_SHADOW_SIZE);

	if (r == 0 && stride)
		r = open_memory(counters_of(from), (to - from) * stride);
	return r;
}

/* Its memory, where that is only address space yet. Whatever stops us here stops this thread's
 * recording, not the thread. */
long open_strand(uint32_t index)
{
	if (index < RAROG_STRANDS_OPEN || index < private(0)->open)
		return 0;
	return is_filtered() ? -1 : open_strands(index, index + 1);
}

static long claim_strand(void)
{
	uint64_t *free = control()->strands_free;
	long index = claim_bit(free, RAROG_STRANDS / 64);

	if (index < 0 || open_strand((uint32_t)index) == 0)
		return index;
	__atomic_fetch_or(&free[index / 64], 1ull << index % 64, __ATOMIC_RELEASE);
	return -1;
}

/* @outer: the strand of this thread that the new one is beside of, 0: the thread is new. */
static void set_thread(struct rarog_strand_shared *s, uint32_t outer)
{
	const struct rarog_strand_shared *same = shared(outer);

	s->pid = outer ? same->pid : (uint32_t)system_call(SYS_GETPID, 0, 0, 0, 0);
	s->tid = outer ? same->tid : (uint32_t)system_call(SYS_GETTID, 0, 0, 0, 0);
	s->outer_pid = outer ? same->outer_pid : 0;
	s->outer_tid = outer ? same->outer_tid : 0;
	s->signals = NEVER;
	s->is_torn = 0;
}

struct alternate_stack {
	uint64_t start;
	int32_t flags, pad;
	uint64_t size;
};

void ask_for_stack(uint32_t index)
{
	struct alternate_stack stack = { 0 };
	struct rarog_strand_shared *s = shared(index);

	if (is_filtered() || system_call(SYS_SIGALTSTACK, 0, (long)&stack, 0, 0) < 0)
		return;
	s->alternate = stack.start;
	s->alternate_size = stack.size;
}

/* Asked for at once: later it might be forbidden. @like: a strand that has the same. */
void set_signal_stack(uint32_t index, uint32_t like)
{
	if (!like)
		return ask_for_stack(index);
	shared(index)->alternate = shared(like)->alternate;
	shared(index)->alternate_size = shared(like)->alternate_size;
}

uint32_t strands_used(void)
{
	return private(0)->next;
}

/* Strand 0 of this process remembers how far it has come. */
static void use_strand(uint32_t index)
{
	uint32_t *used = &private(0)->next, seen = *used;

	while (seen <= index && !__atomic_compare_exchange_n(used, &seen, index + 1, 0,
							     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* The fast path ends at the limit: where it must not be taken, at once. */
void set_limit(struct rarog_strand_private *p)
{
	p->limit = p->unhooked || p->leaving || control()->off ? 0 : shadow_end(p);
}

/* But for the index: where %gs leads here already, a handler may come and look at it. */
static void clear_record(struct rarog_strand_private *p)
{
	volatile uint32_t *words = (volatile uint32_t *)p;

	for (uint32_t i = 0; i < sizeof(*p) / sizeof(*words); i++)
		if (&words[i] != &p->index)
			words[i] = 0;
}

void begin_strand(uint32_t index, uint32_t parent)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);

	clear_record(p);
	p->index = index;
	p->top = p->base = shadow_start(index);
	p->within = NEVER;
	p->busy = BUSY_NEW;
	p->counts = counters_of(index);
	p->limit = shadow_end(p);
	wiped(index)->settled = __atomic_load_n(&control()->gained, __ATOMIC_RELAXED);
	wiped(index)->waits = 0;
	use_strand(index);
	s->parent = parent;
	s->start_ticks = p->last = ticks();
	s->generation = __atomic_add_fetch(&control()->generations, 1, __ATOMIC_RELAXED);
	s->sequence = s->left_out = s->lost = s->unbegun = 0;
	s->chunk = s->changing = 0;
	s->switched = 0;
	s->cursor = s->end = 0;
	__atomic_store_n(&s->state, RAROG_STRAND_ACTIVE, __ATOMIC_RELEASE);
}

long new_strand(uint32_t parent, uint32_t outer)
{
	long index = claim_strand();

	if (index < 0)
		return -1;
	set_thread(shared((uint32_t)index), outer);
	set_signal_stack((uint32_t)index, outer ? outer : parent);
	begin_strand((uint32_t)index, parent);
	return index;
}

/* The first record; waiting for room before it counts for no call. */
void start_stream(uint32_t index)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);

	if (first_chunk(index) < 0) {
		s->lost = 1; /* the stream begins when there is room */
		return;
	}
	s->start_ticks = p->last = ticks();
	put_escape(s, RAROG_ESCAPE_START, p->last, 4);
}

/* Where the kernel must be asked for it, the program may have forbidden that. */
int can_lead(void)
{
	return !(rarog_area.flags & RAROG_AREA_CALLS_FOR_GS) || !private(0)->filtered;
}

/* If the kernel refuses, it does so for all that comes. */
int lead_to(uint32_t index)
{
	uint64_t base = rarog_area.strands + (uint64_t)index * RAROG_STRAND_STRIDE;

	if (!(rarog_area.flags & RAROG_AREA_CALLS_FOR_GS)) {
		__asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
		return 0;
	}
	if (current_index() == index)
		return 0;
	if (can_lead() && system_call(SYS_ARCH_PRCTL, ARCH_SET_GS, (long)base, 0, 0) == 0)
		return 0;
	private(0)->filtered = RAROG_FILTERED;
	return -1;
}

/* A handler that switches stacks may have this one gone on with by another thread at any time. */
void own(uint32_t index)
{
	uint64_t self;

	do {
		self = thread_pointer();
		__atomic_store_n(&wiped(index)->owner, self, __ATOMIC_RELEASE);
		lead_to(index);
	} while (self != thread_pointer());
}

/* A call that its strand cannot be gone to for. */
uint32_t pass_over(void)
{
	__atomic_fetch_add(&control()->unasked, 1, __ATOMIC_RELAXED);
	return 0;
}

/* The calls that were open when the process forked are open in the child, too; never dropped,
 * because their returns will be seen. */
void inherit_frames(uint32_t from, uint32_t to)
{
	const struct rarog_strand_private *old = private(from);
	struct rarog_strand_private *p = private(to);
	struct rarog_strand_shared *s = shared(to);
	uint64_t room = shadow_end(p) - p->base, size = old->top - old->base;

	if (!old->base)
		return; /* nothing was called on it */
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

/* What @from's probes have interrupted, on other stacks, is open in the child, too. @to: inherits
 * @from */
void inherit_outer(uint32_t from, uint32_t to)
{
	for (from = private(from)->outer; from; from = private(from)->outer) {
		long outer = new_strand(from, to);

		if (outer < 0)
			return; /* returns find the way, and are not recorded */
		start_stream((uint32_t)outer);
		inherit_frames(from, (uint32_t)outer);
		private((uint32_t)outer)->busy = 0;
		private((uint32_t)outer)->nested = to;
		private(to)->outer = (uint32_t)outer;
		to = (uint32_t)outer;
	}
}

void inherit_root(uint32_t outer, uint32_t index)
{
	const struct rarog_strand_private *o = private(outer);
	struct rarog_strand_private *p = private(index);

	p->within = o->within != NEVER && o->top > o->within ? p->base - RAROG_FRAME_SIZE : NEVER;
}

/* A strand for calls on another stack than the current strand's; it is busy. */
uint32_t side_strand(uint32_t outer)
{
	struct rarog_strand_private *o = private(outer);
	int is_new = !o->nested;
	long index;

	if (!can_lead())
		return pass_over();
	index = is_new ? new_strand(0, outer) : (long)o->nested;
	if (index < 0)
		return 0;
	private((uint32_t)index)->busy = BUSY_NEW;
	private((uint32_t)index)->outer = outer;
	inherit_root(outer, (uint32_t)index);
	if (is_new)
		start_stream((uint32_t)index);
	own((uint32_t)index);
	o->nested = (uint32_t)index;
	return (uint32_t)index;
}
