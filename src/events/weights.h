/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums of sampled calls. Every N-th call of a function was recorded, and how many calls came after
 * the last one is known of each strand: so the number of calls is exact, and the time of all of
 * them is estimated by that of those that were recorded.
 */
#ifndef RAROG_EVENTS_WEIGHTS_H
#define RAROG_EVENTS_WEIGHTS_H

#include "base/vec.h"
#include "profile/profile.h"

struct rarog_weights_rest {
	uint32_t location, strand;
	uint64_t n; /* of the N - 1 calls after the last recorded one, so many did not come */
};

/* Zeroed: every call was recorded. */
struct rarog_weights {
	RAROG_VEC(uint32_t) every; /* every.v[location]; 0, 1: every call */
	RAROG_VEC(struct rarog_weights_rest) rests;
	bool is_sorted;
	uint64_t left_out; /* calls over all strands, as far as they were weighed */
};

void rarog_weights_release(struct rarog_weights *weights);

/** rarog_weights_set() - every @n-th call of @location is recorded. 0 or -ENOMEM. */
int rarog_weights_set(struct rarog_weights *weights, uint32_t location, uint32_t n);

/** rarog_weights_rest() - @strand ended @n calls before the next one would have been recorded. 0 or
 * -ENOMEM. */
int rarog_weights_rest(struct rarog_weights *weights, uint32_t location, uint32_t strand,
		       uint64_t n);

/** rarog_weights_weigh() - a summary of recorded calls becomes one of all: count, and total, of all
 * durations (which calls of a recursion are the outermost is not known); what else it holds is of
 * those that were recorded. @weights: NULL: it is left as it is. */
void rarog_weights_weigh(struct rarog_weights *weights, struct rarog_summary *summary);

#endif
