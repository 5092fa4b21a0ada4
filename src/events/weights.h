/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums of calls of which not every one was recorded. How many there were is known, so the time of
 * all of them is estimated by that of those that were recorded. An engine tells either: every N-th
 * was recorded, and so many calls of a strand came after the last one; or how many were not.
 */
#ifndef RAROG_EVENTS_WEIGHTS_H
#define RAROG_EVENTS_WEIGHTS_H

#include "base/vec.h"
#include "events/epochs.h"
#include "profile/profile.h"

/* Calls of a location by a strand. */
struct rarog_weights_calls {
	uint32_t location, strand;
	uint64_t n;
	bool is_weighed; /* in the sum over all strands */
};

struct rarog_weights_list {
	RAROG_VEC(struct rarog_weights_calls) v;
	bool is_sorted;
};

/* Zeroed: every call was recorded. */
struct rarog_weights {
	RAROG_VEC(uint32_t) every; /* every.v[location]; 0, 1: every call */
	struct rarog_weights_list
		rests; /* of the N - 1 after the last one, those that did not come */
	struct rarog_weights_list skipped; /* that were not recorded */
	uint64_t left_out;                 /* calls over all strands, as far as they were weighed */
	struct rarog_epochs epochs;        /* of locations whose weights change … */
	RAROG_VEC(struct rarog_bound) totals; /* … the intervals, found by weighing */
};

void rarog_weights_release(struct rarog_weights *weights);

/** rarog_weights_are_any() - may there be calls that were not recorded? */
bool rarog_weights_are_any(const struct rarog_weights *weights);

/** rarog_weights_set() - every @n-th call of @location is recorded. 0 or -ENOMEM. */
int rarog_weights_set(struct rarog_weights *weights, uint32_t location, uint32_t n);

/** rarog_weights_rest() - @strand ended @n calls before the next one would have been recorded. 0 or
 * -ENOMEM. */
int rarog_weights_rest(struct rarog_weights *weights, uint32_t location, uint32_t strand,
		       uint64_t n);

/** rarog_weights_skip() - @n more calls of @location by @strand were not recorded. 0 or -ENOMEM. */
int rarog_weights_skip(struct rarog_weights *weights, uint32_t location, uint32_t strand,
		       uint64_t n);

/** rarog_weights_weigh() - a summary of recorded calls becomes one of all: count, and total, of all
 * durations (which calls of a recursion are the outermost is not known); what else it holds is of
 * those that were recorded. @weights: NULL: it is left as it is. 0; -ENOMEM. */
int rarog_weights_weigh(struct rarog_weights *weights, struct rarog_summary *summary);

/** rarog_weights_skipped() - of all that was told of @location, over all strands. */
uint64_t rarog_weights_skipped(struct rarog_weights *weights, uint32_t location);

/** rarog_weights_unweighed() - of the next location from @from on that was never weighed over all
 * strands: its summary, of calls without times. Return: the location; -1: there is none. */
long rarog_weights_unweighed(struct rarog_weights *weights, uint32_t from,
			     struct rarog_summary *ret_summary);

#endif
