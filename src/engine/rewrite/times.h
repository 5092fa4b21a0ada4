/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time in blocks: estimated from samples, or measured by stamps. */
#ifndef RAROG_ENGINE_REWRITE_TIMES_H
#define RAROG_ENGINE_REWRITE_TIMES_H

#include "base/json-writer.h"
#include "engine/rewrite/module.h"
#include "engine/rewrite/samples.h"
#include "engine/rewrite/stamp.h"
#include "profile/profile.h"

struct rarog_rewrite_times {
	enum rarog_block_times_how how;
	const char *reason; /* why there are none; borrowed, NULL: nobody wanted any */
	bool is_compensated;
	double sample_ticks; /* that a sample stands for */
	struct rarog_stamp_cost cost;
	double counter_ticks; /* that a counter takes at least */
	uint64_t n_probes;    /* samples in what counts */
	double all, probes;   /* ticks of all blocks, and of stamps in them */
};

/** rarog_rewrite_times_init() - of a run. 0; negative with message. */
int rarog_rewrite_times_init(struct rarog_rewrite_times *times, const struct rarog_plan *plan,
			     const struct rarog_clock *clock);

/** rarog_rewrite_times_of() - of a block that was executed @count times, and counters, or time
 * stamps, for it @n_probes times; false: nothing is known. .block is not set. */
bool rarog_rewrite_times_of(struct rarog_rewrite_times *times,
			    const struct rarog_rewrite_module *module,
			    const struct rarog_rewrite_shape *shape, size_t block, uint64_t count,
			    uint64_t n_probes, struct rarog_block_time *ret_time);

/** rarog_rewrite_times_write() - what they are, as the header's member "times". */
void rarog_rewrite_times_write(struct rarog_json *json, const struct rarog_rewrite_times *times,
			       const struct rarog_rewrite_samples *samples);

#endif
