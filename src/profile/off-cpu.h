/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a profile's times was no CPU time, ready to be looked up.
 */
#ifndef RAROG_PROFILE_OFF_CPU_H
#define RAROG_PROFILE_OFF_CPU_H

#include "profile/reader.h"

struct rarog_off_cpu_ticks {
	uint64_t waited, preempted;
};

struct rarog_off_cpu_table {
	bool is_known;              /* CPU time was measured … */
	bool is_whole;              /* … and is known of everything */
	size_t n_locations;         /* 0 where it was not measured */
	size_t n_nodes;             /* likewise */
	struct rarog_off_cpu *over; /* over[location]: over all strands; zeroed: nothing was away */
	struct rarog_off_cpu_ticks *nodes; /* nodes[node]: of its exclusive time; NULL: none */
};

/**
 * rarog_off_cpu_table_load() - read it
 * @with_nodes: of the context tree, too
 *
 * Return: 0, also when CPU time was not measured; -EBADMSG; -ENOMEM.
 */
int rarog_off_cpu_table_load(struct rarog_profile *profile, bool with_nodes,
			     struct rarog_off_cpu_table *ret_table);
void rarog_off_cpu_table_release(struct rarog_off_cpu_table *table);

/** rarog_off_cpu_is_known() - 1 CPU time was measured, at least of something; 0; -EBADMSG, -ENOMEM.
 */
int rarog_off_cpu_is_known(struct rarog_profile *profile);

/** rarog_cpu_ticks() - @ticks less what was away; compensation for probes may have taken more. */
static inline uint64_t rarog_cpu_ticks(uint64_t ticks, uint64_t waited, uint64_t preempted)
{
	uint64_t off_cpu = waited + preempted;

	return ticks > off_cpu ? ticks - off_cpu : 0;
}

/** rarog_kept_ticks() - exclusive @ticks less what others had the processor, where that is known.
 */
static inline uint64_t rarog_kept_ticks(const struct rarog_off_cpu_table *table, uint32_t location,
					uint64_t ticks)
{
	uint64_t preempted = location < table->n_locations ? table->over[location].preempted : 0;

	return ticks > preempted ? ticks - preempted : 0;
}

#endif
