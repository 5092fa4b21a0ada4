/* SPDX-License-Identifier: MIT */
/*
 * Frames that were dropped and might be needed. A call from above a frame's slot shows that the
 * frame is gone (longjmp), or that the thread is on another stack meanwhile (a switch written by
 * hand) and will come back: nothing on the stack tells these two apart. The events take it for the
 * first; the return address is kept here for the second, by slot: as long as a frame may still be
 * returned through, no other call can have its slot.
 *
 * Many threads and their signal handlers come here at once, so a place is claimed by its slot.
 */
#include "internal.h"

#define WRITING 1

static struct rarog_saved_returns_frame *bucket(uint64_t slot)
{
	struct rarog_saved_returns_frame *saved_returns =
		(struct rarog_saved_returns_frame *)rarog_area.saved_returns;
	uint64_t hash = (slot >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	return saved_returns + hash % (RAROG_SAVED_RETURNS_FRAMES / RAROG_SAVED_RETURNS_BUCKET) *
				       RAROG_SAVED_RETURNS_BUCKET;
}

/* The place of @slot; else a free one; else that of the oldest. */
static struct rarog_saved_returns_frame *choose(struct rarog_saved_returns_frame *places,
						uint64_t slot)
{
	struct rarog_saved_returns_frame *best = 0;

	for (int i = 0; i < RAROG_SAVED_RETURNS_BUCKET; i++) {
		struct rarog_saved_returns_frame *at = &places[i];

		if (at->slot == slot)
			return at;
		if (at->slot == WRITING)
			continue;
		if (!best || (best->slot && (!at->slot || at->ticks < best->ticks)))
			best = at;
	}
	return best;
}

void saved_returns_put(const struct frame *f, uint64_t now)
{
	struct rarog_saved_returns_frame *places = bucket(slot_of(f));

	for (int i = 0; i < RAROG_SAVED_RETURNS_BUCKET; i++) {
		struct rarog_saved_returns_frame *at = choose(places, slot_of(f));
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

uint64_t saved_returns_take(uint64_t slot, uint64_t seen)
{
	struct rarog_saved_returns_frame *at = bucket(slot);

	for (int i = 0; i < RAROG_SAVED_RETURNS_BUCKET; i++, at++) {
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
