/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A progress line on stderr, only when that is a terminal. It shows amount, rate and time left,
 * appears after 0.3 s, is redrawn ten times a second and erases itself; warnings and debug lines
 * go above it. One at a time.
 */
#ifndef RAROG_BASE_PROGRESS_H
#define RAROG_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct rarog_progress {
	const char *what;  /* "draining" */
	const char *thing; /* "events", NULL: bytes */
	uint64_t total;    /* 0: unknown */
	bool is_enabled, is_shown;
	uint64_t start_ns, next_ns;
};

/** rarog_progress_start() - begin; does nothing visible when @is_quiet or stderr is no terminal. */
void rarog_progress_start(struct rarog_progress *progress, const char *what, const char *thing,
			  uint64_t total, bool is_quiet);

/** rarog_progress_update() - @done so far; cheap enough for every block of work. */
void rarog_progress_update(struct rarog_progress *progress, uint64_t done);

/** rarog_progress_finish() - erase the line. */
void rarog_progress_finish(struct rarog_progress *progress);

/** rarog_progress_line() - the text for @done after @elapsed_ns: "draining 12.35 M events,
 * 95.20 M/s, 42.0 %, 12 s left". Return: 0 or -ENOMEM. */
int rarog_progress_line(const struct rarog_progress *progress, uint64_t done, uint64_t elapsed_ns,
			struct rarog_str *text);

#endif
