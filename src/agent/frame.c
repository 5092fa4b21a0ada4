/* SPDX-License-Identifier: MIT */
/* Frames of the shadow stack that end without returning; hooks on and off. */
#include "internal.h"

void forget_root(struct rarog_strand_private *p)
{
	if (rarog_area.flags & RAROG_AREA_BELOW && p->within != NEVER && p->top <= p->within)
		p->within = NEVER;
}

/* What returns through them must still find the way; of frames of one slot the innermost knows. */
static void keep_frames(const struct rarog_strand_private *p, const struct frame *from,
			const struct frame *to)
{
	uint64_t now = ticks();

	for (const struct frame *f = from; f < to; f++) {
		const struct frame *outer = f;
		struct frame kept = *f;

		if (is_region(f) || (f + 1 < to && is_twin(p, f + 1)))
			continue;
		while (is_twin(p, outer))
			outer--;
		kept.ret = outer->ret;
		saved_returns_put(&kept, now);
	}
}

/* Frames below @slot are gone without having returned, at the time @now. */
static void drop_frames_at(uint32_t index, uint64_t slot, uint64_t now)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);
	uint64_t top = p->top;

	while (top > p->base && slot_of((struct frame *)top - 1) < slot)
		top -= RAROG_FRAME_SIZE;
	if (top == p->top)
		return;
	keep_frames(p, (const struct frame *)top, (const struct frame *)p->top);
	p->top = top;
	forget_root(p);
	if (make_room(index) < 0) {
		s->lost++; /* the depth follows when recording goes on */
		return;
	}
	put_clock(p, s, now);
	put_escape(s, RAROG_ESCAPE_DEPTH, depth(p), 2);
}

void drop_frames(uint32_t index, uint64_t slot)
{
	drop_frames_at(index, slot, ticks());
}

/* Returns are unseen since the unwinder was called: by now such a frame may be gone for long. It is
 * counted until it was last seen, which is when the unwinder was called, or a call below it. */
void drop_unseen(uint32_t index, uint64_t slot)
{
	const struct rarog_strand_private *p = private(index);

	drop_frames_at(index, slot, p->unhooked ? p->last : ticks());
}

static void set_slot(const struct frame *f, int hooked)
{
	uint64_t *slot = (uint64_t *)slot_of(f), stub = hooked_return(f);

	if (is_region(f))
		return;
	/* the frame may be of a coroutine that has ended, its memory used again */
	if (*slot == (hooked ? f->ret : stub))
		*slot = hooked ? stub : f->ret;
}

/* Off from the inner frame outwards, on from the outer one inwards: of frames of one slot each
 * returns into the stub of the next outer one. */
void set_slots(const struct rarog_strand_private *p, int hooked)
{
	uint64_t n = depth(p);
	const struct frame *frames = (const struct frame *)p->base;

	for (uint64_t i = 0; i < n; i++)
		set_slot(&frames[hooked ? i : n - 1 - i], hooked);
}

int is_twin(const struct rarog_strand_private *p, const struct frame *f)
{
	return (uint64_t)f > p->base && slot_of(f - 1) == slot_of(f) &&
	       f->ret == hooked_return(f - 1);
}

/* While the slots hold true return addresses they tell which frames are gone: the memory is used by
 * calls that the frames' caller has made since. What is below such a frame is gone, too. */
static void drop_overwritten(uint32_t index)
{
	const struct rarog_strand_private *p = private(index);

	for (uint64_t at = p->base; at < p->top; at += RAROG_FRAME_SIZE) {
		const struct frame *f = (const struct frame *)at;

		if (!is_region(f) && !is_twin(p, f) && *(const uint64_t *)slot_of(f) != f->ret)
			return drop_unseen(index, slot_of(f) + 1);
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
