/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that changed is one in which some functions did. A machine that is slower for a while
 * slows all of them, or, where others take the processor, none: then it is only the clock that says
 * so. What lasts for days is no state of a machine.
 */
#include "check/history-machine.h"

#include <math.h>
#include <stdlib.h>

#include "base/lower-bound.h"

#define LEVEL_VALUES  30   /* as levels of series */
#define FOLLOWED_PART 0.25 /* functions that were left out may have taken the rest */
#define MOST_PART     0.5  /* of the wall time: functions that took less do not speak for it */
#define OTHERS_PART   0.1  /* of the time of all functions: less says nothing of the machine */
#define NEAR          2    /* versions */
#define LASTING       9    /* versions … */
#define LASTING_NS    (24 * 3600 * 1000000000ULL) /* … that were measured in so long a time */

/* The versions on both sides of a change in which nothing else was seen to change. */
struct window {
	uint32_t begin, end;
};

static bool is_of_another(const struct rarog_history_change *a,
			  const struct rarog_history_change *b)
{
	return a->group == b->group && a->metric == RAROG_SERIES_EXCLUSIVE && a->row != b->row;
}

static struct window window_of(size_t n, const struct rarog_history_change changes[],
			       const struct rarog_history_change *change)
{
	struct window window = { change->begin, change->end };
	uint32_t at = change->shift.version;

	for (size_t i = 0; i < n; i++) {
		uint32_t other = changes[i].shift.version;

		if (!is_of_another(&changes[i], change))
			continue;
		if (other > at + NEAR && other < window.end)
			window.end = other;
		if (other + NEAR < at && other > window.begin)
			window.begin = other;
	}
	return window;
}

static size_t total_from(const struct rarog_history_group *group, uint32_t version)
{
	return rarog_lower_bound(i, group->totals.n, group->totals.v[i].version < version);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Typical time of all functions in @group's versions [@begin, @end), those nearest to the change;
 * of two in the middle that which is nearer to @towards. 0: unknown. */
static double typical(const struct rarog_history_group *group, uint32_t begin, uint32_t end,
		      bool from_end, double towards)
{
	size_t first = total_from(group, begin), last = total_from(group, end), n = 0;
	double values[LEVEL_VALUES];

	for (size_t i = 0; i < LEVEL_VALUES && i < last - first; i++)
		values[n++] = group->totals.v[from_end ? last - 1 - i : first + i].value;
	if (n == 0)
		return 0;
	qsort(values, n, sizeof(*values), ascending);
	return fabs(values[(n - 1) / 2] - towards) < fabs(values[n / 2] - towards)
		       ? values[(n - 1) / 2]
		       : values[n / 2];
}

struct totals {
	double before, after; /* of all functions; 0: unknown */
};

static struct totals totals_of(size_t n, const struct rarog_history_change changes[],
			       const struct rarog_history_change *change)
{
	const struct window window = window_of(n, changes, change);
	uint32_t at = change->shift.version;
	struct totals totals;

	totals.before = typical(change->group, window.begin, at, true, 0);
	totals.after = typical(change->group, at, window.end, false, totals.before);
	return totals;
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
static bool have_others_moved(const struct totals *totals,
			      const struct rarog_history_change *change)
{
	double others = totals->before - change->shift.before;

	if (change->metric != RAROG_SERIES_EXCLUSIVE || change->shift.shape != RAROG_SHIFT_STEP ||
	    !isfinite(change->relative) || !(others > OTHERS_PART * totals->before) ||
	    !(totals->after > 0))
		return false;
	return ((totals->after - change->shift.after) / others - 1) / change->relative >=
		       FOLLOWED_PART &&
	       !has_lasted(change);
}

/* --- the program --- */

static bool is_of_program(const struct rarog_history_change *change)
{
	return change->metric == RAROG_SERIES_WALL || change->metric == RAROG_SERIES_TRACED_WALL;
}

/* What its functions took, less what others had of the processor, would have changed as well. */
static bool have_functions_not(const struct totals *totals,
			       const struct rarog_history_change *change)
{
	return (totals->after / totals->before - 1) / change->relative < FOLLOWED_PART;
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
	struct totals totals;

	if (!is_of_program(change) || !isfinite(change->relative))
		return false;
	/* functions that changed a little later are causes as well */
	totals = totals_of(0, NULL, change);
	if (!(totals.before > MOST_PART * change->shift.before) || !(totals.after > 0))
		return false;
	return have_functions_not(&totals, change) ||
	       (change->shift.shape == RAROG_SHIFT_STEP && !has_lasted(change) &&
		!has_cause(n, changes, change));
}

void rarog_history_mark_machine(size_t n, struct rarog_history_change changes[])
{
	for (size_t i = 0; i < n; i++) {
		const struct totals totals = totals_of(n, changes, &changes[i]);

		changes[i].is_of_machine = have_others_moved(&totals, &changes[i]);
	}
	for (size_t i = 0; i < n; i++)
		changes[i].is_of_machine |= is_of_machine(n, changes, &changes[i]);
}
