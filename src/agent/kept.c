/* SPDX-License-Identifier: MIT */
/*
 * The strand of the running thread. Rarog sees threads and processes begin, before their first
 * instruction. It keeps a strand for each, with what they are called, and has its memory opened
 * when that is surely allowed: so a thread's first call needs no system call, whatever the program
 * has forbidden meanwhile.
 */
#include "internal.h"

static uint64_t owner_of(uint32_t index, uint64_t *ret_self)
{
	uint64_t owner;

	do {
		*ret_self = thread_pointer();
		owner = __atomic_load_n(&wiped(index)->owner, __ATOMIC_ACQUIRE);
	} while (*ret_self != thread_pointer());
	return owner;
}

/* The strand whose open calls a thread from @from has, where @kept is kept; 0: none */
static uint32_t inherited(uint32_t from, uint32_t kept)
{
	uint32_t inherits = wiped(from)->inherits;

	return inherits || from == kept ? inherits : from;
}

/* By a thread whose %gs leads to @from, where @index is kept. False: a handler has taken it */
static int claim_kept(uint32_t from, uint32_t index)
{
	return __atomic_compare_exchange_n(&wiped(from)->kept, &index, index | RAROG_STRAND_TAKEN,
					   0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* What was claimed, for a child of @forked's process, 0: for a new thread; -1: not to be had */
static long take_kept(uint32_t from, uint32_t index, uint32_t forked)
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

/* A strand for a handler of a thread that is about to take what is kept; 0: none can be had */
static uint32_t beside_kept(uint32_t from)
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

/* A thread that began when system calls could end it is not asked for its number. */
static long first_strand(uint32_t forked)
{
	uint64_t *left_out = &shared(0)->left_out;
	int unasked = is_filtered();
	long index = unasked ? -1 : new_strand(forked, 0);

	if (index >= 0)
		return index;
	lead_to(0);
	__atomic_fetch_add(unasked ? &control()->unasked : left_out, 1, __ATOMIC_RELAXED);
	return -1;
}

/*
 * A signal handler may come in at any time: the strand is this thread's when its stream has begun,
 * and the handler makes one of its own before; or it takes what is kept for the thread, if that is
 * looked for but not taken yet: then we begin again.
 *
 * The strand of the running thread; claims one for a new thread or a forked child. 0: none can be
 * had, the call is not recorded.
 */
uint32_t ensure_strand(void)
{
	uint32_t from = current_index();
	uint32_t forked = 0, kept;
	uint64_t owner, self;
	long index;

	/* before the owner: the thread that takes what is kept then is the owner */
	kept = __atomic_load_n(&wiped(from)->kept, __ATOMIC_ACQUIRE);
	owner = owner_of(from, &self);
	if (from && owner == (uint64_t)control()->early_thread)
		owner = wiped(from)->owner = self; /* libc has set it meanwhile */
	if (from && owner == self)
		return from;
	if (owner)
		kept = 0;
	else
		forked = inherited(from, kept);
	if (kept & RAROG_STRAND_TAKEN)
		return beside_kept(from);
	if (kept && !claim_kept(from, kept))
		return ensure_strand();
	index = kept ? take_kept(from, kept, forked) : first_strand(forked);
	if (index < 0)
		return 0;
	start_stream((uint32_t)index);
	if (forked) {
		inherit_frames(forked, (uint32_t)index);
		inherit_outer(forked, (uint32_t)index);
	}
	own((uint32_t)index);
	wiped((uint32_t)index)->inherits = 0;
	if (kept)
		wiped(from)->kept = 0;
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
