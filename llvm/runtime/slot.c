/* SPDX-License-Identifier: MIT */
/* A thread that a library's code sees for the first time, whatever created it. */
#include "runtime.h"

#include <unistd.h>

/* Weak, as in every object that was compiled with counters: the linker keeps one. */
__attribute__((weak, tls_model("initial-exec"))) __thread uint64_t __rarog_slot;

/* Before the library's file the main thread counts where it always will; another one does, too.
 * A signal handler may come first while this runs: then the thread has two areas, one unused. */
void rarog_runtime_enter(void)
{
	struct rarog_runtime_thread *thread = rarog_runtime_claim(false);

	if (thread) {
		rarog_runtime_begin(thread);
		return;
	}
	if (rarog_runtime_may_be_read() && (!rarog_runtime_may_call() || gettid() != getpid()))
		rarog_runtime_note(RAROG_COUNTER_IS_SHARED);
	__rarog_slot = 1;
}
