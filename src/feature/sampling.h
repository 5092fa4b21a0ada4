/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which configurations of a program are worth measuring: plans over the options of a feature model.
 * None proposes what the model forbids. */
#ifndef RAROG_FEATURE_SAMPLING_H
#define RAROG_FEATURE_SAMPLING_H

#include "feature/model-file.h"
#include "store/configuration.h"

enum rarog_sampling_plan {
	RAROG_SAMPLING_FEATURE_WISE, /* each option by itself, at each of its values */
	RAROG_SAMPLING_PAIR_WISE,    /* and each two together, at their last values */
	RAROG_SAMPLING_RANDOM,
	RAROG_SAMPLING_REGIONS, /* all combinations of what meets in a region, in few */
	RAROG_SAMPLING_ALL,
	RAROG_SAMPLING_PAIRS, /* each two values of two options together, in few */
};

extern const char *const rarog_sampling_names[]; /* NULL at the end */

#define RAROG_SAMPLING_MOST  20000     /* configurations */
#define RAROG_SAMPLING_CELLS 4000000   /* values: one of each option in each configuration */
#define RAROG_SAMPLING_TRIED 100000000 /* … that are tried, be they allowed and new or not */
#define RAROG_SAMPLING_COUNT 30

/* Features of a model that meet in a region of a program: their numbers in the model, as bits. */
struct rarog_meetings {
	RAROG_VEC(uint64_t) sets;
};

struct rarog_sampling_request {
	enum rarog_sampling_plan plan;
	size_t n;      /* of a random plan, 0: RAROG_SAMPLING_COUNT; another has random ones besides
			* until there are so many … */
	uint64_t seed; /* … */
	const struct rarog_meetings *meetings; /* for RAROG_SAMPLING_REGIONS */
};

struct rarog_sampling {
	RAROG_VEC(struct rarog_configuration) list;
	size_t n_forbidden; /* that were proposed and are not allowed */
};

/** rarog_sampling_make() - 0; -ENOMEM; -EDOM: the model has no option, or forbids all; -E2BIG: too
 * many; with message. Release in any case. */
int rarog_sampling_make(const struct rarog_feature_model *model,
			const struct rarog_sampling_request *request,
			struct rarog_sampling *ret_sampling);
void rarog_sampling_release(struct rarog_sampling *sampling);

#endif
