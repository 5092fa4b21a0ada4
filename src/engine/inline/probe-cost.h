/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a traced call costs on this machine, in the units of people. */
#ifndef RAROG_ENGINE_INLINE_PROBE_COST_H
#define RAROG_ENGINE_INLINE_PROBE_COST_H

#include <stdbool.h>

struct rarog_cost_ns {
	double call;  /* a traced call takes that much longer than an untraced one */
	double clock; /* one reading of the clock, of which a call takes two */
};

struct rarog_budget_costs;

/** rarog_gate_cost_measure_ns() - of --overhead; as rarog_cost_measure(). */
int rarog_gate_cost_measure_ns(bool is_ordered, struct rarog_budget_costs *ret_costs);

/**
 * rarog_cost_measure() - in a few milliseconds
 * @is_ordered: a plan's orders_clock
 *
 * Return: 0, or -ENOTSUP with message: the inline engine cannot work here.
 */
int rarog_cost_measure(bool is_ordered, struct rarog_cost_ns *ret_cost);

#endif
