/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog collect features: which regions are measured. */
#ifndef RAROG_CMD_COLLECT_FEATURES_H
#define RAROG_CMD_COLLECT_FEATURES_H

#include "cmd/collect-way.h"
#include "feature/regions.h"
#include "plan/plan.h"

/** rarog_collect_features_choose() - if the collector of @way measures regions: those of @program,
 * or of the file that the process of @attachment runs, are found, said, and put into @plan, which
 * borrows them of @regions. 0; -errno with message. */
int rarog_collect_features_choose(const struct rarog_feature_options *options,
				  const struct rarog_collect_way *way, const char *program,
				  const struct rarog_attachment *attachment,
				  struct rarog_feature_regions *regions, struct rarog_plan *plan);

#endif
