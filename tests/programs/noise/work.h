/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fixed amount of work, the same in each run. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

static volatile uint64_t work_sink;

/* -DLESS=2: half of the turns, where counts are tested and not what takes the time. */
#ifndef LESS
#define LESS 1
#endif

/* -DFASTER='"f"': two fifths of the turns of f() are left out, as a bench does it to learn what that brings. */
#ifdef FASTER
#define TURNS_OF(f, turns) ((turns) - (__builtin_strcmp(f, FASTER) == 0 ? 2 * (turns) / 5 : 0))
#else
#define TURNS_OF(f, turns) (turns)
#endif

/* About a nanosecond or two a turn. */
#define WORK(turns)                                                                                                    \
	do {                                                                                                           \
		uint64_t x_ = 1;                                                                                       \
		for (unsigned i_ = 0; i_ < TURNS_OF(__func__, turns) / LESS; i_++)                                     \
			__asm__ volatile("imul $3, %0, %0" : "+r"(x_));                                                \
		work_sink = x_;                                                                                        \
	} while (0)

#define FUNCTION __attribute__((noinline, noclone, noipa))

#endif
