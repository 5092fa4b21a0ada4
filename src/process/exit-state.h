/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel still tells of a program that is over, until it is waited for: did it get a
 * signal that came near its end? */
#ifndef RAROG_PROCESS_EXIT_STATE_H
#define RAROG_PROCESS_EXIT_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rarog_remains {
	int killed_by; /* 0: by no signal */
	/* Of signals, a bit for each, 1 << signal - 1. */
	uint64_t pending, blocked, ignored, caught;
};

/** rarog_remains_is_living() - is @program not yet on its way to its end? Also true if nobody
 * says. */
bool rarog_remains_is_living(pid_t program);

/** rarog_remains_read() - of @program, which has ended and was not waited for. What nobody says is
 * empty. */
void rarog_remains_read(pid_t program, struct rarog_remains *ret_remains);

/**
 * rarog_remains_took() - did it get @signal, which had come when somebody looked?
 * @living_ns: how long before its end it was living when somebody looked; -1: it was not
 *
 * What it ignores it has got if it was living. In doubt false.
 */
bool rarog_remains_took(const struct rarog_remains *remains, int signal, int64_t living_ns);

#endif
