/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/points-own.h"

/* Calls of functions without captured values. */
struct numbered {
	const struct rarog_points_sink *sink;
	bool *is_given; /* by location: the points have a better x */
};

static int take_point(void *arg, const struct rarog_walked_call *call)
{
	const struct numbered *numbered = arg;
	const struct rarog_points_sink *sink = numbered->sink;

	if (numbered->is_given[call->location])
		return 0;
	return sink->point(sink->arg, call->location, (double)call->number, (double)call->ns);
}

static int points_of_calls(struct rarog_profile *profile, const struct rarog_points_sink *sink)
{
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);
	rarog_cleanup(rarog_freep) bool *is_given = n < 0 ? NULL : calloc((size_t)n + 1, 1);
	struct numbered numbered = { sink, is_given };
	int r;

	if (n < 0)
		return (int)n;
	if (!is_given)
		return rarog_oom();
	r = rarog_points_of_values(profile, sink, (size_t)n, is_given);
	return r < 0 ? r : rarog_points_walk_calls(profile, false, take_point, &numbered);
}

int rarog_points_read(struct rarog_profile *profile, const struct rarog_points_sink *sink)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n = 0;
	int r = rarog_profile_note(profile, "perun", &text, &n);

	if (r == 0)
		return rarog_points_of_perun(profile, text, n, sink);
	if (r != -ENOENT)
		return r;
	if (sink->point && rarog_profile_has_calls(profile))
		return points_of_calls(profile, sink);
	return 0;
}
