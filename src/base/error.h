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

#include <errno.h>

/**
 * rarog_fail() - record the message of a failure
 * @code: negative errno value
 *
 * Return: @code, so that `return rarog_fail(-EINVAL, "…")` reads well. Compilers and analysers see
 * which code that is: what a caller does after a failure is no path with unset outputs to them.
 */
#define rarog_fail(code, ...)                                                                      \
	__extension__({                                                                            \
		int code_ = (code);                                                                \
		rarog_error_record(__VA_ARGS__);                                                   \
		code_;                                                                             \
	})
__attribute__((format(printf, 1, 2))) void rarog_error_record(const char *format, ...);

/** rarog_fail_prefix() - put "context: " before the recorded message; returns @code. */
#define rarog_fail_prefix(code, ...)                                                               \
	__extension__({                                                                            \
		int code_ = (code);                                                                \
		rarog_error_prefix(__VA_ARGS__);                                                   \
		code_;                                                                             \
	})
__attribute__((format(printf, 1, 2))) void rarog_error_prefix(const char *format, ...);

/** rarog_fail_errno() - like rarog_fail(), with -errno as code and ": strerror" appended. */
#define rarog_fail_errno(...)                                                                      \
	__extension__({                                                                            \
		int code_ = rarog_error_record_errno(__VA_ARGS__);                                 \
		code_ < 0 ? code_ : -EIO;                                                          \
	})
__attribute__((format(printf, 1, 2))) int rarog_error_record_errno(const char *format, ...);

/** rarog_oom() - record "out of memory"; returns -ENOMEM. */
static inline int rarog_oom(void)
{
	return rarog_fail(-ENOMEM, "out of memory");
}

/** rarog_error_message() - the calling thread's last message, "" if none; borrowed. */
const char *rarog_error_message(void);

/** rarog_error_clear() - forget the recorded message (the failure was handled). */
void rarog_error_clear(void);

#endif
