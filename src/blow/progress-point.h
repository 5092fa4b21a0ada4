/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What progress is measured by, also where nobody says it. */
#ifndef RAROG_BLOW_PROGRESS_POINT_H
#define RAROG_BLOW_PROGRESS_POINT_H

#include "base/vec.h"
#include "profile/reader.h"

#define RAROG_BLOW_POINTS_MOST   16
#define RAROG_BLOW_PROGRESS_AUTO "auto"

struct rarog_blow_point {
	char *name;
	uint64_t passes; /* in the traced run */
};

/* Zeroed: none. */
struct rarog_blow_points {
	RAROG_VEC(struct rarog_blow_point) v;
};

/** rarog_blow_points_add() - 0; -ENOMEM. */
int rarog_blow_points_add(struct rarog_blow_points *points, const char *name, uint64_t passes);
void rarog_blow_points_release(struct rarog_blow_points *points);

/**
 * rarog_blow_progress_choose() - from what one traced run counted
 * @ret_name: malloc'd; NULL: nothing there stands for progress
 *
 * Return: 0; -EBADMSG; -ENOMEM.
 */
int rarog_blow_progress_choose(struct rarog_profile *profile, char **ret_name);

#endif
