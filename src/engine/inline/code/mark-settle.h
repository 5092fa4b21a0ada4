/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that has stopped at the end of a mark's stub is brought to what comes after it. */
#ifndef RAROG_ENGINE_INLINE_CODE_MARK_SETTLE_H
#define RAROG_ENGINE_INLINE_CODE_MARK_SETTLE_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

/**
 * rarog_mark_settle() - a thread that we trace stands in an image's code
 * @regs: its; may be changed, and are the thread's then, too
 *
 * Return: was only the end of a mark's stub left to be done? Then it is done.
 */
bool rarog_mark_settle(pid_t tid, struct user_regs_struct *regs);

#endif
