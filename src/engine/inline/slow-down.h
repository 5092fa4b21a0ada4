/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What probes did to the run, for the summary line. */
#ifndef RAROG_ENGINE_INLINE_SLOW_DOWN_H
#define RAROG_ENGINE_INLINE_SLOW_DOWN_H

#include "engine/steps.h"
#include "plan/budget.h"

/**
 * rarog_slow_down_say() - add it to collected->kept
 * @cost_ns: of all recorded calls
 * @cpu_ns: of the run, with the probes
 *
 * Of a budget: what it came to. Without: that there are budgets, if the program took more than one
 * and a half times as long as it would have; of regions of features a tenth.
 */
void rarog_slow_down_say(const struct rarog_budget *budget, bool of_regions, uint64_t cost_ns,
			 uint64_t cpu_ns, struct rarog_collected *collected);

#endif
