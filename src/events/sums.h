/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums that an engine has made where the calls were, in place of the events: what a strand machine
 * would have made of them.
 */
#ifndef RAROG_EVENTS_SUMS_H
#define RAROG_EVENTS_SUMS_H

#include "base/vec.h"
#include "events/stats.h"

struct rarog_sums_row {
	uint32_t strand, location; /* strand: RAROG_NONE: not known, in the sums over all only */
	struct rarog_stats stats;
	struct rarog_stats_ends ends;
};

/* A context. Parents come first. */
struct rarog_sums_node {
	uint32_t parent; /* index; RAROG_NONE: outermost */
	uint32_t location;
	uint64_t count, exclusive;
};

/* How many durations of all strands are in a bucket. */
struct rarog_sums_bucket {
	uint32_t location, bucket;
	uint64_t count;
};

/* Zeroed: empty. A row for each (strand, location), a node for each (parent, location). */
struct rarog_sums {
	RAROG_VEC(struct rarog_sums_row) rows;
	RAROG_VEC(struct rarog_sums_node) nodes;
	RAROG_VEC(struct rarog_sums_bucket) buckets;
};

#endif
