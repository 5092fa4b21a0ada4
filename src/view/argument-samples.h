/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls with the values that were captured, few enough for a plot. Of many calls every second one
 * is left out, again and again: so they stay spread evenly, and of one function's arguments they
 * are the same calls.
 */
#ifndef RAROG_VIEW_ARGUMENT_SAMPLES_H
#define RAROG_VIEW_ARGUMENT_SAMPLES_H

#include "base/vec.h"
#include "model/points-arguments.h"

struct rarog_argument_sample {
	uint32_t argument, within; /* within: RAROG_NONE, or which function a mark was passed in */
	uint64_t seen, step;       /* each step-th is kept */
	RAROG_VEC(struct rarog_argument_call) calls;
};

/* Zeroed: none. */
struct rarog_argument_samples {
	RAROG_VEC(struct rarog_argument_sample) list; /* arguments of calls, then those of marks */
};

/** rarog_argument_samples_read() - one for each argument that has values; of what a mark told one
 * for each function that it was passed in. @ret_samples: zeroed; the caller releases it, also after
 * an error. 0, -EBADMSG, -ENOMEM. */
int rarog_argument_samples_read(struct rarog_profile *profile,
				struct rarog_argument_samples *ret_samples);
void rarog_argument_samples_release(struct rarog_argument_samples *samples);

#endif
