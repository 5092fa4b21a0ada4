/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What features cost in a run of `rarog collect features`: of each, and of each set of them that
 * was open together. Which regions were open at a moment says the context tree, over functions and
 * threads.
 */
#ifndef RAROG_VIEW_FEATURE_SUMS_H
#define RAROG_VIEW_FEATURE_SUMS_H

#include "base/vec.h"
#include "view/run.h"

#define RAROG_FEATURE_SUMS_MOST 64 /* features */

struct rarog_feature_sum {
	uint64_t features;  /* a bit each, in the order of .names */
	char *text;         /* "A,B"; owned */
	unsigned n;         /* how many they are: two or more are an interaction */
	uint64_t regions;   /* that are of exactly these */
	uint64_t count;     /* how often all of them came to be open; samples: in how many they were
			     * and nothing was above them that is counted */
	uint64_t inclusive; /* ticks while they were, whatever else */
	uint64_t exclusive; /* ticks while these were and no others */
	double probes;      /* ticks that probes took meanwhile, as far as is known */
};

struct rarog_feature_sums {
	RAROG_VEC(char *) names;                  /* sorted */
	RAROG_VEC(struct rarog_feature_sum) list; /* heaviest first */
	uint64_t measured;   /* ticks in all that was measured, which may be regions only */
	double probes;       /* ticks that they took of all that ran … */
	bool is_compensated; /* … which are in no sum */
};

/** rarog_feature_sums_read() - 0; -ENODATA with message: no regions were measured; -E2BIG; errors
 * of the reader. Release in any case. */
int rarog_feature_sums_read(struct rarog_profile *profile, struct rarog_feature_sums *ret_sums);
void rarog_feature_sums_release(struct rarog_feature_sums *sums);

/** rarog_feature_sums_whole() - ticks of all that ran: samples are of all of it; of the rest only
 * regions may have been measured, so it is the time of the threads. */
uint64_t rarog_feature_sums_whole(const struct rarog_feature_sums *sums,
				  const struct rarog_run *run);

/** rarog_feature_sums_are_in() - has @profile regions of features? */
bool rarog_feature_sums_are_in(struct rarog_profile *profile);

/** rarog_feature_region_length() - of @name, "A,B@file.c:10", the bytes that name features; 0: it
 * is no region. */
size_t rarog_feature_region_length(const char *name);

#endif
