/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that runs already is watched for a while. */
#ifndef RAROG_PROCESS_WATCH_H
#define RAROG_PROCESS_WATCH_H

#include <stdatomic.h>

#include "process/untraced.h"

struct rarog_watch {
	pid_t pid;                  /* 0: none in particular */
	uint64_t duration_ns;       /* 0: no bound */
	const atomic_bool *is_over; /* look() may end it; NULL: it does not */
	/* As in struct rarog_untraced. */
	long (*look)(void *user);
	void *user;
	const struct rarog_waiter *waiter;
};

/** rarog_watch_hold() - signals that end the watching, and those of children, wait from here on
 * (base/signals.h). */
void rarog_watch_hold(void);

/** rarog_watch() - until the process has ended, its time is over, or a signal has come that ends
 * rarog, which is taken. After rarog_watch_hold(). 0; -errno with message. */
int rarog_watch(const struct rarog_watch *what);

#endif
