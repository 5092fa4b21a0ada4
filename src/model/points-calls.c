/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points of a profile that has its calls: x is the number of the call among those of its function
 * and strand, from 1; y how long it took, without what rarog made it wait. Strand after strand.
 */
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "model/points-own.h"

struct open_call {
	uint32_t location;
	uint64_t number, begin; /* 0: it began before what is there */
	uint64_t below;         /* ticks of what it called */
	uint64_t entered;       /* by the profile's clock */
};

/* A point that was passed for the last time so far in the call at this depth. */
struct passed {
	size_t depth;
	uint32_t location;
	uint64_t number;
};

struct walk {
	int (*take)(void *arg, const struct rarog_walked_call *call);
	void *arg;
	uint32_t strand;
	const struct rarog_clock *rate;
	size_t n_locations;
	uint64_t *numbers; /* calls so far, by location */
	uint64_t ticks;    /* the program's own */
	uint64_t now;      /* by the profile's clock: with what was waited for rarog */
	RAROG_VEC(struct open_call) open;
	const struct rarog_location *locations; /* NULL: points are calls like others */
	RAROG_VEC(struct passed) passed;        /* points, in calls that are open */
};

static void walk_release(struct walk *walk)
{
	rarog_vec_release(&walk->open);
	rarog_vec_release(&walk->passed);
	free(walk->numbers);
}

static int enter(struct walk *walk, uint32_t location)
{
	struct open_call call = { .location = location,
				  .begin = walk->ticks,
				  .entered = walk->now };

	if (location < walk->n_locations)
		call.number = ++walk->numbers[location];
	return rarog_vec_push(&walk->open, call) < 0 ? rarog_oom() : 0;
}

static bool is_point(const struct walk *walk, const struct open_call *call)
{
	return walk->locations && call->location < walk->n_locations &&
	       walk->locations[call->location].kind == RAROG_LOCATION_POINT;
}

static int pass(struct walk *walk, const struct open_call *point)
{
	struct passed passed = { walk->open.n, point->location, point->number };

	for (size_t i = walk->passed.n; i > 0 && walk->passed.v[i - 1].depth == passed.depth; i--)
		if (walk->passed.v[i - 1].location == passed.location) {
			walk->passed.v[i - 1] = passed;
			return 0;
		}
	return rarog_vec_push(&walk->passed, passed) < 0 ? rarog_oom() : 0;
}

/* The points of @caller, that was open at @depth: what they told is of the time that it took. */
static int take_passed(struct walk *walk, size_t depth, bool is_whole,
		       const struct rarog_walked_call *caller)
{
	struct rarog_walked_call point = *caller;
	int r = 0;

	while (walk->passed.n > 0 && walk->passed.v[walk->passed.n - 1].depth >= depth) {
		struct passed passed = walk->passed.v[--walk->passed.n];

		point.location = passed.location;
		point.number = passed.number;
		if (r == 0 && is_whole && passed.depth == depth && passed.number > 0)
			r = walk->take(walk->arg, &point);
	}
	return r;
}

static int leave(struct walk *walk, bool is_whole)
{
	struct rarog_walked_call walked;
	struct open_call call;
	uint64_t ticks;
	int r;

	if (walk->open.n == 0)
		return 0;
	call = walk->open.v[--walk->open.n];
	if (is_point(walk, &call))
		return pass(walk, &call);
	ticks = walk->ticks - call.begin;
	if (walk->open.n > 0)
		walk->open.v[walk->open.n - 1].below += ticks;
	is_whole = is_whole && call.number > 0;
	walked = (struct rarog_walked_call){ .strand = walk->strand,
					     .location = call.location,
					     .number = call.number,
					     .timed = call.location,
					     .entered_ticks = call.entered };
	if (is_whole) {
		walked.ns = rarog_clock_ns(walk->rate, ticks);
		walked.exclusive_ns = rarog_clock_ns(walk->rate, ticks - call.below);
	}
	r = take_passed(walk, walk->open.n + 1, is_whole, &walked);
	return r < 0 || !is_whole ? r : walk->take(walk->arg, &walked);
}

/* What a block says was open before it is what we think, unless events were lost. */
static int agree(struct walk *walk, const struct rarog_calls *calls)
{
	while (walk->open.n > calls->n_open)
		walk->open.n--;
	while (walk->passed.n > 0 && walk->passed.v[walk->passed.n - 1].depth > walk->open.n)
		walk->passed.n--;
	for (size_t i = walk->open.n; i < calls->n_open; i++)
		if (rarog_vec_push(&walk->open, (struct open_call){ .location = calls->open[i] }) <
		    0)
			return rarog_oom();
	return 0;
}

static int step(struct walk *walk, uint32_t op, uint64_t delta)
{
	if (op != RAROG_OP_LOST)
		walk->now += delta;
	switch (op) {
	case RAROG_OP_WAIT:
		return 0; /* not the program's time */
	case RAROG_OP_LOST:
		for (size_t i = 0; i < walk->open.n; i++)
			walk->open.v[i].number = 0;
		return 0;
	case RAROG_OP_RETURN:
	case RAROG_OP_UNWOUND:
	case RAROG_OP_CLOSED:
		walk->ticks += delta;
		return leave(walk, op != RAROG_OP_CLOSED);
	default:
		walk->ticks += delta;
		return op < RAROG_OP_ENTRY ? 0 : enter(walk, op - RAROG_OP_ENTRY);
	}
}

static int walk_strand(struct walk *walk, struct rarog_profile *profile, uint32_t strand)
{
	rarog_cleanup(rarog_calls_cursor_freep) struct rarog_calls_cursor *cursor = NULL;
	struct rarog_calls calls;
	int r = rarog_calls_cursor_new(profile, strand, &cursor);

	walk->strand = strand;
	memset(walk->numbers, 0, walk->n_locations * sizeof(*walk->numbers));
	walk->open.n = 0;
	walk->passed.n = 0;
	walk->now = 0;
	while (r == 0 && (r = rarog_calls_next(cursor, &calls)) > 0) {
		if (calls.start_ticks > walk->now)
			walk->now = calls.start_ticks;
		r = agree(walk, &calls);
		for (size_t i = 0; r == 0 && i < calls.n; i++)
			r = step(walk, calls.op[i], calls.delta[i]);
	}
	return r;
}

int rarog_points_walk_calls(struct rarog_profile *profile, bool points_are_of_callers,
			    int (*take)(void *arg, const struct rarog_walked_call *call), void *arg)
{
	rarog_cleanup(walk_release) struct walk walk = { .take = take,
							 .arg = arg,
							 .rate = rarog_profile_clock(profile) };
	const struct rarog_location *locations;
	const struct rarog_strand *strands;
	long n_locations = rarog_profile_locations(profile, &locations);
	long n_strands = rarog_profile_strands(profile, &strands);
	int r = 0;

	if (n_locations < 0 || n_strands < 0)
		return (int)(n_locations < 0 ? n_locations : n_strands);
	walk.n_locations = (size_t)n_locations;
	walk.locations = points_are_of_callers ? locations : NULL;
	walk.numbers = calloc(walk.n_locations + 1, sizeof(*walk.numbers));
	if (!walk.numbers)
		return rarog_oom();
	for (long i = 0; r == 0 && i < n_strands; i++)
		r = walk_strand(&walk, profile, (uint32_t)i);
	return r;
}
