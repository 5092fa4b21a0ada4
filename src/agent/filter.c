/* SPDX-License-Identifier: MIT */
/*
 * A program is about to forbid itself system calls. Rarog sees a filter some time after it was set,
 * and a probe that waits for room until then would call the kernel: so the agent hears of it
 * before. A program that may not set filters otherwise first gives up what it could gain by an
 * exec, however it sets them then. Its parent and their other children are in no danger.
 */
#include "internal.h"

#define PR_SET_SECCOMP      22
#define PR_SET_NO_NEW_PRIVS 38

HIDDEN void rarog_agent_prctl(struct hook_probe *probe)
{
	uint32_t option = (uint32_t)probe->rdi, expected = RAROG_FILTERED_NOT;

	if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
		__atomic_compare_exchange_n(&private(0)->filtered, &expected, RAROG_FILTERED_SOON,
					    0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
