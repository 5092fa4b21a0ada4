/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do probes falsify what features cost? */
#ifndef RAROG_VIEW_FEATURE_PROBES_H
#define RAROG_VIEW_FEATURE_PROBES_H

#include "view/feature-sums.h"

/** rarog_feature_probes_say() - a sentence, if probes took more than a tenth of all that ran or of
 * a feature that has one percent of it; NULL: they did not, or there is no memory. The caller's. */
char *rarog_feature_probes_say(const struct rarog_feature_sums *sums, const struct rarog_run *run);

#endif
