/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/probe-cost.h"

#include <time.h>

#include "engine/inline/calibrate.h"
#include "process/clock.h"

#define LONG_ENOUGH_NS 5000000L /* for a rate good to three digits */

int rarog_cost_measure(bool is_ordered, struct rarog_cost_ns *ret_cost)
{
	const struct timespec pause = { .tv_nsec = LONG_ENOUGH_NS };
	struct rarog_clock_watch watch;
	struct rarog_probe_cost ticks;
	double ns_per_tick;
	int r;

	rarog_clock_watch_start(&watch);
	r = rarog_probe_cost_measure(is_ordered, &ticks);
	if (r < 0)
		return r;
	nanosleep(&pause, NULL);
	ns_per_tick = 1e9 / (double)rarog_clock_watch_finish(&watch).hz;
	*ret_cost = (struct rarog_cost_ns){ ticks.call * ns_per_tick, ticks.rdtsc * ns_per_tick };
	return 0;
}
