/* SPDX-License-Identifier: MIT */
/*
 * What a thread says of itself before and after calls that may last or end: only its own word in
 * the file is written, no system call is made. If that is the last that is known of a thread then
 * it was in that call, and its counts are whole.
 */
#include "runtime.h"

#include <errno.h>
#include <signal.h>

enum { NEAR = 16 << 10, FAR = 8 << 20 };

/* Only the byte that has it: others may set a bit beside it meanwhile. */
static void set_state(uint32_t *owner, uint32_t state)
{
	__atomic_store_n((uint8_t *)owner + 3, (uint8_t)(state >> 24), __ATOMIC_RELEASE);
}

/* Has a handler interrupted something? Not if that was a call that waits or ends: then it has said
 * so, and only another handler interrupts this one. Which of them that was, and which
 * one is within @depth, only the whole stack tells. */
static bool is_interrupted(const uint32_t *owner, size_t depth)
{
	uint32_t state = *owner & RAROG_COUNTER_STATE;
	bool was_off_cpu = state == RAROG_COUNTER_WAITS || state == RAROG_COUNTER_ENDED;
	unsigned n;

	if (state == RAROG_COUNTER_CUT)
		return true;
	n = rarog_runtime_interruptions(depth);
	if (n > 0 && was_off_cpu && depth != SIZE_MAX)
		n = rarog_runtime_interruptions(SIZE_MAX);
	return n > was_off_cpu;
}

static void end(uint32_t *owner, bool is_process)
{
	set_state(owner, is_interrupted(owner, SIZE_MAX) ? RAROG_COUNTER_CUT : RAROG_COUNTER_ENDED);
	if (!is_process)
		return;
	rarog_runtime_miss_threads();
	rarog_runtime_head()->ended_by = *owner & RAROG_COUNTER_THREAD;
}

/* A handler that abort() calls may do anything: then nothing is said. */
static void abort_process(uint32_t *owner)
{
	if (!rarog_runtime_has_handler(SIGABRT))
		end(owner, true);
}

/* Its clean-ups run now, and may be cut off; at their end ENDS_THREAD follows, if it was made so.
 */
static void leave_thread(uint32_t *owner)
{
	end(owner, false);
	if ((*owner & RAROG_COUNTER_STATE) != RAROG_COUNTER_ENDED ||
	    !rarog_runtime_this()->is_watched)
		return;
	__atomic_fetch_or(owner, RAROG_COUNTER_LEAVES, __ATOMIC_RELAXED);
	set_state(owner, RAROG_COUNTER_WAITS);
}

/* exec failed, or what ended was the child of a vfork, in this thread's memory. */
static void go_on(uint32_t *owner)
{
	if ((*owner & RAROG_COUNTER_STATE) >= RAROG_COUNTER_ENDED)
		rarog_runtime_head()->ended_by = 0;
	set_state(owner, RAROG_COUNTER_RUNS);
}

/* What a handler interrupted does not go on. Programs jump often, so @depth matters. */
static void look_behind(const uint32_t *owner, size_t depth)
{
	if (is_interrupted(owner, depth))
		rarog_runtime_note(RAROG_COUNTER_JUMPED);
}

static void jump(uint32_t *owner, size_t depth)
{
	look_behind(owner, depth);
	go_on(owner);
}

__attribute__((noinline)) static void note_rarely(uint32_t *owner, enum rarog_counter_note note)
{
	int saved = errno;

	if (note == RAROG_COUNTER_JUMPS)
		jump(owner, NEAR);
	else if (note == RAROG_COUNTER_THROWS)
		look_behind(owner, NEAR);
	else if (note == RAROG_COUNTER_SHARES)
		rarog_runtime_note(RAROG_COUNTER_IS_SHARED);
	else if (note == RAROG_COUNTER_GOES_ON)
		go_on(owner);
	else if (note == RAROG_COUNTER_ABORTS)
		abort_process(owner);
	else if (note == RAROG_COUNTER_LEAVES_THREAD)
		leave_thread(owner);
	else
		end(owner, note == RAROG_COUNTER_ENDS_PROCESS);
	errno = saved;
}

/* From waiting or back. Not of a thread that has ended, whose variables' destructors may wait. */
static void change(uint32_t *owner, uint32_t state)
{
	if ((*owner & RAROG_COUNTER_STATE) < RAROG_COUNTER_ENDED)
		set_state(owner, state);
}

void __rarog_note(enum rarog_counter_note note)
{
	uint32_t *owner = rarog_runtime_owner;

	if (!owner)
		rarog_runtime_miss_this();
	else if (note == RAROG_COUNTER_MAY_WAIT)
		change(owner, RAROG_COUNTER_WAITS);
	else if (note == RAROG_COUNTER_IS_BACK)
		change(owner, RAROG_COUNTER_RUNS);
	else
		note_rarely(owner, note);
}

void __rarog_note_cancel(uint64_t id)
{
	(void)id;
	rarog_runtime_note(RAROG_COUNTER_LOST_END);
}

/* How far it is to where the jump goes; NEAR: that cannot be told, or it is another stack.
 * The stack pointer in a jmp_buf is mixed with a secret of the process in glibc, plain in musl. */
static size_t depth_of(const uint64_t *buffer)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0), secret,
		 pointer = buffer[6];

	__asm__("movq %%fs:0x30, %0" : "=r"(secret));
	if (pointer - here < FAR)
		return pointer - here;
	pointer = (pointer >> 17 | pointer << 47) ^ secret;
	return pointer - here < FAR ? pointer - here : NEAR;
}

void __rarog_note_jump(const void *buffer)
{
	uint32_t *owner = rarog_runtime_owner;
	int saved = errno;

	if (!owner)
		return;
	jump(owner, depth_of(buffer));
	errno = saved;
}
