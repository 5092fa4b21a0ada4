/* SPDX-License-Identifier: MIT */
/*
 * What a thread says of itself before and behind calls that may last or end: only its own word in
 * the file is written, no system call is made. If that is the last that is known of a thread then
 * it was in that call, and its counts are whole.
 */
#include "runtime.h"

#include <errno.h>

enum { NEAR = 16384 };

__thread uint32_t *rarog_runtime_owner __attribute__((tls_model("initial-exec")));

static void set_state(uint32_t *owner, uint32_t state)
{
	__atomic_store_n(owner, (*owner & ~RAROG_COUNTER_STATE) | state, __ATOMIC_RELEASE);
}

static void end(uint32_t *owner, bool is_process)
{
	bool is_cut = rarog_runtime_is_interrupted(SIZE_MAX);

	set_state(owner, is_cut ? RAROG_COUNTER_CUT : RAROG_COUNTER_ENDED);
	if (is_process)
		rarog_runtime_head()->ended_by = *owner & RAROG_COUNTER_THREAD;
}

/* Programs may do so often: a handler's frame is not far. */
static void jump(void)
{
	if (rarog_runtime_is_interrupted(NEAR))
		rarog_runtime_note(RAROG_COUNTER_JUMPED);
}

__attribute__((noinline)) static void note_rarely(uint32_t *owner, enum rarog_counter_note note)
{
	int saved = errno;

	if (note == RAROG_COUNTER_JUMPS)
		jump();
	else
		end(owner, note == RAROG_COUNTER_ENDS_PROCESS);
	errno = saved;
}

/* Back from where it waited, or exec failed, or whoever ended was the child of a vfork, in this
 * thread's memory. */
static void go_on(uint32_t *owner)
{
	if ((*owner & RAROG_COUNTER_STATE) >= RAROG_COUNTER_ENDED)
		rarog_runtime_head()->ended_by = 0;
	set_state(owner, RAROG_COUNTER_RUNS);
}

void __rarog_note(enum rarog_counter_note note)
{
	uint32_t *owner = rarog_runtime_owner;

	if (!owner)
		return;
	if (note == RAROG_COUNTER_MAY_WAIT)
		set_state(owner, RAROG_COUNTER_WAITS);
	else if (note == RAROG_COUNTER_IS_BACK)
		go_on(owner);
	else
		note_rarely(owner, note);
}
