/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where points come from; for points-*.c only. Both: 0, also when there are none, or an error. */
#ifndef RAROG_MODEL_POINTS_OWN_H
#define RAROG_MODEL_POINTS_OWN_H

#include "model/points.h"

/** rarog_points_of_calls() - of the calls; sink->point is not NULL. */
int rarog_points_of_calls(struct rarog_profile *profile, const struct rarog_points_sink *sink);

/** rarog_points_of_perun() - of the original @text[@n] of an imported profile; consumes nothing. */
int rarog_points_of_perun(struct rarog_profile *profile, const char *text, size_t n,
			  const struct rarog_points_sink *sink);

#endif
