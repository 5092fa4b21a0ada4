/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call is known by the place of its return address, its slot. The stack grows down, so a call is
 * open as long as the stack pointer is at or below its slot; whatever way it took to get above
 * (return, longjmp, an exception, a switch of contexts) the call has ended. A function that is
 * reached with the stack pointer at the slot of the innermost call has been jumped to in its place:
 * a tail call. Nobody has to see that the way there was a call.
 *
 * Comparing works on one stack. Which one it is tells the mapping that the stack pointer is in;
 * each has a strand with frames and instructions of its own. The strand that runs is in the head of
 * the file (record.h), where generated code counts its instructions.
 */
#include "vex/stack.h"

#include "vex/store.h"
#include "vex/tree.h"

#define FIRST_FRAMES 4096
#define STRANDS      16384
#define NO_SLOT      (~(uint64_t)0)

static struct rarog_vex_hot *hot;
static struct rarog_vex_frame *frames; /* of the strand that runs */
static UInt frames_max;

static struct rarog_vex_strand *strands; /* [STRANDS] */
static struct {
	struct rarog_vex_frame *frames;
	UInt max;
} rooms[STRANDS];
static UInt n_strands, n_frame_chunks;

static UInt *strand_of; /* by thread: the one it ran on last, and 1; 0: none */
static ThreadId running;

/* --- frames --- */

static void room_for_frames(UInt strand, UInt n)
{
	struct rarog_vex_chunk *chunk =
		store_chunk(RAROG_VEX_FRAMES, n * sizeof(struct rarog_vex_frame));
	struct rarog_vex_frame *to = (struct rarog_vex_frame *)(chunk + 1);

	chunk->first = ++n_frame_chunks;
	chunk->used = n * sizeof(*to);
	if (rooms[strand].max)
		VG_(memcpy)(to, rooms[strand].frames, rooms[strand].max * sizeof(*to));
	rooms[strand].frames = to;
	rooms[strand].max = n;
	strands[strand].frames = n_frame_chunks; /* from here on these are valid */
}

static UInt current_node(void)
{
	return hot->depth ? frames[hot->depth - 1].node : 0;
}

/* At a return that its values are read from: the registers. */
static const VexGuestAMD64State *results;

static struct rarog_vex_call *call_at(uint64_t address)
{
	return (struct rarog_vex_call *)(Addr)address;
}

/* The frame's own, which is the first, and those that have gone on in it: their results are its
 * own. There may be any number of these, so they are looked at only once. */
static void end_calls(const struct rarog_vex_frame *frame, Bool is_unwound)
{
	struct rarog_vex_call *call = call_at(frame->call);

	for (; call && (results || !call->is_over); call = call_at(call->outer)) {
		if (!call->is_over) {
			call->instructions = hot->instructions - frame->start;
			call->branches = hot->branches - frame->branched;
			call->has_ended = !is_unwound;
			call->is_over = 1;
		}
		if (results && !is_unwound && call->n_leave > 0)
			values_leave(call, frame->slot, results);
	}
}

static void pop(Bool is_unwound)
{
	struct rarog_vex_frame *frame = &frames[--hot->depth];

	hot->top_slot = hot->depth ? frame[-1].slot : NO_SLOT;
	if (UNLIKELY(frame->call))
		end_calls(frame, is_unwound);
	if (frame->is_folded)
		return;
	struct rarog_vex_node *node = tree_node(frame->node);

	node->inclusive += hot->instructions - frame->start;
	node->unwound += is_unwound;
}

/* The innermost call goes on in another. Return: those whose results are still to come. */
static uint64_t go_on(void)
{
	struct rarog_vex_call *first = call_at(frames[hot->depth - 1].call);

	pop(False);
	return first && first->n_leave == 0 ? first->outer : (Addr)first;
}

static void push(struct rarog_vex_function *function, UWord slot)
{
	UInt parent = current_node();
	UInt child = tree_child(parent, function->id);
	struct rarog_vex_frame *frame;

	if (hot->depth == frames_max) {
		room_for_frames(hot->strand, 2 * frames_max);
		frames = rooms[hot->strand].frames;
		frames_max = rooms[hot->strand].max;
	}
	frame = &frames[hot->depth];
	frame->slot = slot;
	frame->start = hot->instructions;
	frame->branched = hot->branches;
	frame->node = child;
	frame->is_folded = child == parent;
	hot->depth++;
	hot->top_slot = slot;
	function->calls++;
	if (child != parent)
		tree_node(child)->count++;
	else
		store_head->folded++;
}

/* --- strands --- */

static void put_off_cpu(void)
{
	struct rarog_vex_strand *strand = &strands[hot->strand];

	strand->instructions = hot->instructions;
	strand->branches = hot->branches;
	strand->depth = hot->depth;
	strand->low = hot->low;
	strand->size = hot->size;
}

static void take_up(UInt number)
{
	const struct rarog_vex_strand *strand = &strands[number];

	frames = rooms[number].frames;
	frames_max = rooms[number].max;
	hot->strand = number;
	hot->instructions = strand->instructions;
	hot->branches = strand->branches;
	hot->depth = strand->depth;
	hot->low = strand->low;
	hot->size = strand->size;
	hot->top_slot = strand->depth ? frames[strand->depth - 1].slot : NO_SLOT;
}

