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
};

extern const char *const rarog_sampling_names[]; /* NULL at the end */

struct rarog_sampling {
	RAROG_VEC(struct rarog_configuration) list;
	size_t n_forbidden; /* that were proposed and are not allowed */
};

/** rarog_sampling_make() - @n, @seed: of a random plan. 0; -ENOMEM; -EDOM: the model has no option.
 * Release in any case. */
int rarog_sampling_make(const struct rarog_feature_model *model, enum rarog_sampling_plan plan,
			size_t n, uint64_t seed, struct rarog_sampling *ret_sampling);
void rarog_sampling_release(struct rarog_sampling *sampling);

#endif
