/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call that is shorter than the slices of the scheduler is mostly left alone, and medians do not
 * see the others. One that is longer loses the processor each time on a busy machine, so that long
 * calls look longer than they are, and n^3 looks like n^4.
 */
#include "model/costs-own.h"
#include "profile/off-cpu.h"

static void add(const struct rarog_summary *summary, const struct rarog_off_cpu *away,
		struct rarog_costing *cost)
{
	cost->ticks += (double)summary->total;
	cost->preempted += (double)away->total_preempted;
}

int rarog_cost_note_preempted(struct rarog_profile *profile, size_t n_locations, const size_t at[],
			      struct rarog_costs *costs)
{
	struct rarog_off_cpu_table table = { 0 };
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(profile, &summaries);
	int r = n < 0 ? (int)n : rarog_off_cpu_table_load(profile, false, &table);

	for (long i = 0; r == 0 && table.is_known && i < n; i++) {
		uint32_t location = summaries[i].location;

		if (summaries[i].strand == RAROG_NONE && location < n_locations &&
		    location < table.n_locations && at[location] < costs->list.n)
			add(&summaries[i], &table.over[location], &costs->list.v[at[location]]);
	}
	rarog_off_cpu_table_release(&table);
	return r;
}
