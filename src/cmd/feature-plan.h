/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog feature plan: configurations worth measuring. */
#ifndef RAROG_CMD_FEATURE_PLAN_H
#define RAROG_CMD_FEATURE_PLAN_H

#include "feature/sampling.h"

/** rarog_feature_plan() - of the model file @model. @program: whose regions are covered; NULL: none
 * is said. 0; -errno with message. */
int rarog_feature_plan(const char *model, const char *program,
		       const struct rarog_sampling_request *request, bool json);

#endif
