/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clouds of points: what each call of a function took. */
#ifndef RAROG_VIEW_PLOT_CLOUDS_H
#define RAROG_VIEW_PLOT_CLOUDS_H

#include "base/vec.h"
#include "model/points.h"
#include "view/run.h"

struct rarog_cloud {
	uint32_t location;
	char *x_name;               /* of the captured value; NULL: x is the order of the call */
	bool has_counts;            /* y are instructions, else ns */
	struct rarog_points points; /* sorted; of groups their means */
	double low, high;           /* y of single calls */
};

/* Zeroed: none. */
struct rarog_clouds {
	RAROG_VEC(struct rarog_cloud) v;
};

/**
 * rarog_clouds_read() - of all functions that are wanted
 * @ret_clouds: zeroed; the caller releases it, also after an error
 *
 * Return: 0, also when there are none; -EBADMSG, -ENOMEM.
 */
int rarog_clouds_read(const struct rarog_run *run, bool (*is_wanted)(void *user, uint32_t location),
		      void *user, struct rarog_clouds *ret_clouds);

/** rarog_cloud_of() - the cloud of a function; NULL: it has none. */
struct rarog_cloud *rarog_cloud_of(const struct rarog_clouds *clouds, uint32_t location);

void rarog_clouds_release(struct rarog_clouds *clouds);

#endif
