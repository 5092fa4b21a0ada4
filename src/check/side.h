/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One side of a comparison: the runs of one job at one version. A profile is a run; the program's
 * own time comes from runs without probes, which a profile's header carries with it.
 */
#ifndef RAROG_CHECK_SIDE_H
#define RAROG_CHECK_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/reader.h"

struct rarog_side_run {
	struct rarog_profile *profile; /* open, the side's own */
	uint64_t started_ns;           /* since the epoch, 0: unknown */
	uint64_t round;         /* names series and number of the round that it is of, 0: none */
	bool is_as_built;       /* of a round, and yet not linked anew for it */
	bool uses_several;      /* processors, for which it was not run beside the other version */
	bool failed_beside;     /* it, or the other one, when both ran at once */
	double wall_ns, cpu_ns; /* with probes, NAN: unknown */
	double calls;           /* that had a probe */
	bool counts_samples;    /* what its tables count are samples, not calls */
	double probe_ns;        /* a call took that much longer, 0: unknown */
	double probe_self_ns;   /* … of which it counts itself, the rest its caller */
	bool is_compensated;    /* they are taken out of its tables already */
};

/* Runs without probes of one round: number i was made beside number i of the other version. */
struct rarog_side_pairs {
	size_t value;    /* which value of wall_ns and cpu_ns is made of them */
	size_t first, n; /* in pair_wall_ns and pair_cpu_ns */
};

/* Zeroed: empty. */
struct rarog_side {
	char *name;    /* for people: "HEAD~1", "a.rarog" */
	char *version; /* in full, NULL: none */
	RAROG_VEC(struct rarog_side_run) runs;
	RAROG_VEC(double) wall_ns, cpu_ns; /* of runs without probes, one value a run or round */
	RAROG_VEC(struct rarog_side_pairs) pairs;
	RAROG_VEC(double) pair_wall_ns, pair_cpu_ns; /* what pairs name */
};

/** rarog_side_init() - texts are copied; @version may be NULL. 0, -ENOMEM. */
int rarog_side_init(struct rarog_side *side, const char *name, const char *version);
void rarog_side_release(struct rarog_side *side);

/**
 * rarog_side_add() - one more run
 * @take_profile: the side's from here on, also on failure
 *
 * Header members read: "end" (wall_ns, user_ns, system_ns), "probe_cost", "round", and "untraced":
 * an array of {"wall_ns","user_ns","system_ns"}, runs of the same program made beside this one
 * without probes. A profile of the collector "time" is such a run itself.
 *
 * Return: 0; -EBADMSG a header that is not JSON; -EINVAL a duration that is negative or no number;
 * -ENOMEM.
 */
int rarog_side_add(struct rarog_side *side, struct rarog_profile *take_profile);

/** rarog_side_counts_samples() - in some run nothing is known of calls. */
bool rarog_side_counts_samples(const struct rarog_side *side);

/**
 * rarog_sides_pair() - both sides were measured in the same rounds: what a round says of the
 * program is the median of the ratios of its pairs
 *
 * The medians of a round are moved apart, each by half, until their ratio is that one: what slowed
 * down a pair is in neither. Rounds without pairs stay as they are. Once: pairs are used up.
 */
void rarog_sides_pair(struct rarog_side sides[2]);

#endif
