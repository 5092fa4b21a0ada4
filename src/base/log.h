/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages that are not results: debug lines of chosen domains (--debug=symbol,drain) and warnings.
 * Both go to stderr, one line each, written by one system call so that the lines of several
 * processes do not mix.
 */
#ifndef RAROG_BASE_LOG_H
#define RAROG_BASE_LOG_H

#include <stdbool.h>

enum rarog_log_domain {
	RAROG_LOG_SYMBOL,   /* reading binaries: symbols, DWARF, debug files */
	RAROG_LOG_SITE,     /* what may be patched and why not */
	RAROG_LOG_AGENT,    /* what runs inside the program */
	RAROG_LOG_INSTALL,  /* starting and patching the program */
	RAROG_LOG_DRAIN,    /* emptying the rings */
	RAROG_LOG_ASSEMBLE, /* events to calls */
	RAROG_LOG_PROFILE,  /* profile files */
	RAROG_LOG_STORE,    /* catalogue, objects, git */
	RAROG_LOG_VIEW,     /* tables and reports */
	RAROG_LOG_CMD,      /* commands */
	RAROG_LOG_DOMAINS
};

/** rarog_log_domain_names() - "symbol", …, in the order of the enum, NULL at the end; static. */
const char *const *rarog_log_domain_names(void);

/** rarog_log_enable() - switch domains on: a list such as "symbol,drain", or "all".
 * Return: 0; -EINVAL unknown domain, the message names the nearest. */
int rarog_log_enable(const char *list);

/** rarog_log_set_quiet() - drop warnings (debug lines stay: they were asked for). */
void rarog_log_set_quiet(bool is_quiet);
bool rarog_log_is_quiet(void);

/** rarog_log_record() - copy the lines of all domains and all warnings to @fd, whatever is shown;
 * -1: end it. */
void rarog_log_record(int fd);

/** rarog_log_record_warnings() - copy the lines of warnings alone to @fd, without "rarog:
 * warning:"; -1: end it. */
void rarog_log_record_warnings(int fd);

/** rarog_log_before() - call @hook before each line: a progress line erases itself. NULL: none. */
void rarog_log_before(void (*hook)(void));

/** rarog_warn() - "rarog: warning: …": something is not as asked; say what was done instead. */
__attribute__((format(printf, 1, 2))) void rarog_warn(const char *format, ...);

/** rarog_warn_lines() - the same of each line of @text. */
void rarog_warn_lines(const char *text);

/** rarog_debug() - a line of @domain, costs one test when it is off. */
#define rarog_debug(domain, ...)                                                                   \
	do {                                                                                       \
		if (rarog_log_mask_ & (1u << (domain)))                                            \
			rarog_debug_(domain, __VA_ARGS__);                                         \
	} while (0)

extern unsigned rarog_log_mask_;
__attribute__((format(printf, 2, 3))) void rarog_debug_(enum rarog_log_domain domain,
							const char *format, ...);

#endif
