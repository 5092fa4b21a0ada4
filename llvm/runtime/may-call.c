/* SPDX-License-Identifier: MIT */
/*
 * A filter of system calls may end the process for one that the program itself never makes, and
 * what a filter does is not looked into: once the program sets one the runtime makes no call any
 * more, in all of the program's binaries. Threads and children that begin then share counters.
 */
#include "runtime.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* One for the program and its libraries: not hidden. */
extern int __rarog_filtered;
__attribute__((weak)) int __rarog_filtered;

enum { NO_CALLS = 1 };

/* Only asks whether there are filters. */
static bool is_nothing(uint64_t number, uint64_t a, uint64_t b, uint64_t c)
{
	if (number == SYS_prctl)
		return a != PR_SET_SECCOMP || (b == SECCOMP_MODE_FILTER && c == 0);
	if (number == SYS_seccomp)
		return a > SECCOMP_SET_MODE_FILTER || (a == SECCOMP_SET_MODE_FILTER && c == 0);
	return number != RAROG_COUNTER_SOME_FILTER;
}

void __rarog_note_filter(uint64_t number, uint64_t a, uint64_t b, uint64_t c)
{
	if (!is_nothing(number, a, b, c))
		rarog_runtime_call_no_more();
}

void rarog_runtime_call_no_more(void)
{
	__atomic_fetch_or(&__rarog_filtered, NO_CALLS, __ATOMIC_RELAXED);
}

bool rarog_runtime_may_call(void)
{
	return !(__atomic_load_n(&__rarog_filtered, __ATOMIC_RELAXED) & NO_CALLS);
}
