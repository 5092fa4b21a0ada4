/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that waits for its signal at the end of the agent is brought out. */
#ifndef RAROG_ENGINE_INLINE_CODE_AGENT_SETTLE_H
#define RAROG_ENGINE_INLINE_CODE_AGENT_SETTLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/**
 * rarog_agent_settle() - a thread that we trace stands in the agent
 * @at: from the start of its area
 * @regs: its; may be changed, and are the thread's then, too
 *
 * Return: does it stand where it returns to now? Else it has not done yet.
 */
bool rarog_agent_settle(pid_t tid, uint64_t at, struct user_regs_struct *regs);

#endif
