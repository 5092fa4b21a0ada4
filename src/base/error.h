/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors: one idiom for the whole program.
 *
 * A function that can fail returns 0 (or a useful count) on success and -Exxx on failure. The place
 * that knows what went wrong records one message with rarog_fail(); everyone above returns the
 * code; main() prints the message once. The message names the thing and, after a semicolon, the
 * remedy. One message is kept per thread; a later one replaces it.
 */
#ifndef RAROG_BASE_ERROR_H
#define RAROG_BASE_ERROR_H

/**
 * rarog_fail() - record the message of a failure
 * @code: negative errno value
 *
 * Return: @code, so that `return rarog_fail(-EINVAL, "…")` reads well.
 */
__attribute__((format(printf, 2, 3))) int rarog_fail(int code, const char *format, ...);

/** rarog_fail_prefix() - put "context: " before the recorded message; returns @code. */
__attribute__((format(printf, 2, 3))) int rarog_fail_prefix(int code, const char *format, ...);

/** rarog_fail_errno() - like rarog_fail(), with -errno as code and ": strerror" appended. */
__attribute__((format(printf, 1, 2))) int rarog_fail_errno(const char *format, ...);

/** rarog_oom() - record "out of memory"; returns -ENOMEM. */
int rarog_oom(void);

/** rarog_error_message() - the calling thread's last message, "" if none; borrowed. */
const char *rarog_error_message(void);

/** rarog_error_clear() - forget the recorded message (the failure was handled). */
void rarog_error_clear(void);

#endif
