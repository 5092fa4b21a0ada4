/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/slow-down.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define MUCH            1.5
#define MUCH_OF_REGIONS 1.1 /* of which shares are asked for */

static void say_budget(const struct rarog_budget *b, size_t size, char text[])
{
	uint64_t own_ns = (uint64_t)rarog_budget_own_ns(b);
	struct rarog_budget_left left = rarog_budget_count(b);

	snprintf(text, size, "; probes took about %s: %zu function%s thinned, %zu off at times",
		 rarog_format_percent((uint64_t)b->spent_ns, own_ns).text, left.thinned,
		 rarog_plural(left.thinned), left.off);
}

static void say_regions(uint64_t cost_ns, uint64_t cpu_ns, size_t size, char text[])
{
	double own = cpu_ns > cost_ns ? (double)(cpu_ns - cost_ns) : 1;

	if (cpu_ns > 0 && (double)cpu_ns > MUCH_OF_REGIONS * own)
		snprintf(text, size,
			 "; probes took about %s of it, --engine perf has shares without them",
			 rarog_format_percent(cost_ns < cpu_ns ? cost_ns : cpu_ns, cpu_ns).text);
}

static void say_none(uint64_t cost_ns, uint64_t cpu_ns, size_t size, char text[])
{
	double own = cpu_ns > cost_ns ? (double)(cpu_ns - cost_ns) : 1;

	if (cpu_ns > 0 && (double)cpu_ns > MUCH * own)
		snprintf(text, size, "; probes took much of it, --overhead 10%% bounds that");
}

static size_t say_off(const struct rarog_budget *b, size_t size, char text[])
{
	size_t off = rarog_budget_count(b).off;
	int n = 0;

	if (off > 0)
		n = snprintf(text, size, "; %zu function%s off at times", off, rarog_plural(off));
	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

void rarog_slow_down_say(const struct rarog_budget *budget, bool of_regions, uint64_t cost_ns,
			 uint64_t cpu_ns, struct rarog_collected *collected)
{
	size_t used = strlen(collected->kept), size = sizeof(collected->kept) - used;

	if (budget->share > 0)
		say_budget(budget, size, collected->kept + used);
	else if (of_regions)
		say_regions(cost_ns, cpu_ns, size, collected->kept + used);
	else {
		size_t n = say_off(budget, size, collected->kept + used);

		say_none(cost_ns, cpu_ns, size - n, collected->kept + used + n);
	}
}
