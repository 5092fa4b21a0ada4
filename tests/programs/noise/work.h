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

/* -DDELAYED='"f"' -DDELAY_NS=20000: each call of f() computes for so much longer, and nothing of Rarog is in it. What
 * handlers, or others that get the processor, take meanwhile is no computing. */
#ifdef DELAYED
#include <time.h>
static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}
#define HANDLER_NS 3000 /* between two readings of the clock */
static void compute_ns(int64_t ns)
{
	for (int64_t before = now_ns(), now; ns > 0; before = now) {
		now = now_ns();
		ns -= now - before < HANDLER_NS ? now - before : 0;
	}
}
#define DELAY(f)                                                                                                       \
	if (__builtin_strcmp(f, DELAYED) == 0) compute_ns(DELAY_NS);
#else
#define DELAY(f)
#endif

/* About a nanosecond or two a turn. */
#define WORK(turns)                                                                                                    \
	do {                                                                                                           \
		DELAY(__func__)                                                                                        \
		uint64_t x_ = 1;                                                                                       \
		for (unsigned i_ = 0; i_ < TURNS_OF(__func__, turns) / LESS; i_++)                                     \
			__asm__ volatile("imul $3, %0, %0" : "+r"(x_));                                                \
		work_sink = x_;                                                                                        \
	} while (0)

#define FUNCTION __attribute__((noinline, noclone, noipa))

#endif
