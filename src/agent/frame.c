/* SPDX-License-Identifier: MIT */
/* Frames of the shadow stack that end without returning; hooks on and off. */
#include "internal.h"

void forget_root(struct rarog_strand_private *p)
{
	if (rarog_area.flags & RAROG_AREA_BELOW && p->within != NEVER && p->top <= p->within)
		p->within = NEVER;
}

/* Frames below @slot are gone without having returned. */
void drop_frames(uint32_t index, uint64_t slot)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);
	uint64_t top = p->top;

	while (top > p->base && slot_of((struct frame *)top - 1) < slot)
		top -= RAROG_FRAME_SIZE;
	if (top == p->top)
		return;
	for (uint64_t at = top, now = ticks(); at < p->top; at += RAROG_FRAME_SIZE)
		attic_put((const struct frame *)at, now);
	p->top = top;
	forget_root(p);
	if (make_room(index) < 0) {
		s->lost++; /* the depth follows when recording goes on */
		return;
	}
	put_clock(p, s, ticks());
	put_escape(s, RAROG_ESCAPE_DEPTH, depth(p), 2);
}

/* The frame may be of a coroutine that is no more, the memory somebody's. */
static void set_slot(const struct frame *f, uint64_t from, uint64_t to)
{
	uint64_t *slot = (uint64_t *)slot_of(f);

	if (*slot == from)
		*slot = to;
}

/* Two frames may have one slot: that of a root (--within), and of what it has called in tail
 * position, which returns into the root's stub. So out from the inner one, and in again from the
 * outer. */
void set_slots(const struct rarog_strand_private *p, int hooked)
{
	const struct frame *base = (const struct frame *)p->base;
	const struct frame *top = (const struct frame *)p->top;

	if (hooked)
		for (const struct frame *f = base; f < top; f++)
			set_slot(f, f->ret, hooked_return(f));
	else
		for (const struct frame *f = top; f-- > base;)
			set_slot(f, hooked_return(f), f->ret);
}

/* While the slots hold true return addresses they tell which frames are gone: the memory is used by
 * calls that the frames' caller has made since. What is below such a frame is gone, too. */
static void drop_overwritten(uint32_t index)
{
	const struct rarog_strand_private *p = private(index);

	for (uint64_t at = p->base; at < p->top; at += RAROG_FRAME_SIZE) {
		const struct frame *f = (const struct frame *)at;

		if (at > p->base && slot_of(f) == slot_of(f - 1))
			continue; /* what its slot has is the outer one's */
		if (*(const uint64_t *)slot_of(f) != f->ret)
			return drop_frames(index, slot_of(f) + 1);
	}
}

void rehook(uint32_t index)
{
	struct rarog_strand_private *p = private(index);

	if (!p->unhooked)
		return;
	drop_overwritten(index);
	set_slots(p, 1);
	p->unhooked = 0;
	set_limit(p);
}
