/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions get no more noise after a round. */
#ifndef RAROG_BLOW_SHRINK_H
#define RAROG_BLOW_SHRINK_H

#include "blow/blow.h"

#define RAROG_BLOW_SURE_RUNS                                                                       \
	6 /* with noise, before a function leaves: of four some are narrow by chance */

/** rarog_blow_shrink() - of those that are open: which are known well enough; by halves, also which
 * matter least. 0; -ENOMEM. */
int rarog_blow_shrink(const struct rarog_blow_options *options, struct rarog_blow_result *result);

#endif
