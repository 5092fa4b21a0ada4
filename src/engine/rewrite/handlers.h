/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signal handlers see where the original was interrupted: backtrace(), profilers and exceptions out
 * of handlers find what they know. When the handler returns the copy goes on.
 */
#ifndef RAROG_ENGINE_REWRITE_HANDLERS_H
#define RAROG_ENGINE_REWRITE_HANDLERS_H

#include <signal.h>

#include "engine/rewrite/image.h"

#define RAROG_HANDLERS_MOST 64 /* that have not returned; of more the oldest are forgotten */

struct rarog_rewrite_handlers {
	bool is_coming;              /* a signal is on its way, by a step */
	uint64_t interrupted, stack; /* where, in a copy, and its stack pointer */
	int kept_signal;             /* that was sent again, 0: none … */
	siginfo_t kept;              /* … and what the kernel said of it */
	uint32_t n;                  /* handlers that have not returned */
	struct {
		uint64_t frame;          /* the kernel's, on the stack; 0: others go on there now */
		uint64_t stack;          /* the stack pointer of what was interrupted */
		uint64_t copy, original; /* where it goes on, and where it seems to */
	} list[RAROG_HANDLERS_MOST];
};

/** rarog_handlers_signal() - a signal is on its way to @tid, which is stopped for it. Return: it
 * has been resumed with the signal, or has stopped for something else, and the signal comes again.
 */
bool rarog_handlers_signal(struct rarog_rewrite_handlers *handlers,
			   const struct rarog_rewrite_image *image, pid_t tid, int signal);

/** rarog_handlers_step() - the step has ended by SIGTRAP. Return: whether it is that one. */
bool rarog_handlers_step(struct rarog_rewrite_handlers *handlers,
			 const struct rarog_rewrite_image *image, pid_t tid);

/** rarog_handlers_call() - @tid enters or leaves a system call; while handlers run, and others may
 * go on where these came, these are watched (.n > 0). */
void rarog_handlers_call(struct rarog_rewrite_handlers *handlers,
			 const struct rarog_rewrite_image *image, pid_t tid);

/** rarog_handlers_leave() - nobody watches from here on: what has been interrupted goes on in
 * copies. */
void rarog_handlers_leave(struct rarog_rewrite_handlers *handlers, pid_t tid);

#endif
