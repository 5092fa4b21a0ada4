/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be asked by noise. A round has runs of two sorts: one of each function's own, and some
 * that are shared by all functions. In which of the two there is noise, and where, is the mode.
 *
 *	slow	own: noise in the function; shared: none
 *	speed	own: noise in all functions but this one; shared: in all of them. What the function
 *		does is faster there than the rest, by as much as the rest is slower.
 *	causal	own: while one thread calls the function, all others are paused for what a faster
 *		function would have gained. In place of shared runs each function has controls:
 *		it is late by as much as it gains, so all are paused, and nothing is gained
 *
 * In slow and causal T = T0 + slope I, with the noise or the pause I of the own runs; in speed I is
 * the noise that a shared run has in the function. T of a control is what it takes without the
 * pauses: T0, and whatever pauses cost beyond themselves. So one estimate (slope.h) serves all.
 */
#ifndef RAROG_BLOW_MODE_H
#define RAROG_BLOW_MODE_H

#include "blow/corpus.h"
#include "plan/place-set.h"

/* What a run is there for. */
enum rarog_blow_what {
	RAROG_BLOW_PLAIN,   /* no noise, whatever the mode */
	RAROG_BLOW_SHARED,  /* compared with the runs of all functions */
	RAROG_BLOW_OWN,     /* of one function … */
	RAROG_BLOW_CONTROL, /* … and compared with its own runs */
	RAROG_BLOW_WHATS,
};

struct rarog_blow_options;

struct rarog_blow_mode {
	const char *name;
	const char *noise; /* as in JSON and in profiles; NULL: of the kind that was asked for */
	bool is_gain;      /* the estimate is the part of the run that would be gained */
	bool is_virtual;   /* the others are paused: threads settle what they owe, and each
			    * function has controls */
	bool grows;        /* the noise, from round to round */
	/* choose() - strength of the next run of @f, into f->delay_ns */
	void (*choose)(const struct rarog_blow_options *options, struct rarog_blow_function *f);
	/* act() - what becomes of the calls of @f: in its own run, its control, or in all others
	 * (RAROG_BLOW_SHARED) */
	void (*act)(const struct rarog_blow_function *f, enum rarog_blow_what what,
		    struct rarog_plan_place *place);
	/* injected() - I of a run, for @f: of what was spent in @f, or gained by it */
	double (*injected)(const struct rarog_blow_function *f, bool is_own, double gained_ns);
	/* answer() - from the slope, to what is told */
	void (*answer)(struct rarog_blow_function *f, uint64_t traced_ns);
};

/** rarog_blow_modes - the end has no name. */
extern const struct rarog_blow_mode rarog_blow_modes[];

#define RAROG_BLOW_GAIN_MOST 1.05 /* of the run: more is an error */

/** rarog_blow_is_possible() - nobody gains more than all of the run. */
bool rarog_blow_is_possible(const struct rarog_blow_mode *mode,
			    const struct rarog_blow_estimate *answer);

/** rarog_blow_mode_find() - NULL: none is called so. */
const struct rarog_blow_mode *rarog_blow_mode_find(const char *name);

#endif
