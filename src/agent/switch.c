/* SPDX-License-Identifier: MIT */
/*
 * Programs that switch stacks by calls that we know. The hook is in front of the switch: it only
 * says which stack is left, and which one entered; and it sends the next probe to the slow path,
 * which sees by its slot that the switch has happened. (Between the two a signal handler may run,
 * on the old stack.)
 *
 * A strand whose stack was left is parked, with its frames, until some thread goes back there: the
 * stack pointer that is restored lies between the slot of the call that left and its first frame.
 */
#include "internal.h"

/* glibc's ucontext_t; others have the kernel's layout, too. */
#define CONTEXT_STACK 16 /* address; size 16 after it */
#define CONTEXT_RSP   160

#define SIGNALS_NONE 1 /* control.signals, if they are counted */

/* Below the slot of the call that left: what such functions save on the stack. */
#define SAVED_MOST 512

struct target {
	uint64_t sp;
	uint64_t low, size; /* the whole stack; size 0: not known */
};

static int is_within(uint64_t address, const struct target *to)
{
	return address - to->low < to->size;
}

static uint64_t first_slot(const struct rarog_strand_private *p)
{
	return depth(p) ? slot_of((const struct frame *)p->base) : p->leaving + 8;
}

static int is_parked(const struct rarog_strand_private *p)
{
	return __atomic_load_n(&p->parked, __ATOMIC_ACQUIRE) == RAROG_PARKED;
}

static int is_beyond(const struct rarog_strand_private *p, uint64_t leaving, uint64_t sp)
{
	return leaving && sp + SAVED_MOST >= leaving && sp <= first_slot(p);
}

/* Does the stack that was left with p->leaving go on at @sp? Another thread may go on with it
 * meanwhile: then it has not been left any more (arrive()), and what was read of it is nothing. */
static int goes_on_at(const struct rarog_strand_private *p, uint64_t sp)
{
	return is_beyond(p, __atomic_load_n(&p->leaving, __ATOMIC_ACQUIRE), sp) && is_parked(p);
}

/* Is the stack of @p, which was left, inside of the one that is gone to? */
static int is_used_anew(const struct rarog_strand_private *p, const struct target *to)
{
	return is_within(first_slot(p), to) && is_parked(p);
}

/* Does the stack that is left, of @index and of what its probes have interrupted, go on at @to? */
static int is_here(uint32_t index, const struct target *to)
{
	uint64_t leaving = private(index)->leaving;

	if (is_within(leaving, to))
		return 1;
	for (; index; index = private(index)->outer)
		if (to->sp >= leaving && to->sp <= first_slot(private(index)))
			return 1;
	return 0;
}

/* A thread that could not be led to a stack has not taken its strand up: that is parked where it
 * was left before, wherever the stack goes on. */
static uint32_t find_above(uint64_t sp)
{
	uint32_t used = strands_used(), found = RAROG_STRAND_FRESH;
	uint64_t lowest = NEVER;

	for (uint32_t i = 1; i < used; i++) {
		const struct rarog_strand_private *other = private(i);

		if (!is_parked(other) || first_slot(other) < sp || first_slot(other) >= lowest)
			continue;
		lowest = first_slot(other);
		found = i;
	}
	return found;
}

static uint32_t find_next(uint32_t index, const struct target *to)
{
	uint32_t used = strands_used(), next = RAROG_STRAND_FRESH;

	if (is_here(index, to))
		return index;
	for (uint32_t i = 1; i < used; i++) {
		const struct rarog_strand_private *other = private(i);

		if (!is_parked(other))
			continue;
		if (goes_on_at(other, to->sp))
			return i;
		/* a stack that was given up */
		if (is_used_anew(other, to))
			next = i;
	}
	if (next == RAROG_STRAND_FRESH && !to->size && !can_lead())
		return find_above(to->sp);
	return next;
}

static void stay(struct rarog_strand_private *p)
{
	p->leaving = 0;
	p->parked = RAROG_PARKED_NOT;
}

/* From a stack that the thread, whose %gs leads to @index, could not be led to. */
static void go_on(uint32_t index, const struct target *to)
{
	struct rarog_strand_private *p = private(index);

	p->target = to->sp;
	p->next = is_beyond(p, p->leaving, to->sp) ? index : find_next(index, to);
}

/* @parked: RAROG_PARKED_LAST if the way back is not saved */
static void announce(struct hook_probe *probe, const struct target *to, enum rarog_parked parked)
{
	uint64_t slot = (uint64_t)&probe->ret;
	uint32_t mine = ensure_strand(), index = mine ? arrive(mine, slot) : 0;
	struct rarog_strand_private *p;

	if (mine && !index)
		return go_on(mine, to);
	if (index)
		index = strand_for(index, slot);
	if (!index)
		return;
	p = private(index);
	drop_frames(index, slot);
	p->leaving = slot;
	p->target = to->sp;
	p->next = find_next(index, to);
	p->parked = parked;
	if (p->next == index)
		stay(p);
	set_limit(p);
	p->busy = 0;
}

static void announce_context(struct hook_probe *probe, uint64_t context, enum rarog_parked parked)
{
	const uint64_t *stack = (const uint64_t *)(context + CONTEXT_STACK);
	struct target to = { .sp = *(const uint64_t *)(context + CONTEXT_RSP) };

	if (to.sp - stack[0] <= stack[2]) {
		to.low = stack[0];
		to.size = stack[2];
	}
	announce(probe, &to, parked);
}

