/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/clock.h"

#include <math.h>
#include <time.h>
#include <x86intrin.h>

#define LOOK_NS   100000000ull
#define READINGS  9
#define MAX_DRIFT 200e-6
#define SECOND    1000000000ull

static uint64_t read_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* The closest of several readings: an interrupt between the two clocks spoils one of them. */
static struct rarog_clock_pair read_pair(void)
{
	struct rarog_clock_pair best = { 0 };
	uint64_t best_gap = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = __rdtsc(), ns = read_ns(CLOCK_MONOTONIC), after = __rdtsc();

		if (after - before >= best_gap)
			continue;
		best_gap = after - before;
		best = (struct rarog_clock_pair){ before + (after - before) / 2, ns };
	}
	return best;
}

void rarog_clock_watch_start(struct rarog_clock_watch *watch)
{
	*watch = (struct rarog_clock_watch){ .first = read_pair() };
	watch->epoch_ns = read_ns(CLOCK_REALTIME);
	watch->last = watch->first;
}

static void judge(struct rarog_clock_watch *watch, struct rarog_clock_pair now)
{
	double rate;

	if (now.ticks <= watch->last.ticks || now.ns <= watch->last.ns) {
		watch->suspect = true;
		return;
	}
	rate = (double)(now.ticks - watch->last.ticks) / (double)(now.ns - watch->last.ns);
	if (watch->rate == 0)
		watch->rate = rate;
	else if (fabs(rate / watch->rate - 1) > MAX_DRIFT)
		watch->suspect = true;
}

void rarog_clock_watch_look(struct rarog_clock_watch *watch)
{
	struct rarog_clock_pair now;

	if (read_ns(CLOCK_MONOTONIC) - watch->last.ns < LOOK_NS)
		return;
	now = read_pair();
	judge(watch, now);
	watch->last = now;
}

struct rarog_clock rarog_clock_watch_finish(struct rarog_clock_watch *watch)
{
	struct rarog_clock_pair now = read_pair();
	uint64_t ticks = now.ticks - watch->first.ticks, ns = now.ns - watch->first.ns;

	if (now.ns - watch->last.ns >= LOOK_NS)
		judge(watch, now);
	if (ns == 0)
		ns = 1;
	return (struct rarog_clock){
		.hz = (uint64_t)llround((double)ticks / (double)ns * 1e9),
		.origin_ticks = watch->first.ticks,
		.origin_ns = watch->epoch_ns,
		.suspect = watch->suspect,
	};
}
