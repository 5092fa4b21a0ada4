/* SPDX-License-Identifier: MIT */
/* A thread that a library's code sees for the first time, whoever created it. */
#include "runtime.h"

/* Weak, as in every object that was compiled with counters: the linker keeps one. */
__attribute__((weak)) __thread uint64_t __rarog_slot;

/* A signal handler may come first while this runs: then the thread has two areas, one unused. */
void rarog_runtime_enter(void)
{
	struct rarog_runtime_thread *thread = rarog_runtime_claim();

	if (thread)
		rarog_runtime_begin(thread);
	else
		__rarog_slot = 1;
}
