/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that has stopped in the middle of a probe is brought to where none is begun. */
#ifndef RAROG_ENGINE_INLINE_CODE_PROBE_SETTLE_H
#define RAROG_ENGINE_INLINE_CODE_PROBE_SETTLE_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

#include "agent/layout.h"

/**
 * rarog_probe_settle() - a thread that we trace stands in an image's code
 * @header: of the image's areas
 * @regs: its; may be changed, and are the thread's then, too
 *
 * Return: does it stand in no probe now? Else it must go on for a moment: it is in the agent, or in
 * code that is not known here.
 */
bool rarog_probe_settle(pid_t tid, const struct rarog_area *header, struct user_regs_struct *regs);

#endif
