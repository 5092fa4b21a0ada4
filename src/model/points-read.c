/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points of a profile. Which of its captured values is x of a function's points? All profiles must
 * choose alike without knowing of each other, so what counts is what was asked for, not which value
 * explains the times best: the first argument that is a number, else what the first mark in the
 * function told, else what the function returned.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/points-arguments.h"
#include "model/points-own.h"

enum rank { ARGUMENT, MARK, RESULT };

struct choice {
	const struct rarog_points *points; /* NULL: none */
	enum rank rank;
	uint32_t argument;
	bool is_within; /* a mark told it in calls of the function */
};

struct choices {
	size_t n; /* locations */
	struct choice *of;
};

static void offer(struct choices *choices, uint32_t location, const struct rarog_points *points,
		  enum rank rank, uint32_t argument)
{
	struct choice *choice = location < choices->n ? &choices->of[location] : NULL;

	if (choice && points->seen > 0 && (!choice->points || rank < choice->rank))
		*choice = (struct choice){ points, rank, argument, rank == MARK };
}

static bool is_wanted(const struct rarog_argument *argument, const char *wanted)
{
	return !wanted || strcmp(argument->name, wanted) == 0;
}

/* Both lists are in the order of the arguments. */
static void choose(const struct rarog_argument_points *points,
		   const struct rarog_argument arguments[], const char *wanted,
		   struct choices *choices)
{
	for (size_t i = 0; i < points->n; i++)
		if (is_wanted(&arguments[i], wanted))
			offer(choices, arguments[i].location, &points->of[i],
			      arguments[i].is_return ? RESULT : ARGUMENT, (uint32_t)i);
	for (size_t i = 0; i < points->within.n; i++) {
		const struct rarog_points_within *within = &points->within.v[i];

		if (is_wanted(&arguments[within->argument], wanted))
			offer(choices, within->location, &within->points, MARK, within->argument);
	}
}

static int give(const struct choice *choice, uint32_t location, const char *name,
		const struct rarog_points_sink *sink)
{
	const struct rarog_points *points = choice->points;
	int r = sink->named ? sink->named(sink->arg, location, name) : 0;

	if (r < 0 || sink->wish.is_single)
		return r;
	if (sink->points)
		return sink->points(sink->arg, location, points);
	for (size_t i = 0; r == 0 && points->groups && i < points->groups->list.n; i++)
		r = sink->point(sink->arg, location, points->groups->list.v[i].x,
				points->groups->list.v[i].y);
	for (size_t i = 0; r == 0 && i < points->n; i++)
		r = sink->point(sink->arg, location, points->x[i], points->y[i]);
	return r;
}

/* What was chosen, call by call. */
struct singles {
	const struct choices *choices;
	const struct rarog_argument *arguments;
	const struct rarog_points_sink *sink;
};

static int give_single(void *arg, const struct rarog_argument_call *call)
{
	const struct singles *s = arg;
	bool is_within = call->within != RAROG_NONE;
	uint32_t location = is_within ? call->within : s->arguments[call->argument].location;
	const struct choice *choice = location < s->choices->n ? &s->choices->of[location] : NULL;

	if (!choice || !choice->points || choice->argument != call->argument ||
	    choice->is_within != is_within || !isfinite(call->x) || !isfinite(call->y))
		return 0;
	return s->sink->point(s->sink->arg, location, call->x,
			      s->sink->wish.is_exclusive ? call->exclusive_y : call->y);
}

static bool is_order(const struct rarog_points_sink *sink)
{
	return sink->wish.x && strcmp(sink->wish.x, RAROG_POINTS_ORDER) == 0;
}

/* Of the functions with captured values. @is_given: of which of all locations, all false before */
static int points_of_values(struct rarog_profile *profile, const struct rarog_points_sink *sink,
			    size_t n_locations, bool is_given[])
{
	const struct rarog_argument *arguments;
	struct rarog_argument_points points;
	struct choices choices = { .n = n_locations };
	long n = rarog_profile_arguments(profile, &arguments);
	int r;

	if (n <= 0 || is_order(sink))
		return n < 0 ? (int)n : 0;
	r = rarog_argument_points_read(profile, sink->wish.cost, sink->wish.is_exclusive, &points);
	if (r < 0)
		return r;
	choices.of = calloc(n_locations + 1, sizeof(*choices.of));
	if (choices.of)
		choose(&points, arguments, sink->wish.x, &choices);
	else
		r = rarog_oom();
	for (uint32_t i = 0; r == 0 && i < n_locations; i++) {
		is_given[i] = choices.of[i].points;
		if (is_given[i])
			r = give(&choices.of[i], i, arguments[choices.of[i].argument].name, sink);
	}
	if (r == 0 && sink->wish.is_single)
		r = rarog_argument_calls(profile, sink->wish.cost, give_single,
					 &(struct singles){ .choices = &choices,
							    .arguments = arguments,
							    .sink = sink });
	free(choices.of);
	rarog_argument_points_release(&points);
	return r;
}

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
	return sink->point(sink->arg, call->location, (double)call->number,
			   (double)(sink->wish.is_exclusive ? call->exclusive_ns : call->ns));
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
	r = points_of_values(profile, sink, (size_t)n, is_given);
	if (r < 0 || !rarog_profile_has_calls(profile) || (sink->wish.x && !is_order(sink)))
		return r;
	return rarog_points_walk_calls(profile, false, take_point, &numbered);
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
	return sink->point ? points_of_calls(profile, sink) : 0;
}
