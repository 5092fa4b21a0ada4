/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Off-CPU time of the strands of a run, added up by function, by strand and over all.
 */
#ifndef RAROG_EVENTS_OFF_CPU_SUMS_H
#define RAROG_EVENTS_OFF_CPU_SUMS_H

#include "events/machine.h"
#include "events/sink.h"

struct rarog_off_cpu_sum {
	struct rarog_stats_off_cpu stats;
	bool is_unknown;
};

struct rarog_off_cpu_sums {
	RAROG_VEC(struct rarog_off_cpu_sum) locations; /* by location */
	RAROG_VEC(struct rarog_off_cpu) rows;          /* not yet given to the sink */
	uint64_t strands_unknown;
};

void rarog_off_cpu_sums_release(struct rarog_off_cpu_sums *sums);

/** rarog_off_cpu_sums_merge() - @machine has ended. 0, -ENOMEM, errors of the sink. */
int rarog_off_cpu_sums_merge(struct rarog_off_cpu_sums *sums,
			     const struct rarog_assembler_sink *sink,
			     const struct rarog_strand_machine *machine);

/** rarog_off_cpu_sums_write() - the rest, after the last strand and the nodes of @tree. */
int rarog_off_cpu_sums_write(struct rarog_off_cpu_sums *sums,
			     const struct rarog_assembler_sink *sink,
			     const struct rarog_tree *tree);

#endif
