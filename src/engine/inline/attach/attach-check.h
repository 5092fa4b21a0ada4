/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What keeps a running program from being traced, beside rarog_attach_check(). */
#ifndef RAROG_ENGINE_INLINE_ATTACH_ATTACH_CHECK_H
#define RAROG_ENGINE_INLINE_ATTACH_ATTACH_CHECK_H

#include "process/threads.h"

/**
 * rarog_attach_allows() - may this user trace processes that run already, and so @pid?
 *
 * Yama allows to trace what one has started oneself, and may forbid the rest. Where @pid cannot be
 * measured for another reason the answer is yes: rarog_attach_check() says why.
 *
 * Return: 0; -EPERM with message.
 */
int rarog_attach_allows(pid_t pid);

/** rarog_attach_check_files() - are its files what they were when it was started? 0; -ENOTSUP with
 * message. */
int rarog_attach_check_files(pid_t pid);

/** rarog_attach_check_threads() - can probes run in all of @threads, which stand still, and in
 * no other process? 0; -errno with message. */
int rarog_attach_check_threads(const struct rarog_threads *threads);

/** rarog_attach_fail() - the message for what rarog_threads_stop() returned. -errno. */
int rarog_attach_fail(pid_t pid, int r);

/** rarog_attach_unless_ended() - @r, a failure with message; where it came from the end of @pid
 * meanwhile, that is said instead. */
int rarog_attach_unless_ended(pid_t pid, int r);

#endif
