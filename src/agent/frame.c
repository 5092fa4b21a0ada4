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
	p->top = top;
	forget_root(p);
	if (make_room(index) < 0) {
		s->lost++; /* the depth follows when recording goes on */
		return;
	}
	put_clock(p, s, ticks());
	put_escape(s, RAROG_ESCAPE_DEPTH, depth(p), 2);
}

void set_slots(const struct rarog_strand_private *p, int hooked)
{
	for (uint64_t at = p->top; at > p->base; at -= RAROG_FRAME_SIZE) {
		const struct frame *f = (const struct frame *)at - 1;

		*(uint64_t *)slot_of(f) = hooked ? hooked_return(f) : f->ret;
	}
}

void rehook(uint32_t index)
{
	struct rarog_strand_private *p = private(index);

	if (!p->unhooked)
		return;
	set_slots(p, 1);
	p->unhooked = 0;
	p->limit = shadow_end(p);
}