/* Once there are too many, all further stacks share the last. */
static UInt new_strand(void)
{
	UInt number = 0;

	while (number < n_strands && !strands[number].is_free)
		number++;
	if (number == STRANDS)
		return STRANDS - 1;
	if (number == n_strands) {
		room_for_frames(number, FIRST_FRAMES);
		n_strands++;
		store_added(RAROG_VEX_STRANDS, sizeof(*strands));
	}
	strands[number].is_free = 0;
	strands[number].low = strands[number].size = 0;
	strands[number].depth = 0;
	strands[number].tid = (uint32_t)VG_(gettid)();
	return number;
}

static Bool is_inside(const struct rarog_vex_strand *strand, UWord sp)
{
	return sp - strand->low < strand->size;
}

/* Of stacks that lie beside each other without a gap. */
static void cut(uint64_t *low, uint64_t *high, UWord sp)
{
	for (UInt i = 0; i < n_strands; i++) {
		uint64_t end = strands[i].low + strands[i].size;

		if (strands[i].is_free || strands[i].size == 0)
			continue;
		if (end <= sp && end > *low)
			*low = end;
		if (strands[i].low > sp && strands[i].low < *high)
			*high = strands[i].low;
	}
}

/* The stack of @sp, a number; its bounds are up to date. */
static UInt find_strand(UWord sp)
{
	const NSegment *segment = VG_(am_find_nsegment)(sp);
	uint64_t low = segment ? segment->start : 0, high = segment ? segment->end + 1 : NO_SLOT;
	UInt number;

	for (UInt i = 0; i < n_strands; i++)
		if (!strands[i].is_free && is_inside(&strands[i], sp))
			return i;
	for (UInt i = 0; i < n_strands; i++)
		if (!strands[i].is_free && strands[i].size > 0 &&
		    strands[i].low + strands[i].size == high) { /* it has grown */
			strands[i].low = low;
			strands[i].size = high - low;
			return i;
		}
	number = hot->size == 0 ? hot->strand : new_strand();
	cut(&low, &high, sp);
	strands[number].low = low;
	strands[number].size = high - low;
	return number;
}

static __attribute__((noinline)) void change_strand(UWord sp)
{
	UInt number;

	put_off_cpu();
	number = find_strand(sp);
	take_up(number);
	strand_of[running] = number + 1;
}

/* --- what the program does --- */

VG_REGPARM(2) void stack_enter(struct rarog_vex_function *function, UWord slot)
{
	uint64_t outer = 0;

	if (UNLIKELY(slot - hot->low >= hot->size))
		change_strand(slot);
	while (UNLIKELY(hot->top_slot < slot))
		pop(True);
	if (hot->top_slot == slot)
		outer = go_on();
	push(function, slot);
	frames[hot->depth - 1].call = outer;
}

VG_REGPARM(1) void stack_leave(UWord sp)
{
	Bool is_unwound = False;

	if (UNLIKELY(sp - hot->low >= hot->size))
		change_strand(sp);
	for (; hot->top_slot < sp; is_unwound = True)
		pop(is_unwound);
}

/* The first that ends has returned; what it leaves behind further down has not. */
void stack_leave_values(UWord sp, const VexGuestAMD64State *registers)
{
	results = registers;
	stack_leave(sp);
	results = NULL;
}

void stack_enter_values(struct rarog_vex_function *function, UWord slot,
			const struct rarog_value_set *set, const VexGuestAMD64State *registers)
{
	struct rarog_vex_call *call;

	stack_enter(function, slot);
	call = values_enter(function, slot, set, registers);
	if (!call)
		return;
	call->strand = hot->strand;
	call->tid = strands[hot->strand].tid;
	call->outer = frames[hot->depth - 1].call;
	frames[hot->depth - 1].call = (Addr)call;
}

/* --- threads and processes --- */

void stack_open(void)
{
	hot = &store_head->hot;
	strands = store_add(RAROG_VEX_STRANDS, STRANDS * sizeof(*strands));
	strand_of = VG_(calloc)("rarog.threads", VG_N_THREADS + 1, sizeof(*strand_of));
	tree_open();
	take_up(new_strand());
}

void stack_thread(ThreadId thread)
{
	if (thread == running)
		return;
	put_off_cpu();
	if (strand_of[thread] == 0)
		strand_of[thread] = (running ? new_strand() : hot->strand) + 1;
	take_up(strand_of[thread] - 1);
	running = thread;
}

void stack_thread_ends(ThreadId thread)
{
	if (thread != running)
		return;
	while (hot->depth)
		pop(True);
	hot->top_slot = NO_SLOT;
	hot->low = hot->size = 0;
	put_off_cpu();
	strands[hot->strand].is_free = 1;
	strand_of[thread] = 0;
}

void stack_fork(void)
{
	put_off_cpu();
	for (UInt i = 0; i < n_strands; i++)
		if (i != hot->strand) {
			strands[i].is_free = 1;
			strands[i].depth = 0;
			strands[i].instructions = strands[i].branches = 0;
			strands[i].low = strands[i].size = 0;
		}
	for (UInt i = 0; i < hot->depth; i++)
		frames[i].start = frames[i].branched = frames[i].call = 0;
	hot->instructions = hot->branches = 0;
	store_head->folded = store_head->unkept = 0;
	tree_zero();
}
