/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/plot/clouds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct reading {
	struct rarog_clouds *clouds;
	bool has_calls;
	bool (*is_wanted)(void *user, uint32_t location);
	void *user;
};

void rarog_clouds_release(struct rarog_clouds *clouds)
{
	for (size_t i = 0; i < clouds->v.n; i++) {
		free(clouds->v.v[i].x_name);
		rarog_points_release(&clouds->v.v[i].points);
	}
	rarog_vec_release(&clouds->v);
}

static int begin(struct reading *rd, uint32_t location, const char *x)
{
	struct rarog_cloud cloud = { .location = location,
				     .x_name = x ? strdup(x) : NULL,
				     .has_counts = x && !rd->has_calls,
				     .low = INFINITY,
				     .high = -INFINITY };

	if ((x && !cloud.x_name) || rarog_vec_push(&rd->clouds->v, cloud) < 0) {
		free(cloud.x_name);
		return rarog_oom();
	}
	return 0;
}

static int add_named(void *arg, uint32_t location, const char *x)
{
	struct reading *rd = arg;

	return rd->is_wanted(rd->user, location) ? begin(rd, location, x) : 0;
}

/* Points come one function after the other, mostly. */
struct rarog_cloud *rarog_cloud_of(const struct rarog_clouds *clouds, uint32_t location)
{
	for (size_t i = clouds->v.n; i > 0; i--)
		if (clouds->v.v[i - 1].location == location)
			return &clouds->v.v[i - 1];
	return NULL;
}

static int add_point(void *arg, uint32_t location, double x, double y)
{
	struct reading *rd = arg;
	struct rarog_cloud *cloud = rarog_cloud_of(rd->clouds, location);
	int r = 0;

	if (!cloud && !rd->is_wanted(rd->user, location))
		return 0;
	if (!cloud) {
		r = begin(rd, location, NULL);
		cloud = rarog_cloud_of(rd->clouds, location);
	}
	if (r < 0)
		return r;
	cloud->low = fmin(cloud->low, y);
	cloud->high = fmax(cloud->high, y);
	return rarog_points_add(&cloud->points, x, y);
}

int rarog_clouds_read(const struct rarog_run *run, bool (*is_wanted)(void *user, uint32_t location),
		      void *user, struct rarog_clouds *ret_clouds)
{
	struct reading rd = { ret_clouds, rarog_profile_has_calls(run->profile), is_wanted, user };
	const struct rarog_points_sink sink = {
		.wish.is_single = true, .point = add_point, .named = add_named, .arg = &rd
	};
	int r = rarog_points_read(run->profile, &sink);

	for (size_t i = 0; r == 0 && i < ret_clouds->v.n; i++)
		r = rarog_points_sort(&ret_clouds->v.v[i].points);
	return r;
}
