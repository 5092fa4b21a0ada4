/* SPDX-License-Identifier: MIT */
/* What the entry and exit probes do when a call is not ordinary. */
#include "gate.h"
#include "internal.h"

static void pass(struct enter_probe *probe)
{
	probe->resume += (uint64_t)(rarog_stub_pass - rarog_stub_resume);
}

static int is_left_out(struct rarog_strand_private *p, enum kind kind)
{
	if (kind == KIND_WITHIN || kind == KIND_WITHIN_GATED)
		return p->top <= p->within;
	if (kind == KIND_BELOW || kind == KIND_BELOW_GATED ||
	    (kind == KIND_ROOT && rarog_area.flags & RAROG_AREA_BELOW))
		return p->top > p->within;
	return 0;
}

/* By the gate, which stands before other stubs as code (emit.c): there a thread that is in the root
 * counts. */
static int is_skipped(struct rarog_strand_private *p, const struct enter_probe *probe)
{
	uint64_t at = probe->resume + (uint64_t)(rarog_stub_gate - rarog_stub_resume);
	int64_t *counters = (int64_t *)p->counts + 2 * stub_id(probe->resume);
	int32_t gate = *(const volatile int32_t *)(at + (uint64_t) * (const int32_t *)at);

	if (gate == RAROG_GATE_EVERY)
		return 0;
	if (gate > RAROG_GATE_EVERY && --counters[0] < 0) {
		counters[0] += gate;
		return 0;
	}
	counters[1] += gate != RAROG_GATE_OFF;
	return 1;
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

/* Is the call made by the frame at this very slot, in tail position? Then the slot still returns
 * into that frame's stub, which may be another module's. */
static int is_from_frame(const struct rarog_strand_private *p, const struct enter_probe *probe)
{
	const struct frame *f = (const struct frame *)p->top, *base = (const struct frame *)p->base;

	while (f > base && slot_of(f - 1) < (uint64_t)&probe->ret)
		f--;
	return f > base && slot_of(f - 1) == (uint64_t)&probe->ret &&
	       hooked_return(f - 1) == probe->ret;
}

/* Frames that a new call at @slot shows to be gone. */
static void settle_frames(uint32_t index, const struct enter_probe *probe)
{
	struct rarog_strand_private *p = private(index);
	uint64_t slot = (uint64_t)&probe->ret;

	drop_unseen(index, is_from_frame(p, probe) ? slot : slot + 1);
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
	if ((kind == KIND_WITHIN_GATED || kind == KIND_BELOW_GATED) && is_skipped(p, probe))
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
	uint32_t index = control()->off ? 0 : ensure_strand();

	if (index)
		index = arrive(index, (uint64_t)&probe->ret);
	if (index)
		index = strand_for(index, (uint64_t)&probe->ret);
	if (!index)
		return pass(probe);
	enter_on(index, probe, event, kind);
	probe_done(index);
}

/* Of a call that was just recorded, on the strand that it is on. */
HIDDEN void rarog_agent_values(struct values_probe *probe, const uint64_t vector[8])
{
	uint64_t slot = (uint64_t)&probe->ret;
	uint32_t index = ensure_strand();
	struct rarog_strand_private *p = private(index);

	if (!index || depth(p) == 0 || slot_of(top_frame(p)) != slot)
		return; /* a handler has come between and gone on in another process */
	mark_busy(index, slot);
	enter_values(index, probe, vector);
	p->busy = 0;
}

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

/* A callee that pops its arguments (`ret n`) comes back above its slot: it is the outermost of the
 * frames just below. */
#define POPPED_MAX 4096

static struct frame *find_popped(uint32_t index, uint64_t slot)
{
	struct rarog_strand_private *p = private(index);
	struct frame *found = 0;

	for (uint64_t at = p->top; at > p->base; at -= RAROG_FRAME_SIZE) {
		struct frame *f = (struct frame *)at - 1;

		if (slot_of(f) > slot)
			break;
		if (slot - slot_of(f) <= POPPED_MAX && !is_region(f))
			found = f;
	}
	return found;
}

static struct frame *find_dropped(const struct rarog_strand_private *p, uint64_t slot)
{
	for (struct frame *f = (struct frame *)p->top; (uint64_t)f < shadow_end(p) && f->slot; f++)
		if (slot_of(f) == slot)
			return f;
	return 0;
}

/* On another strand, the frame of the very stub that is returned into. */
static struct frame *find_elsewhere(uint64_t slot, uint64_t seen, uint32_t *ret_index)
{
	uint32_t used = strands_used();

	for (uint32_t i = 1; i < used; i++) {
		struct frame *f = private(i)->base ? find_frame(i, slot) : 0;

		if (f && hooked_return(f) == seen) {
			*ret_index = i;
			return f;
		}
	}
	return 0;
}

static struct frame *find_anywhere(uint64_t slot, uint32_t *ret_index)
{
	struct frame *popped;

	for (uint32_t i = 1; i < RAROG_STRANDS; i++) {
		struct frame *f = private(i)->base ? find_frame(i, slot) : 0;

		*ret_index = i;
		if (f)
			return f;
	}
	*ret_index = current_index();
	popped = find_popped(*ret_index, slot);
	if (popped)
		return popped;
	*ret_index = 0;
	for (uint32_t i = 1; i < RAROG_STRANDS; i++) {
		struct frame *f = private(i)->base ? find_dropped(private(i), slot) : 0;

		if (f)
			return f;
	}
	return 0;
}

static void leave_on(uint32_t index, struct frame *f, const struct leave_probe *probe, uint64_t now)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);

	int has_read = 0;

	drop_frames(index, slot_of(f));
	if (f->slot & RAROG_SLOT_SLOW)
		has_read = leave_values(index, f, probe->rax, probe->rdx);
	p->top = (uint64_t)f;
	forget_root(p);
	if (s->chunk) {
		put_leave(p, s, now);
		if (make_room(index) == 0 && has_read)
			put_reading(p, s, now);
	} else {
		s->lost++;
	}
}

/* Of a process that forked: the stream is not the child's, which found no strand for its own. */
static int is_parents(uint32_t index, uint32_t mine)
{
	return mine ? shared(index)->pid != shared(mine)->pid : !wiped(index)->owner;
}

/* A call that was taken for over, because of calls above it, was not: they were on another stack,
 * and it was not told of. A child may return through calls that its parent's handler left. */
static void note_astray(uint32_t index)
{
	if (index && !shared(index)->parent)
		__atomic_fetch_add(&control()->astray, 1, __ATOMIC_RELAXED);
}

HIDDEN void rarog_agent_leave(struct leave_probe *probe, uint64_t now)
{
	uint64_t slot = (uint64_t)&probe->ret, kept;
	uint32_t mine = ensure_strand(), index = mine;
	struct frame *f;

	if (index)
		index = arrive(index, slot);
	f = index ? find_frame(index, slot) : 0;
	if (!f)
		f = find_elsewhere(slot, probe->ret, &index);
	kept = f ? 0 : saved_returns_take(slot, probe->ret);
	if (kept) {
		note_astray(mine);
		probe->ret = kept; /* its end was recorded when it was dropped */
		return;
	}
	if (!f)
		f = find_anywhere(slot, &index);
	if (!f)
		__builtin_trap();
	probe->ret = f->ret;
	if (!index || is_parents(index, mine))
		return;
	mark_busy(index, slot);
	leave_on(index, f, probe, now);
	probe_done(index);
}

HIDDEN void rarog_agent_count(void)
{
	uint32_t index = ensure_strand();

	if (index)
	private(index)->busy = 0;
}
