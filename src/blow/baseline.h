/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does the run without noise say that noise would tell something? */
#ifndef RAROG_BLOW_BASELINE_H
#define RAROG_BLOW_BASELINE_H

#include "blow/run.h"

/** rarog_blow_first_timeout() - of the run whose length is not known yet: one that takes all of the
 * budget tells nothing. 0: none. */
uint64_t rarog_blow_first_timeout(const struct rarog_blow_options *options);

/** rarog_blow_check_baseline() - the passages of @run become those of the result's points. 0;
 * -errno with message: what is to be done. */
int rarog_blow_check_baseline(const struct rarog_blow_options *options,
			      struct rarog_blow_result *result,
			      const struct rarog_blow_outcome *run);

#endif
