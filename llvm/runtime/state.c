/* SPDX-License-Identifier: MIT */
/* What all of the runtime knows of this process: its file, its threads, and what they noted. */
#include "runtime.h"

#include "by-number.h"

struct rarog_runtime_state rarog_runtime;
__thread uint32_t *rarog_runtime_owner __attribute__((tls_model("initial-exec")));

struct rarog_counter_file *rarog_runtime_head(void)
{
	return rarog_runtime.head;
}

void rarog_runtime_note(uint32_t flag)
{
	__atomic_fetch_or(rarog_runtime.head ? &rarog_runtime.head->flags
					     : &rarog_runtime.first_flags,
			  flag, __ATOMIC_RELAXED);
}

struct rarog_runtime_thread *rarog_runtime_this(void)
{
	return &rarog_runtime.threads[rarog_runtime_owner - rarog_runtime.owners];
}

void rarog_runtime_miss_this(void)
{
	if (rarog_runtime.head && rarog_runtime.sees_threads)
		rarog_runtime_note(RAROG_COUNTER_IS_SHARED);
}

/* Whether there were any is all that libc tells. */
void rarog_runtime_miss_threads(void)
{
	if (rarog_runtime.sees_threads && !rarog_runtime.knows_ends && &__libc_single_threaded &&
	    !__libc_single_threaded)
		rarog_runtime_note(RAROG_COUNTER_IS_SHARED);
}
