/* SPDX-License-Identifier: MIT */
/*
 * Rarog sees threads and processes begin, before their first instruction. It keeps a strand for
 * each, with what they are called, and has its memory opened when that is surely allowed: so a
 * thread's first call needs no system call, whatever the program has forbidden meanwhile.
 */
#include "internal.h"

int claim_kept(uint32_t from, uint32_t index)
{
	return __atomic_compare_exchange_n(&wiped(from)->kept, &index, index | RAROG_STRAND_TAKEN,
					   0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

long take_kept(uint32_t from, uint32_t index, uint32_t forked)
{
	if (open_strand(index) == 0) {
		shared(index)->alternate = shared(index)->alternate_size = 0; /* of a new thread */
		if (forked)
			set_signal_stack(index, forked);
		begin_strand(index, forked);
		return index;
	}
	wiped(from)->kept = 0;
	lead_to(0);
	__atomic_fetch_add(&control()->unasked, 1, __ATOMIC_RELAXED);
	return -1;
}

uint32_t beside_kept(uint32_t from)
{
	uint32_t kept = wiped(from)->kept & ~RAROG_STRAND_TAKEN, forked = inherited(from, kept);
	long index;

	if (!can_lead())
		return pass_over();
	index = new_strand(0, kept);
	if (index < 0) {
		__atomic_fetch_add(&shared(0)->left_out, 1, __ATOMIC_RELAXED);
		return 0;
	}
	if (forked)
		inherit_root(forked, (uint32_t)index);
	start_stream((uint32_t)index);
	own((uint32_t)index);
	return (uint32_t)index;
}

#define OPEN_STEP    8   /* strands */
#define CHUNKS_AHEAD 128 /* more are not given out than 64 beyond what all strands hold */

/* A thread that has not run yet, and is under no filter: the next strands become memory. */
HIDDEN void rarog_agent_born(void)
{
	struct rarog_strand_private *common = private(0);
	uint32_t open = common->open ? common->open : RAROG_STRANDS_OPEN;
	uint32_t to = wiped(0)->wanted / OPEN_STEP * OPEN_STEP + OPEN_STEP;

	if (to > RAROG_STRANDS)
		to = RAROG_STRANDS;
	if (open < to && open_strands(open, to) == 0)
		common->open = to;
	open_chunks(to + CHUNKS_AHEAD);
}
