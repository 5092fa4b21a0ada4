/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of its captured values is x of a function's points. All profiles must choose alike without
 * knowing of each other, so what counts is what was asked for, not which value explains the times
 * best: the first argument that is a number, else what the first mark in the function told, else
 * what the function returned.
 */
#include <stdlib.h>

#include "base/error.h"
#include "model/points-arguments.h"
#include "model/points-own.h"

enum rank { ARGUMENT, MARK, RESULT };

struct choice {
	const struct rarog_points *points; /* NULL: none */
	enum rank rank;
	const char *name;
};

struct choices {
	size_t n; /* locations */
	struct choice *of;
};

static void offer(struct choices *choices, uint32_t location, const struct rarog_points *points,
		  enum rank rank, const char *name)
{
	struct choice *choice = location < choices->n ? &choices->of[location] : NULL;

	if (choice && points->n > 0 && (!choice->points || rank < choice->rank))
		*choice = (struct choice){ points, rank, name };
}

/* Both lists are in the order of the arguments. */
static void choose(const struct rarog_argument_points *points,
		   const struct rarog_argument arguments[], struct choices *choices)
{
	for (size_t i = 0; i < points->n; i++)
		offer(choices, arguments[i].location, &points->of[i],
		      arguments[i].is_return ? RESULT : ARGUMENT, arguments[i].name);
	for (size_t i = 0; i < points->within.n; i++)
		offer(choices, points->within.v[i].location, &points->within.v[i].points, MARK,
		      arguments[points->within.v[i].argument].name);
}

static int give(const struct choice *choice, uint32_t location,
		const struct rarog_points_sink *sink)
{
	const struct rarog_points *points = choice->points;
	int r = sink->named ? sink->named(sink->arg, location, choice->name) : 0;

	for (size_t i = 0; r == 0 && i < points->n; i++)
		r = sink->point(sink->arg, location, points->x[i], points->y[i]);
	return r;
}

int rarog_points_of_values(struct rarog_profile *profile, const struct rarog_points_sink *sink,
			   size_t n_locations, bool is_given[])
{
	const struct rarog_argument *arguments;
	struct rarog_argument_points points;
	struct choices choices = { .n = n_locations };
	long n = rarog_profile_arguments(profile, &arguments);
	int r;

	if (n <= 0)
		return (int)n;
	r = rarog_argument_points_read(profile, &points);
	if (r < 0)
		return r;
	choices.of = calloc(n_locations + 1, sizeof(*choices.of));
	if (choices.of)
		choose(&points, arguments, &choices);
	else
		r = rarog_oom();
	for (uint32_t i = 0; r == 0 && i < n_locations; i++) {
		is_given[i] = choices.of[i].points;
		if (is_given[i])
			r = give(&choices.of[i], i, sink);
	}
	free(choices.of);
	rarog_argument_points_release(&points);
	return r;
}
