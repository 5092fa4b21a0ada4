/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan while it is made; between the files that make plans. */
#ifndef RAROG_FEATURE_SAMPLING_OWN_H
#define RAROG_FEATURE_SAMPLING_OWN_H

#include "feature/sampling.h"

/* A feature's value is a number: 0 is the first, which is off, unless the feature is mandatory. */
struct rarog_making {
	const struct rarog_feature_model *model;
	struct rarog_sampling *sampling;
	size_t n;
	size_t *chosen, *tried; /* [n] */
	const char **on;
	RAROG_VEC(size_t) made; /* n numbers a configuration */
};

/** rarog_making_values() - how many values @feature has. */
size_t rarog_making_values(const struct rarog_making *m, size_t feature);

/** rarog_making_allows() - does the model allow what is chosen, with what that needs? It is added.
 */
bool rarog_making_allows(struct rarog_making *m);

/** rarog_making_propose() - what is chosen now, if it may be and is not there yet. 0; -ENOMEM. */
int rarog_making_propose(struct rarog_making *m);

/** rarog_making_cover() - RAROG_SAMPLING_REGIONS. 0; -ENOMEM; -E2BIG with message. */
int rarog_making_cover(struct rarog_making *m, const struct rarog_meetings *meetings);

#endif
