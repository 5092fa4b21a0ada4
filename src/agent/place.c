/* SPDX-License-Identifier: MIT */
/* Which strand a probe belongs to: signals, alternate stacks, abandoned probes. */
#include "internal.h"

#define SS_ONSTACK    UINT64_C(1)
#define SS_AUTODISARM (UINT64_C(1) << 31)

/* --- stacks that the kernel does not tell of --- */

static void note_disarmed(uint64_t start, uint64_t size)
{
	struct rarog_control *c = control();
	uint32_t i;

	for (i = 0; i < RAROG_DISARMED && c->disarmed[i].start != start; i++)
		;
	if (i == RAROG_DISARMED)
		i = __atomic_fetch_add(&c->disarmed_n, 1, __ATOMIC_RELAXED) % RAROG_DISARMED;
	__atomic_store_n(&c->disarmed[i].size, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&c->disarmed[i].start, start, __ATOMIC_RELEASE);
	__atomic_store_n(&c->disarmed[i].size, size, __ATOMIC_RELEASE);
}

/* The kernel's stack_t at @at, if it has the flag. */
static int load_disarmed(struct memory *memory, uint64_t at, uint64_t *ret_start,
			 uint64_t *ret_size)
{
	uint64_t flags;

	return memory_load(memory, at + 8, 4, &flags) == 0 &&
	       (flags & ~SS_ONSTACK) == SS_AUTODISARM &&
	       memory_load(memory, at, 8, ret_start) == 0 &&
	       memory_load(memory, at + 16, 8, ret_size) == 0;
}

#define SEARCH_MOST 65536 /* bytes of stack that a handler has used */
#define PAGE        UINT64_C(4096)

static uint64_t page_end(uint64_t address)
{
	return (address & ~(PAGE - 1)) + PAGE;
}

/* The flags are looked at first: thousands of words are none, and the program waits. */
static int search_readable(struct memory *memory, uint64_t here, uint64_t from, uint64_t to)
{
	uint64_t start, size;

	for (uint64_t at = from; at < to; at += 8)
		if ((*(const uint32_t *)(at + 8) & ~SS_ONSTACK) == SS_AUTODISARM &&
		    load_disarmed(memory, at, &start, &size) && here - start < size &&
		    at - start < size) {
			note_disarmed(start, size);
			return 1;
		}
	return 0;
}

/* What the signal has saved says so, above what the handler has used. A stack_t that has the flag
 * and within which it lies itself is no accident. */
static int search_disarmed(uint64_t here)
{
	struct memory memory;
	uint64_t at = here & ~UINT64_C(7), last = at + SEARCH_MOST, to, ignored;

	memory_begin(&memory, here);
	for (; at < last && memory_load(&memory, at + 16, 8, &ignored) == 0; at = to) {
		to = page_end(at + 16) - 16; /* … the flags of the last one can be read, too */
		if (search_readable(&memory, here, at, to))
			return 1;
	}
	return 0;
}

/* Its number from 1 on; 0: it is in none of them. */
static uint32_t disarmed_at(uint64_t address)
{
	const struct rarog_control *c = control();
	uint32_t n = __atomic_load_n(&c->disarmed_n, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n && i < RAROG_DISARMED; i++)
		if (address - c->disarmed[i].start < c->disarmed[i].size)
			return i + 1;
	return 0;
}

/* --- which stack --- */

/* An alternate stack is only entered by a signal, and rarog counts these before they arrive. */
static int is_surely_on_ordinary(uint32_t index)
{
	const struct rarog_control *c = control();

	return c->signals && c->signals == shared(index)->signals && !private(index)->outer &&
	       !is_gone(c);
}

/* Does exactly one of the two addresses, @here that of the probe, lie on the thread's alternate
 * signal stack, or each on another one? */
static int on_other_stack(uint32_t index, uint64_t here, uint64_t other)
{
	struct rarog_strand_shared *s = shared(index);
	uint64_t signals = control()->signals;
	uint32_t number_here = disarmed_at(here), number_other = disarmed_at(other);
	int is_here, is_other;

	if (is_surely_on_ordinary(index))
		return 0;
	if (number_here || number_other)
		return number_here != number_other;
	ask_for_stack(index);
	if (!s->alternate_size && search_disarmed(here))
		return 1;
	is_here = here - s->alternate < s->alternate_size;
	is_other = other - s->alternate < s->alternate_size;
	if (!is_here && !is_other && s->outer_tid)
		s->signals = signals;
	return is_here != is_other;
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
	return p->busy > BUSY_NEW && (slot < p->busy || on_other_stack(p->index, slot, p->busy));
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
	return slot > first || (is_far(p, slot) && on_other_stack(p->index, slot, first));
}

/* Mark the strand busy for a probe at @slot. A mark that was left there: what the abandoned probe
 * wrote may be half of what it did, so the stream is told what is open, and what time it is. */
void mark_busy(uint32_t index, uint64_t slot)
{
	struct rarog_strand_private *p = private(index);
	int abandoned = p->busy > BUSY_NEW;

	p->busy = slot;
	if (!abandoned)
		return;
	settle_chunks(index);
	drop_frames(index, slot);
	if (make_room(index) < 0)
		return;
	put_escape(shared(index), RAROG_ESCAPE_START, p->last, 4);
	put_escape(shared(index), RAROG_ESCAPE_DEPTH, depth(p), 2);
}

/* What it interrupted may be the middle of a fast path, which goes on with what %gs leads to. */
void probe_done(uint32_t index)
{
	struct rarog_strand_private *p = private(index);

	p->busy = 0;
	if (p->outer && p->top == p->base && can_lead())
		own(p->outer);
}

/*
 * Which strand does a probe at @slot belong to? Mostly the current one; another one when a
 * handler's strand was left by siglongjmp, when the probe hit a running probe (signal), or when it
 * runs on an alternate signal stack. The strand returned is marked busy. 0: none can be had.
 */
uint32_t strand_for(uint32_t index, uint64_t slot)
{
	struct rarog_strand_private *p = private(index);

	while (!is_inside(p, slot)) {
		uint32_t outer = p->outer;

		mark_busy(index, slot);
		if (!outer || !is_left(p, slot))
			break;
		if (!can_lead()) {
			p->busy = 0;
			return pass_over();
		}
		drop_frames(index, NEVER);
		own(outer);
		p->busy = 0;
		index = outer;
		p = private(index);
	}
	if (p->busy != slot)
		index = side_strand(index);
	else if (is_far(p, slot) && on_other_stack(p->index, slot, slot_of(top_frame(p)))) {
		p->busy = 0;
		index = side_strand(index);
	}
	if (!index)
		return 0;
	private(index)->busy = slot;
	return index;
}
