/* SPDX-License-Identifier: MIT */
/*
 * Frames that were dropped and might be needed. A call from above a frame's slot shows that the
 * frame is gone (longjmp), or that the thread is on another stack meanwhile (a switch written by
 * hand) and will come back: nothing on the stack tells these two apart. The events take it for the
 * first; the return address is kept here for the second, by slot: as long as a frame may still be
 * returned through, nobody else can have its slot.
 *
 * Many threads and their signal handlers come here at once, so a place is claimed by its slot.
 */
#include "internal.h"

#define WRITING 1

static struct rarog_attic_frame *bucket(uint64_t slot)
{
	struct rarog_attic_frame *attic = (struct rarog_attic_frame *)rarog_area.attic;
	uint64_t hash = (slot >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	return attic + hash % (RAROG_ATTIC_FRAMES / RAROG_ATTIC_BUCKET) * RAROG_ATTIC_BUCKET;
}

/* The place of @slot; else a free one; else that of the oldest. */
static struct rarog_attic_frame *choose(struct rarog_attic_frame *places, uint64_t slot)
{
	struct rarog_attic_frame *best = 0;

	for (int i = 0; i < RAROG_ATTIC_BUCKET; i++) {
		struct rarog_attic_frame *at = &places[i];

		if (at->slot == slot)
			return at;
		if (at->slot == WRITING)
			continue;
		if (!best || (best->slot && (!at->slot || at->ticks < best->ticks)))
			best = at;
	}
	return best;
}

void attic_put(const struct frame *f, uint64_t now)
{
	struct rarog_attic_frame *places = bucket(slot_of(f));

	for (int i = 0; i < RAROG_ATTIC_BUCKET; i++) {
		struct rarog_attic_frame *at = choose(places, slot_of(f));
		uint64_t seen = at ? at->slot : WRITING;

		if (seen == WRITING ||
		    !__atomic_compare_exchange_n(&at->slot, &seen, WRITING, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		at->ret = f->ret;
		at->stub = f->stub;
		at->ticks = now;
		__atomic_store_n(&at->slot, slot_of(f), __ATOMIC_RELEASE);
		return;
	}
}

uint64_t attic_take(uint64_t slot, uint64_t seen)
{
	struct rarog_attic_frame *at = bucket(slot);

	for (int i = 0; i < RAROG_ATTIC_BUCKET; i++, at++) {
		struct frame f = { .stub = at->stub };
		uint64_t ret = at->ret, expected = slot;

		if (__atomic_load_n(&at->slot, __ATOMIC_ACQUIRE) == slot &&
		    hooked_return(&f) == seen &&
		    __atomic_compare_exchange_n(&at->slot, &expected, 0, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return ret;
	}
	return 0;
}
