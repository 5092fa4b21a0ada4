/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that changed is one in which some functions did. A machine that is slower for a while
 * slows all of them, or, where others take the processor, none: then it is only the clock that says
 * so. What lasts for days is no state of a machine.
 */
#include "check/history-machine.h"

#include <math.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "num/quantile.h"

#define LEVEL_VALUES  30   /* as levels of series */
#define FOLLOWED_PART 0.25 /* functions that were left out may have taken the rest */
#define MOST_PART     0.5  /* of the wall time: functions that took less do not speak for it */
#define OTHERS_PART   0.1  /* of the time of all functions: less says nothing of the machine */
#define NEAR          2    /* versions */
#define LASTING       9    /* versions … */
#define LASTING_NS    (24 * 3600 * 1000000000ULL) /* … that were measured in so long a time */

static size_t total_from(const struct rarog_history_group *group, uint32_t version)
{
	return rarog_lower_bound(i, group->totals.n, group->totals.v[i].version < version);
}

/* Typical time of all functions on one side of @change, in versions near to it; 0: unknown. */
static double total_beside(const struct rarog_history_change *change, bool before)
{
	const struct rarog_history_group *group = change->group;
	size_t begin = total_from(group, before ? change->begin : change->shift.version);
	size_t end = total_from(group, before ? change->shift.version : change->end);
	double values[LEVEL_VALUES], median = 0;
	size_t n = 0;

	for (size_t i = 0; i < LEVEL_VALUES && i < end - begin; i++)
		values[n++] = group->totals.v[before ? end - 1 - i : begin + i].value;
	if (n > 0)
		rarog_median(n, values, &median);
	return median;
}

/* --- how long --- */

static const struct rarog_history_sitting *sitting_at(const struct rarog_history_group *group,
						      uint32_t version)
{
	size_t i = rarog_lower_bound(k, group->sittings.n, group->sittings.v[k].version < version);

	return i < group->sittings.n ? &group->sittings.v[i] : NULL;
}

/* Were the versions [@begin, @end) measured in more than one state of the machine? */
static bool is_lasting(const struct rarog_history_group *group, uint32_t begin, uint32_t end)
{
	const struct rarog_history_sitting *first = sitting_at(group, begin), *last = first;
	const struct rarog_history_sitting *all = group->sittings.v + group->sittings.n;

	if (!first)
		return false;
	for (const struct rarog_history_sitting *s = first; s < all && s->version < end; s++)
		last = s;
	return last - first + 1 >= LASTING && first->first_ns > 0 &&
	       last->last_ns > first->first_ns + LASTING_NS;
}

static bool has_lasted(const struct rarog_history_change *change)
{
	return is_lasting(change->group, change->shift.version, change->end);
}

/* --- functions --- */

/* Did all other functions move with it? */
static bool have_others_moved(const struct rarog_history_change *change)
{
	double before = total_beside(change, true), after = total_beside(change, false);
	double others = before - change->shift.before;

	if (change->metric != RAROG_SERIES_EXCLUSIVE || change->shift.shape != RAROG_SHIFT_STEP ||
	    !isfinite(change->relative) || !(others > OTHERS_PART * before) || !(after > 0))
		return false;
	return ((after - change->shift.after) / others - 1) / change->relative >= FOLLOWED_PART &&
	       !has_lasted(change);
}

/* --- the program --- */

static bool is_of_program(const struct rarog_history_change *change)
{
	return change->metric == RAROG_SERIES_WALL || change->metric == RAROG_SERIES_TRACED_WALL;
}

/* What its functions took, less what others had of the processor, would have changed as well. */
static bool have_functions_not(const struct rarog_history_change *change, double before,
			       double after)
{
	return (after / before - 1) / change->relative < FOLLOWED_PART;
}

static bool is_near(const struct rarog_history_change *a, const struct rarog_history_change *b)
{
	return a->shift.version <= b->shift.version + NEAR &&
	       b->shift.version <= a->shift.version + NEAR && a->relative * b->relative > 0;
}

/* Is there a function of the same group that changed with @change, for sure? */
static bool has_cause(size_t n, const struct rarog_history_change changes[],
		      const struct rarog_history_change *change)
{
	for (size_t i = 0; i < n; i++)
		if (changes[i].group == change->group && *changes[i].row->name &&
		    changes[i].metric == RAROG_SERIES_EXCLUSIVE && !changes[i].is_of_machine &&
		    is_near(&changes[i], change))
			return true;
	return false;
}

static bool is_of_machine(size_t n, const struct rarog_history_change changes[],
			  const struct rarog_history_change *change)
{
	double before = total_beside(change, true), after = total_beside(change, false);

	if (!is_of_program(change) || !(before > MOST_PART * change->shift.before) ||
	    !(after > 0) || !isfinite(change->relative))
		return false;
	return have_functions_not(change, before, after) ||
	       (change->shift.shape == RAROG_SHIFT_STEP && !has_lasted(change) &&
		!has_cause(n, changes, change));
}

void rarog_history_mark_machine(size_t n, struct rarog_history_change changes[])
{
	for (size_t i = 0; i < n; i++)
		changes[i].is_of_machine = have_others_moved(&changes[i]);
	for (size_t i = 0; i < n; i++)
		changes[i].is_of_machine |= is_of_machine(n, changes, &changes[i]);
}
