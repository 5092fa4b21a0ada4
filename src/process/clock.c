/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/clock.h"

#include <math.h>
#include <time.h>
#include <x86intrin.h>

#include "base/clock.h"

#define LOOK_NS      100000000ull
#define READINGS     9
#define MAX_DRIFT    200e-6
#define SECOND       1000000000ull
#define SUSPENDED_NS 10000000ull /* two clocks read one after the other differ by less */

/* The closest of several readings: an interrupt between the two clocks spoils one of them. */
static struct rarog_clock_pair read_pair(void)
{
	struct rarog_clock_pair best = { 0 };
	uint64_t best_gap = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = __rdtsc(), ns = rarog_now_ns(), after = __rdtsc();

		if (after - before >= best_gap)
			continue;
		best_gap = after - before;
		best = (struct rarog_clock_pair){ before + (after - before) / 2, ns };
	}
	return best;
}

/* How far CLOCK_BOOTTIME is ahead; the least of several, because time passes between two readings.
 */
static uint64_t read_asleep(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t monotonic = rarog_now_ns(), boot = rarog_now_of(CLOCK_BOOTTIME);

		least = boot - monotonic < least ? boot - monotonic : least;
	}
	return least;
}

static struct rarog_clock_pair read_now(void)
{
	struct rarog_clock_pair pair = read_pair();

	pair.asleep_ns = read_asleep();
	return pair;
}

void rarog_clock_watch_begin(struct rarog_clock_watch *watch, struct rarog_clock_pair first,
			     uint64_t epoch_ns)
{
	*watch = (struct rarog_clock_watch){
		.first = first,
		.last = first,
		.stretch = { first, first },
		.epoch_ns = epoch_ns,
	};
}

void rarog_clock_watch_start(struct rarog_clock_watch *watch)
{
	rarog_clock_watch_begin(watch, read_now(), rarog_epoch_ns());
}

static void judge_slope(struct rarog_clock_watch *watch, struct rarog_clock_pair now)
{
	double rate = (double)(now.ticks - watch->last.ticks) / (double)(now.ns - watch->last.ns);

	if (watch->rate == 0)
		watch->rate = rate;
	else if (fabs(rate / watch->rate - 1) > MAX_DRIFT)
		watch->suspect = true;
}

static uint64_t length(const struct rarog_clock_stretch *stretch)
{
	return stretch->to.ns > stretch->from.ns ? stretch->to.ns - stretch->from.ns : 0;
}

/* A new piece begins here. */
static void wake_up(struct rarog_clock_watch *watch, struct rarog_clock_pair now)
{
	watch->suspended_ns += now.asleep_ns - watch->last.asleep_ns;
	watch->suspect = true;
	if (length(&watch->stretch) > length(&watch->longest))
		watch->longest = watch->stretch;
	watch->stretch.from = now;
}

void rarog_clock_watch_take(struct rarog_clock_watch *watch, struct rarog_clock_pair now)
{
	if (now.asleep_ns > watch->last.asleep_ns + SUSPENDED_NS)
		wake_up(watch, now);
	else if (now.ticks <= watch->last.ticks || now.ns <= watch->last.ns)
		watch->suspect = true;
	else if (now.ns - watch->last.ns >= LOOK_NS)
		judge_slope(watch, now);
	watch->last = watch->stretch.to = now;
}

void rarog_clock_watch_look(struct rarog_clock_watch *watch)
{
	if (rarog_now_ns() - watch->last.ns >= LOOK_NS)
		rarog_clock_watch_take(watch, read_now());
}

/* After a step back there may be no line at all; 1 GHz is as good as anything, and suspect. */
static uint64_t rate_of(const struct rarog_clock_watch *watch)
{
	bool is_longest = length(&watch->longest) > length(&watch->stretch);
	const struct rarog_clock_stretch *stretch = is_longest ? &watch->longest : &watch->stretch;
	const struct rarog_clock_pair *first = &stretch->from, *last = &stretch->to;

	if (last->ticks <= first->ticks || last->ns <= first->ns)
		return SECOND;
	return (uint64_t)llround((double)(last->ticks - first->ticks) /
				 (double)(last->ns - first->ns) * 1e9);
}

struct rarog_clock rarog_clock_watch_end(struct rarog_clock_watch *watch,
					 struct rarog_clock_pair now)
{
	rarog_clock_watch_take(watch, now);
	return (struct rarog_clock){
		.hz = rate_of(watch),
		.origin_ticks = watch->first.ticks,
		.origin_ns = watch->epoch_ns,
		.suspect = watch->suspect,
	};
}

struct rarog_clock rarog_clock_watch_finish(struct rarog_clock_watch *watch)
{
	return rarog_clock_watch_end(watch, read_now());
}
