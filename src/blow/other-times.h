/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What noise in a function does to other times than the one that rounds go by: that of each thread,
 * and that for passages of each progress point. All are measured in the same runs.
 */
#ifndef RAROG_BLOW_OTHER_TIMES_H
#define RAROG_BLOW_OTHER_TIMES_H

#include "blow/blow.h"

/** rarog_blow_scale() - by which a run's time, and its noise, is that of as many passages of a
 * point as there were in the traced run. 1: there is no such point; NAN: it was not passed. */
double rarog_blow_scale(const struct rarog_blow_result *result, size_t point,
			const uint64_t passes[]);

/** rarog_blow_keep_record() - of the run that was made last. 0; -ENOMEM. */
int rarog_blow_keep_record(struct rarog_blow_result *result, double time_ns,
			   const uint64_t passes[]);

/** rarog_blow_find_spells() - by the controls of all functions but @f, for passages of @point. The
 * caller releases spells->v, also on failure. 0; -ENOMEM. */
int rarog_blow_find_spells(const struct rarog_blow_result *result,
			   const struct rarog_blow_function *f, size_t point,
			   struct rarog_blow_spells *spells);

/** rarog_blow_estimate_others() - result->effects and point_effects. 0; -ENOMEM. */
int rarog_blow_estimate_others(const struct rarog_blow_options *options,
			       struct rarog_random *random, struct rarog_blow_result *result);

/* A function faster by a part of itself, and by what part of itself the program was then. */
struct rarog_blow_step {
	double part, gain;
	size_t runs;
};

/* The profile of speed-up: of causal. Zeroed: empty. */
struct rarog_blow_curve {
	RAROG_VEC(struct rarog_blow_step) v; /* by part */
};

/** rarog_blow_curve_of() - for passages of @point, 0 also if there is none: for the run. 0;
 * -ENOMEM.
 */
int rarog_blow_curve_of(const struct rarog_blow_result *result, const struct rarog_blow_function *f,
			size_t point, struct rarog_blow_curve *ret_curve);

#endif