HIDDEN int rarog_agent_swap_context(struct hook_probe *probe)
{
	announce_context(probe, probe->rsi, RAROG_PARKED_NOT);
	return (rarog_area.flags & RAROG_AREA_STAYS) != 0;
}

/*
 * Back on a stack that was left: its strand is gone on with now, not at the next probe. A handler
 * that switched may have interrupted a probe, and return into it without another one.
 */
HIDDEN void rarog_agent_swapped(struct leave_probe *probe)
{
	uint64_t slot = (uint64_t)&probe->ret;
	uint32_t index = ensure_strand();

	if (index)
		index = arrive(index, slot);
	if (index)
		index = strand_for(index, slot);
	if (index)
		probe_done(index);
}

HIDDEN void rarog_agent_set_context(struct hook_probe *probe)
{
	announce_context(probe, probe->rdi, RAROG_PARKED_LAST);
}

HIDDEN void rarog_agent_jump_stack(struct hook_probe *probe)
{
	const struct target to = { .sp = probe->rdi };

	announce(probe, &to, RAROG_PARKED_NOT);
}

/* --- on the other stack --- */

static long take_idle(void)
{
	uint32_t used = strands_used();

	for (uint32_t i = 1; i < used; i++) {
		uint32_t idle = RAROG_PARKED_IDLE;

		if (private(i)->parked == idle &&
		    __atomic_compare_exchange_n(&private(i)->parked, &idle, RAROG_PARKED_NOT, 0,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return i;
	}
	return -1;
}

/* Nothing comes back to it: no call is open, and no probe that a handler has interrupted. One that
 * has not marked itself busy yet shows nowhere, but before the first signal there is none. */
static int is_bare(const struct rarog_strand_private *p)
{
	return depth(p) == 0 && !p->outer &&
	       (p->parked == RAROG_PARKED_LAST || control()->signals == SIGNALS_NONE);
}

/* For a stack that has no strand yet. If nothing comes back to the old strand, that does. */
static long fresh_strand(uint32_t from)
{
	long index = is_bare(private(from)) ? (long)from : take_idle();

	if (index >= 0)
		return index;
	index = new_strand(0, from);
	if (index > 0)
		start_stream((uint32_t)index);
	return index;
}

/* A stack that was left before the process forked: its record is the parent's. */
static long inherited_strand(uint32_t from, uint32_t next)
{
	long index = new_strand(next, from);

	if (index < 0)
		return index;
	start_stream((uint32_t)index);
	inherit_frames(next, (uint32_t)index);
	inherit_outer(next, (uint32_t)index);
	private(next)->parked = RAROG_PARKED_NOT;
	return index;
}

static long strand_of_next(uint32_t from, uint32_t next)
{
	if (next == RAROG_STRAND_FRESH)
		return fresh_strand(from);
	if (shared(next)->pid != shared(from)->pid)
		return inherited_strand(from, next);
	return next;
}

/* @index, what its probes have interrupted and what is kept for those that interrupt them become
 * @tid's, as rarog calls it @outer_tid. */
static void give(uint32_t index, uint32_t tid, uint32_t outer_tid)
{
	while (private(index)->nested)
		index = private(index)->nested;
	for (; index; index = private(index)->outer) {
		struct rarog_strand_shared *s = shared(index);

		s->switched = 1;
		s->tid = tid;
		s->outer_tid = outer_tid;
		s->signals = NEVER;
	}
}

/* The record of a thread that ends is taken away, but a parked one is not the thread's. */
static void hand_over(uint32_t from, uint32_t to)
{
	const struct rarog_strand_shared *s = shared(from);
	uint32_t tid = s->tid, outer_tid = s->outer_tid;

	give(from, s->pid, s->outer_pid);
	give(to, tid, outer_tid);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* Or in a signal handler before the switch? */
static int is_still_on(const struct rarog_strand_private *p, uint64_t slot)
{
	return !p->leaving || (slot < p->leaving && p->leaving - slot < distance(slot, p->target));
}

uint32_t arrive_or_look(uint32_t index, uint64_t slot)
{
	const struct rarog_strand_private *p = private(index);

	if (can_lead())
		return arrive(index, slot);
	if (is_still_on(p, slot))
		return index;
	return p->next == RAROG_STRAND_FRESH ? 0 : p->next;
}

uint32_t arrive(uint32_t index, uint64_t slot)
{
	struct rarog_strand_private *p = private(index), *q;
	long next;

	if (is_still_on(p, slot))
		return index;
	if (p->next != index && !can_lead())
		return pass_over();
	next = strand_of_next(index, p->next);
	if (next < 0 || next == index) {
		stay(p);
		set_limit(p);
		return index;
	}
	q = private((uint32_t)next);
	hand_over(index, (uint32_t)next);
	__atomic_store_n(&q->parked, RAROG_PARKED_NOT, __ATOMIC_RELEASE);
	__atomic_store_n(&q->leaving, 0, __ATOMIC_RELEASE); /* the order: goes_on_at() */
	q->busy = 0;
	set_limit(q);
	own((uint32_t)next);
	__atomic_store_n(&p->parked, is_bare(p) ? RAROG_PARKED_IDLE : RAROG_PARKED,
			 __ATOMIC_RELEASE);
	return (uint32_t)next;
}
