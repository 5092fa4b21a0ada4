/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time-stamp counter against CLOCK_MONOTONIC. One straight line through the first and the last
 * pair of readings converts all ticks of a run, so that durations and differences of timestamps
 * agree; readings in between only watch that the line is straight.
 *
 * While the machine is suspended CLOCK_MONOTONIC stands still and the counter may go on: the line
 * is that of the longest piece without, and what was measured is suspect. CLOCK_REALTIME is read
 * once, so steps of it do not matter.
 */
#ifndef RAROG_PROCESS_CLOCK_H
#define RAROG_PROCESS_CLOCK_H

#include "profile/profile.h"

struct rarog_clock_pair {
	uint64_t ticks, ns;
	uint64_t asleep_ns; /* that CLOCK_BOOTTIME is ahead: the machine was suspended as long */
};

/* A piece of the run in which the machine was not suspended. */
struct rarog_clock_stretch {
	struct rarog_clock_pair from, to;
};

struct rarog_clock_watch {
	struct rarog_clock_pair first, last;
	struct rarog_clock_stretch stretch; /* the present one, and the longest before */
	struct rarog_clock_stretch longest;
	uint64_t suspended_ns; /* how long the machine was suspended */
	double rate;           /* ticks per ns of the first long interval, 0: none yet */
	uint64_t epoch_ns;     /* CLOCK_REALTIME at first */
	bool suspect;
};

void rarog_clock_watch_start(struct rarog_clock_watch *watch);

/** rarog_clock_watch_look() - take a pair if the last one is 100 ms old. A slope that changed by
 * more than 200 ppm, a step back or a suspended machine makes the clock suspect. */
void rarog_clock_watch_look(struct rarog_clock_watch *watch);

/** rarog_clock_watch_finish() - the run's clock. */
struct rarog_clock rarog_clock_watch_finish(struct rarog_clock_watch *watch);

/* The same with pairs that the caller has read. A slope is judged over at least 100 ms. */
void rarog_clock_watch_begin(struct rarog_clock_watch *watch, struct rarog_clock_pair first,
			     uint64_t epoch_ns);
void rarog_clock_watch_take(struct rarog_clock_watch *watch, struct rarog_clock_pair now);
struct rarog_clock rarog_clock_watch_end(struct rarog_clock_watch *watch,
					 struct rarog_clock_pair now);

#endif
