/* SPDX-License-Identifier: MIT */
/*
 * Functions that programs call at every entry to learn the caller: mcount() of -pg, the hooks of
 * -finstrument-functions. The caller read its own return address, which is a stub's, and they are
 * given the true one instead.
 *
 * The caller's is the innermost of the frames that are still there: those below the hook's own slot
 * were left without returning and are not dropped yet. Nothing is recorded, nothing changed.
 */
#include "internal.h"

static const struct frame *innermost(uint32_t index, uint64_t slot)
{
	const struct rarog_strand_private *p = private(index);
	const struct frame *f = (const struct frame *)p->top, *base = (const struct frame *)p->base;

	while (f > base && slot_of(f - 1) < slot)
		f--;
	return f > base ? f - 1 : 0;
}

static uint64_t true_address(const struct hook_probe *probe, uint64_t address)
{
	uint64_t slot = (uint64_t)&probe->ret;
	uint32_t index = current_index();
	/* a forked process that has made no call yet may be on its own strand already */
	uint32_t parents = wiped(index)->inherits;

	if (index == 0)
		return address;
	/* Back on a stack that was left: the strand follows at the next probe, this is none. */
	index = parents ? parents : arrive_or_look(index, slot);
	for (; index; index = private(index)->outer) {
		const struct frame *f = innermost(index, slot);

		if (!f || hooked_return(f) != address)
			continue;
		while (is_twin(private(index), f))
			f--;
		return f->ret;
	}
	return address;
}

HIDDEN void rarog_agent_tell_first(struct hook_probe *probe)
{
	probe->rdi = true_address(probe, probe->rdi);
}

HIDDEN void rarog_agent_tell_second(struct hook_probe *probe)
{
	probe->rsi = true_address(probe, probe->rsi);
}
