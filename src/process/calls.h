/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of system calls that an interruption ends. */
#ifndef RAROG_PROCESS_CALLS_H
#define RAROG_PROCESS_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/* Results of the kernel's that programs never see. */
#define RAROG_ERESTARTNOHAND 514 /* "EINTR if a handler runs, else again" */

/** rarog_call_is_cut() - has a stopped thread been taken out of a call, with EINTR, that does not
 * go on by itself, and in which nothing has happened yet, so that it may be made again? */
bool rarog_call_is_cut(const struct user_regs_struct *regs);

#define RAROG_NO_LIMIT UINT64_MAX

/**
 * rarog_call_limit_ns() - how long the call that @tid was taken out of may last altogether
 * @ret_timed_out: its result when that is over
 *
 * Return: nanoseconds; RAROG_NO_LIMIT.
 */
uint64_t rarog_call_limit_ns(pid_t tid, const struct user_regs_struct *regs, long *ret_timed_out);

#endif
