/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point that the author of the program has set says it best: of several the one that is passed
 * most. Else a function that is called again and again and is on the stack for most of the time:
 * what it does is the step that the program repeats.
 */
#include "blow/progress-point.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "profile/off-cpu.h"

int rarog_blow_points_add(struct rarog_blow_points *points, const char *name, uint64_t passes)
{
	struct rarog_blow_point point = { strdup(name), passes };

	if (point.name && rarog_vec_push(&points->v, point) == 0)
		return 0;
	free(point.name);
	return rarog_oom();
}

void rarog_blow_points_release(struct rarog_blow_points *points)
{
	for (size_t i = 0; i < points->v.n; i++)
		free(points->v.v[i].name);
	rarog_vec_release(&points->v);
}

#define LEAST_PASSES 10
#define LEAST_PART   5 /* of the longest total of all, a fifth */

struct found {
	const struct rarog_off_cpu_table *off_cpu;
	const struct rarog_summary *point, *function;
	uint64_t longest; /* own_total() of any function, whatever its calls */
};

/* Without what others had of its processor: which one is taken is not theirs to say. */
static uint64_t own_total(const struct found *found, const struct rarog_summary *one)
{
	const struct rarog_off_cpu_table *table = found->off_cpu;
	uint64_t others =
		one->location < table->n_locations ? table->over[one->location].total_preempted : 0;

	return one->total > others ? one->total - others : 0;
}

static void look_at(struct found *found, const struct rarog_location *location,
		    const struct rarog_summary *one)
{
	uint64_t total = own_total(found, one);

	if (location->kind == RAROG_LOCATION_FUNCTION && total > found->longest)
		found->longest = total;
	if (one->count < LEAST_PASSES)
		return;
	if (location->kind == RAROG_LOCATION_POINT &&
	    (!found->point || one->count > found->point->count))
		found->point = one;
	if (location->kind == RAROG_LOCATION_FUNCTION &&
	    (!found->function || total > own_total(found, found->function)))
		found->function = one;
}

int rarog_blow_progress_choose(struct rarog_profile *profile, char **ret_name)
{
	const struct rarog_location *locations;
	const struct rarog_summary *summaries, *best;
	long n = rarog_profile_summaries(profile, &summaries);
	long n_locations = rarog_profile_locations(profile, &locations);
	rarog_cleanup(rarog_off_cpu_table_release) struct rarog_off_cpu_table off_cpu = { 0 };
	struct found found = { .off_cpu = &off_cpu };
	int r = rarog_off_cpu_table_load(profile, false, &off_cpu);

	if (r < 0 || n < 0 || n_locations < 0)
		return r < 0 ? r : -EBADMSG;
	for (long i = 0; i < n; i++)
		if (summaries[i].strand == RAROG_NONE &&
		    summaries[i].location < (uint32_t)n_locations)
			look_at(&found, &locations[summaries[i].location], &summaries[i]);
	best = found.point ? found.point : found.function;
	if (!best ||
	    (best == found.function && own_total(&found, best) < found.longest / LEAST_PART))
		return 0;
	*ret_name = strdup(locations[best->location].name);
	return *ret_name ? 0 : rarog_oom();
}
