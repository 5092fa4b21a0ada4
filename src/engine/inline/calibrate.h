/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a probe costs on this machine, measured with the real agent in rarog's own process in a few
 * milliseconds.
 */
#ifndef RAROG_ENGINE_INLINE_CALIBRATE_H
#define RAROG_ENGINE_INLINE_CALIBRATE_H

#include <stdbool.h>

struct rarog_probe_cost {
	double rdtsc; /* ticks of one reading of the clock */
	double call;  /* ticks that a traced call takes longer than the same call untraced */
	double self;  /* … of which this much lies within the call's own measured duration */
};

struct rarog_budget_costs;

/** rarog_gate_cost_measure() - what a call takes longer, in ticks, by the word of its gate, with
 * --overhead. As rarog_probe_cost_measure(). */
int rarog_gate_cost_measure(bool is_ordered, struct rarog_budget_costs *ret_costs);

/**
 * rarog_probe_cost_measure() - of probes as those of a run
 * @is_ordered: a plan's orders_clock
 * @of_regions: of a region between marks, not of a function
 *
 * Return: 0, or -errno with message (costs are 0 then).
 */
int rarog_probe_cost_measure(bool is_ordered, bool of_regions, struct rarog_probe_cost *ret_cost);

#endif
