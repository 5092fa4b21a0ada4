/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the measured program runs, and where rarog does meanwhile. */
#ifndef RAROG_RUN_PROCESSORS_H
#define RAROG_RUN_PROCESSORS_H

#include <sched.h>
#include <stdbool.h>

struct rarog_processors {
	cpu_set_t program, rest; /* rest: for rarog; empty: the same */
	bool is_pinned;          /* else the program runs wherever rarog may */
};

/**
 * rarog_processors_choose() - @text: "1,3-5", "all"; NULL: all but the first, which interrupts
 * prefer and rarog needs; all if there is only one
 *
 * Return: 0; -EINVAL not a list, or of processors that we may not use.
 */
int rarog_processors_choose(const char *text, struct rarog_processors *ret_processors);

#endif
