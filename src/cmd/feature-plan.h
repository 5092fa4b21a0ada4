/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog feature plan: configurations worth measuring. */
#ifndef RAROG_CMD_FEATURE_PLAN_H
#define RAROG_CMD_FEATURE_PLAN_H

#include "feature/sampling.h"
#include "plan/feature-options.h"

/** rarog_feature_plan() - of the model file that @what names. @program: whose regions are covered,
 * as far as @what looks for them; NULL: none is said. 0; -errno with message. */
int rarog_feature_plan(const struct rarog_feature_options *what, const char *program,
		       const struct rarog_sampling_request *request, bool json);

#endif
