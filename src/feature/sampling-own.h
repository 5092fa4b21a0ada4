/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan while it is made; between the files that make plans. */
#ifndef RAROG_FEATURE_SAMPLING_OWN_H
#define RAROG_FEATURE_SAMPLING_OWN_H

#include "base/index.h"
#include "feature/rules.h"
#include "feature/sampling.h"

/* A feature's value is a number: 0 is the first, which is off, unless the feature is mandatory. */
#define RAROG_MAKING_BARRED SIZE_MAX /* … the caller that made the plan */

struct rarog_making {
	const struct rarog_feature_model *model;
	struct rarog_rules rules;
	struct rarog_sampling *sampling;
	size_t n;
	size_t *chosen, *tried; /* [n]; tried: n for each step of a search */
	size_t *barred;  /* [n] 0: it may be put on; else what keeps it off: a step, or … */
	size_t proposed; /* configurations */
	size_t steps;    /* of a search for what else has to be on, at most */
	bool *on;        /* [n] */
	RAROG_VEC(size_t) made; /* n numbers a configuration */
	struct rarog_index made_index;
};

/** rarog_making_values() - how many values @feature has. */
size_t rarog_making_values(const struct rarog_making *m, size_t feature);

/** rarog_making_allows() - does the model allow what is chosen, with what that needs? It is added;
 * what is barred stays off. */
bool rarog_making_allows(struct rarog_making *m);

/** rarog_making_propose() - what is chosen now, if it may be and is not there yet. 0; -ENOMEM;
 * -E2BIG with message. */
int rarog_making_propose(struct rarog_making *m);

/** rarog_making_too_many() - -E2BIG, with its message */
int rarog_making_too_many(void);

/** rarog_making_fits() - may a plan have @n configurations? 0; -E2BIG with message. */
int rarog_making_fits(const struct rarog_making *m, size_t n);

/** rarog_making_take() - what is chosen now, if the model allows it as it is; nothing is put on for
 * it. 0; -ENOMEM; -E2BIG with message. */
int rarog_making_take(struct rarog_making *m);

/** rarog_making_holds() - does the model allow what is chosen as it is? */
bool rarog_making_holds(struct rarog_making *m);

/** rarog_making_combinations() - of all values, allowed or not; SIZE_MAX: more than can be counted
 */
size_t rarog_making_combinations(const struct rarog_making *m);

/** rarog_making_combine() - choose combination @number: as if values were digits of it */
void rarog_making_combine(struct rarog_making *m, size_t number);

/** rarog_making_draw() - RAROG_SAMPLING_RANDOM: @n of what is allowed. 0; -ENOMEM;
 * -E2BIG with message. */
int rarog_making_draw(struct rarog_making *m, size_t n, uint64_t seed);

/** rarog_making_cover() - RAROG_SAMPLING_REGIONS. 0; -ENOMEM; -E2BIG with message. */
int rarog_making_cover(struct rarog_making *m, const struct rarog_meetings *meetings);

#endif
