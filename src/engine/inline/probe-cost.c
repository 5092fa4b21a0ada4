/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/probe-cost.h"

#include <time.h>

#include "engine/inline/calibrate.h"
#include "plan/budget.h"
#include "process/clock.h"

#define LONG_ENOUGH_NS 5000000L /* for a rate good to three digits */

static double ns_per_tick_since(struct rarog_clock_watch *watch)
{
	const struct timespec pause = { .tv_nsec = LONG_ENOUGH_NS };

	nanosleep(&pause, NULL);
	return 1e9 / (double)rarog_clock_watch_finish(watch).hz;
}

int rarog_cost_measure(bool is_ordered, struct rarog_cost_ns *ret_cost)
{
	struct rarog_clock_watch watch;
	struct rarog_probe_cost ticks;
	double ns_per_tick;
	int r;

	rarog_clock_watch_start(&watch);
	r = rarog_probe_cost_measure(is_ordered, false, &ticks);
	if (r < 0)
		return r;
	ns_per_tick = ns_per_tick_since(&watch);
	*ret_cost = (struct rarog_cost_ns){ ticks.call * ns_per_tick, ticks.rdtsc * ns_per_tick };
	return 0;
}

int rarog_gate_cost_measure_ns(bool is_ordered, struct rarog_budget_costs *ret_costs)
{
	struct rarog_clock_watch watch;
	struct rarog_budget_costs ticks;
	double ns_per_tick;
	int r;

	rarog_clock_watch_start(&watch);
	r = rarog_gate_cost_measure(is_ordered, &ticks);
	if (r < 0)
		return r;
	ns_per_tick = ns_per_tick_since(&watch);
	*ret_costs = (struct rarog_budget_costs){
		.recorded = ticks.recorded * ns_per_tick,
		.skipped = ticks.skipped * ns_per_tick,
	};
	return 0;
}
