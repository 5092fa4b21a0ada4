/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points of a profile that has its calls: x is the number of the call of its function, from 1, in
 * the order of the file (time, within a strand); y how long it took, without what rarog made it
 * wait.
 */
#include <errno.h>

#include "base/error.h"
#include "base/vec.h"
#include "model/points-own.h"

struct open_call {
	uint32_t location;
	uint64_t number, begin; /* 0: it began before what is there */
};

struct strand {
	uint64_t ticks; /* the program's own */
	RAROG_VEC(struct open_call) open;
};

struct walk {
	const struct rarog_points_sink *sink;
	const struct rarog_clock *clock;
	size_t n_locations, n_strands;
	uint64_t *numbers; /* calls so far, by location */
	struct strand *strands;
};

static void walk_release(struct walk *walk)
{
	for (size_t i = 0; walk->strands && i < walk->n_strands; i++)
		rarog_vec_release(&walk->strands[i].open);
	free(walk->strands);
	free(walk->numbers);
}

static int enter(struct walk *walk, struct strand *strand, uint32_t location)
{
	struct open_call call = { .location = location, .begin = strand->ticks };

	if (location < walk->n_locations)
		call.number = ++walk->numbers[location];
	return rarog_vec_push(&strand->open, call) < 0 ? rarog_oom() : 0;
}

static int leave(struct walk *walk, struct strand *strand, bool is_whole)
{
	struct open_call call;
	uint64_t ns;

	if (strand->open.n == 0)
		return 0;
	call = strand->open.v[--strand->open.n];
	if (call.number == 0 || !is_whole)
		return 0;
	ns = rarog_clock_ns(walk->clock, strand->ticks - call.begin);
	return walk->sink->point(walk->sink->arg, call.location, (double)call.number, (double)ns);
}

/* What a block says was open before it is what we think, unless events were lost. */
static int agree(struct strand *strand, const struct rarog_calls *calls)
{
	while (strand->open.n > calls->n_open)
		strand->open.n--;
	for (size_t i = strand->open.n; i < calls->n_open; i++)
		if (rarog_vec_push(&strand->open,
				   (struct open_call){ .location = calls->open[i] }) < 0)
			return rarog_oom();
	return 0;
}

static int step(struct walk *walk, struct strand *strand, uint32_t op, uint64_t delta)
{
	switch (op) {
	case RAROG_OP_WAIT:
		return 0; /* not the program's time */
	case RAROG_OP_LOST:
		for (size_t i = 0; i < strand->open.n; i++)
			strand->open.v[i].number = 0;
		return 0;
	case RAROG_OP_RETURN:
	case RAROG_OP_UNWOUND:
	case RAROG_OP_CLOSED:
		strand->ticks += delta;
		return leave(walk, strand, op != RAROG_OP_CLOSED);
	default:
		strand->ticks += delta;
		return op < RAROG_OP_ENTRY ? 0 : enter(walk, strand, op - RAROG_OP_ENTRY);
	}
}

static int walk_block(struct walk *walk, const struct rarog_calls *calls)
{
	struct strand *strand =
		calls->strand < walk->n_strands ? &walk->strands[calls->strand] : NULL;
	int r = strand ? agree(strand, calls) : 0;

	for (size_t i = 0; r == 0 && strand && i < calls->n; i++)
		r = step(walk, strand, calls->op[i], calls->delta[i]);
	return r;
}

static int prepare(struct rarog_profile *profile, struct walk *walk)
{
	const struct rarog_location *locations;
	const struct rarog_strand *strands;
	long n_locations = rarog_profile_locations(profile, &locations);
	long n_strands = rarog_profile_strands(profile, &strands);

	if (n_locations < 0 || n_strands < 0)
		return (int)(n_locations < 0 ? n_locations : n_strands);
	walk->n_locations = (size_t)n_locations;
	walk->n_strands = (size_t)n_strands;
	walk->clock = rarog_profile_clock(profile);
	walk->numbers = calloc(walk->n_locations + 1, sizeof(*walk->numbers));
	walk->strands = calloc(walk->n_strands + 1, sizeof(*walk->strands));
	return walk->numbers && walk->strands ? 0 : rarog_oom();
}

int rarog_points_of_calls(struct rarog_profile *profile, const struct rarog_points_sink *sink)
{
	rarog_cleanup(rarog_calls_cursor_freep) struct rarog_calls_cursor *cursor = NULL;
	rarog_cleanup(walk_release) struct walk walk = { .sink = sink };
	struct rarog_calls calls;
	int r = prepare(profile, &walk);

	if (r == 0)
		r = rarog_calls_cursor_new(profile, RAROG_NONE, &cursor);
	while (r == 0 && (r = rarog_calls_next(cursor, &calls)) > 0)
		r = walk_block(&walk, &calls);
	return r;
}
