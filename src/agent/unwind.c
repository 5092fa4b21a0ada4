/* SPDX-License-Identifier: MIT */
/* Exceptions, forced unwinding and backtraces see true return addresses. */
#include "internal.h"

static void keep_landing(uint32_t index)
{
	uint64_t *kept = wiped(index)->landings;

	if (!private(index)->landing)
		return;
	for (uint32_t i = RAROG_LANDINGS - 1; i > 0; i--)
		kept[i] = kept[i - 1];
	kept[0] = private(index)->landing;
	private(index)->landing = 0;
}

static uint64_t take_landing(uint32_t index)
{
	uint64_t *kept = wiped(index)->landings, landing = private(index)->landing;

	private(index)->landing = kept[0];
	for (uint32_t i = 1; i < RAROG_LANDINGS; i++)
		kept[i - 1] = kept[i];
	kept[RAROG_LANDINGS - 1] = 0;
	return landing;
}

/* The strands of a thread have true return addresses on the stack from now on. A signal handler may
 * throw while what it interrupted is in the unwinder, too: that one is further out on the stack, or
 * on the stack of an outer strand. */
static void unhook_all(uint32_t index, uint64_t slot)
{
	if (index)
		keep_landing(index);
	for (uint32_t i = index; i; i = private(i)->outer) {
		struct rarog_strand_private *p = private(i);

		set_slots(p, 0);
		p->limit = 0; /* the next entry takes the slow path */
		if (!p->unhooked || (i == index && slot > p->unhooked_at))
			p->unhooked_at = slot;
		p->unhooked = p->unhooked ? RAROG_UNHOOKED : RAROG_UNHOOKED_ONCE;
	}
}

/* Control has landed at @sp: the unwinders that were called below it have ended. Of outer strands
 * those that were called by the same walk. */
static void rehook_landed(uint32_t index, uint64_t sp)
{
	uint64_t at = private(index)->unhooked_at;

	if (sp <= at)
		return; /* a handler's own exception: what it interrupted still walks */
	rehook(index);
	for (uint32_t i = private(index)->outer; i; i = private(i)->outer)
		if (private(i)->unhooked_at == at)
			rehook(i);
}

/* Before the unwinder walks the stack: give every frame its true return address. */
HIDDEN void rarog_agent_unhook(struct hook_probe *probe)
{
	uint64_t slot = (uint64_t)&probe->ret;
	uint32_t mine = current_index() ? ensure_strand() : 0;
	uint32_t at = mine ? arrive(mine, slot) : 0;
	uint32_t index = at ? strand_for(at, slot) : 0;

	/* Nothing is recorded, but exceptions must pass. */
	if (mine && !at)
		at = arrive_or_look(mine, slot);
	if (!index)
		return unhook_all(at, slot);
	drop_unseen(index, slot);
	/* what ends unseen is counted until here */
	if (make_room(index) == 0)
		put_clock(private(index), shared(index), ticks());
	unhook_all(index, slot);
	probe_done(index);
}

/* The frame of what walks the stack is not larger. */
#define WALKER_MAX 8192

/* At its end. Another that was called before may not have ended: a personality routine may take a
 * backtrace. Then the next call from above puts the stubs back, as after a walk with another end.
 */
HIDDEN void rarog_agent_walked(struct hook_probe *probe)
{
	uint64_t slot = (uint64_t)&probe->ret;
	uint32_t index = current_index();

	if (!index || private(index)->unhooked != RAROG_UNHOOKED_ONCE ||
	    private(index)->unhooked_at - slot > WALKER_MAX)
		return;
	index = strand_for(index, slot);
	if (!index)
		return;
	for (uint32_t i = index; i; i = private(i)->outer)
		rehook(i);
	probe_done(index);
}

/* The personality routine has chosen a landing pad: land in the agent first. */
HIDDEN void rarog_agent_set_ip(struct hook_probe *probe)
{
	uint32_t index = current_index();

	if (index == 0 || !private(index)->unhooked)
		return;
	private(index)->landing = probe->rsi;
	probe->rsi = (uint64_t)rarog_agent_landing;
}

HIDDEN void rarog_agent_landed(struct leave_probe *probe)
{
	uint32_t index = current_index();
	uint64_t sp = (uint64_t)&probe->ret + 8 + 128;

	probe->ret = take_landing(index);
	index = strand_for(index, sp);
	if (!index)
		return;
	drop_frames(index, sp);
	rehook_landed(index, sp);
	probe_done(index);
}
