/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which features of a model meet in a region of a program. */
#ifndef RAROG_FEATURE_MEETINGS_H
#define RAROG_FEATURE_MEETINGS_H

#include "feature/analysis.h"
#include "feature/sampling.h"

/** rarog_meetings_read() - by the features' names, or those of their options, whichever letters are
 * capitals. 0; -E2BIG: the model has more than 64; -ENODATA: none of them has a region; with
 * message. Warns of features that have none. Release in any case. */
int rarog_meetings_read(const struct rarog_feature_analysis *analysis,
			const struct rarog_feature_model *model,
			struct rarog_meetings *ret_meetings);
void rarog_meetings_release(struct rarog_meetings *meetings);

#endif
