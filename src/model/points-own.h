/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where points come from; for points-*.c only. */
#ifndef RAROG_MODEL_POINTS_OWN_H
#define RAROG_MODEL_POINTS_OWN_H

#include "model/points.h"

struct rarog_walked_call {
	uint32_t strand, location;
	uint64_t number; /* among those of its function and strand */
	uint32_t timed;  /* location of the call that took @ns: its own, or the point's caller's */
	uint64_t ns, exclusive_ns;
	uint64_t entered_ticks; /* by the profile's clock, of the call that took @ns */
};

/**
 * rarog_points_walk_calls() - every call that returned, or ended by an exception, as a whole
 * @points_are_of_callers: points, which take no time, have that of the call that they were passed
 * in, the last one of each name there
 *
 * Return: 0, errors, what @take said.
 */
int rarog_points_walk_calls(struct rarog_profile *profile, bool points_are_of_callers,
			    int (*take)(void *arg, const struct rarog_walked_call *call),
			    void *arg);

/** rarog_points_of_perun() - of the original @text[@n] of an imported profile; consumes nothing. */
int rarog_points_of_perun(struct rarog_profile *profile, const char *text, size_t n,
			  const struct rarog_points_sink *sink);

#endif
