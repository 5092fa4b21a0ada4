/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/places.h"

#include <math.h>

#include "check/inlining.h"
#include "profile/off-cpu.h"

/* A child's probes cost its parent the part that they do not count themselves. */
static void set_probes(const struct rarog_side_run *of, size_t n, const struct rarog_node nodes[],
		       struct rarog_code_place places[])
{
	for (size_t i = 0; i < n; i++) {
		double calls = (double)nodes[i].count;

		places[i].probed_ns += calls * of->probe_self_ns;
		if (i > 0 && nodes[i].parent < i)
			places[nodes[i].parent].probed_ns +=
				calls * (of->probe_ns - of->probe_self_ns);
	}
}

static void take_out_probes(const struct rarog_side_run *of, size_t n,
			    struct rarog_code_place places[])
{
	for (size_t i = 0; i < n; i++) {
		double probes = places[i].probed_ns, measured = places[i].exclusive_ns;

		places[i].probed_ns = measured + (of->is_compensated ? probes : 0);
		places[i].exclusive_ns = fmax(measured - (of->is_compensated ? 0 : probes), 0);
	}
}

static int read_times(const struct rarog_comparison *comparison, const struct rarog_side_run *of,
		      size_t n, const struct rarog_node nodes[], struct rarog_code_place places[])
{
	double ns_per_tick = 1e9 / (double)rarog_profile_clock(of->profile)->hz;
	struct rarog_off_cpu_table off_cpu = { 0 };
	int r = comparison->is_cpu_time ? rarog_off_cpu_table_load(of->profile, true, &off_cpu) : 0;

	for (size_t i = 0; i < n; i++) {
		struct rarog_off_cpu_ticks gone = { 0 };

		if (off_cpu.nodes && i < off_cpu.n_nodes)
			gone = off_cpu.nodes[i];
		places[i].probed_ns = 0;
		places[i].exclusive_ns =
			(double)rarog_cpu_ticks(nodes[i].exclusive, gone.waited, gone.preempted) *
			ns_per_tick;
		if (comparison->has_waiting)
			places[i].waited_ns = (double)gone.waited * ns_per_tick;
	}
	rarog_off_cpu_table_release(&off_cpu);
	return r;
}

/* @host: the caller's row, RAROG_NONE: there is none. */
static bool is_folded(const struct rarog_comparison *comparison, uint32_t host, uint32_t row)
{
	return comparison->rows[row].is_unknown ||
	       (host != RAROG_NONE && rarog_inlining_folds(comparison->inlining, host, row));
}

int rarog_places_read(const struct rarog_comparison *comparison, size_t side, size_t run, size_t n,
		      const struct rarog_node nodes[], struct rarog_code_place ret_places[])
{
	const struct rarog_side_run *of = &comparison->sides[side].runs.v[run];
	const uint32_t *row_of = comparison->row_of[side][run];
	const struct rarog_location *locations;
	long n_locations = rarog_profile_locations(of->profile, &locations);
	int r = read_times(comparison, of, n, nodes, ret_places);

	for (size_t i = 0; i < n; i++) {
		uint32_t parent = nodes[i].parent, host = RAROG_NONE, row = RAROG_NONE;

		if ((long)nodes[i].location < n_locations)
			row = row_of[nodes[i].location];
		if (i > 0 && parent < i)
			host = ret_places[parent].row;
		ret_places[i].is_folded = row != RAROG_NONE && is_folded(comparison, host, row);
		ret_places[i].row = ret_places[i].is_folded ? host : row;
	}
	set_probes(of, n, nodes, ret_places);
	take_out_probes(of, n, ret_places);
	return r;
}
