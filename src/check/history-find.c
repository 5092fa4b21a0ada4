/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "check/history-machine.h"
#include "num/multiple.h"

#define STAIRS_LEAST 3 /* steps */
#define BESIDE       9

struct finding {
	const struct rarog_history_options *options;
	RAROG_VEC(struct rarog_history_change) all; /* of series that were tested */
	RAROG_VEC(double) p;                        /* of all, then 1 for tested ones without */
	size_t tested;
};

/* A row of the history and one of its series. */
struct place {
	const struct rarog_history_group *group;
	const struct rarog_history_row *row;
	const struct rarog_series *series;
	uint32_t begin, end; /* of the levels beside */
};

/* Is it a part of what all functions took together? */
static bool has_impact(enum rarog_series_metric metric)
{
	return metric == RAROG_SERIES_EXCLUSIVE || metric == RAROG_SERIES_INSTRUCTIONS;
}

/* Exclusive time or instructions of all functions in @version; 0: unknown. */
static double total_at(const struct rarog_history_group *group, uint32_t version)
{
	size_t low = rarog_lower_bound(i, group->totals.n, group->totals.v[i].version < version);

	return low < group->totals.n ? group->totals.v[low].value : 0;
}

/* Has it anywhere as much of the time as is looked at? What never has is not analysed. */
static bool matters(const struct rarog_history_group *group, const struct rarog_series *series,
		    const struct rarog_history_options *options)
{
	double least_share = series->metric == RAROG_SERIES_INSTRUCTIONS ? options->smallest
									 : options->least_share;

	if (!has_impact(series->metric) || series->settled.n > 0 || rarog_series_is_exact(series))
		return true;
	for (size_t i = 0; i < series->values.n; i++) {
		const struct rarog_series_value *value = &series->values.v[i];

		if (value->value >= least_share * total_at(group, value->version))
			return true;
	}
	return false;
}

static bool is_same_function(const struct rarog_history_row *a, const struct rarog_history_row *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->binary, b->binary) == 0;
}

/* Does its own time, whatever is left out below it, ever matter? */
static bool has_share(const struct rarog_history_group *group, const struct rarog_history_row *of,
		      const struct rarog_history_options *options)
{
	for (size_t i = 0; i < group->rows.n; i++) {
		const struct rarog_history_row *row = &group->rows.v[i];

		if (is_same_function(row, of) && row->series[0].n > 0 &&
		    matters(group, &row->series[0], options))
			return true;
	}
	return false;
}

/* Of functions that come and go those are told that take part enough. */
static bool is_large_count(const struct place *place, const struct rarog_shift *shift,
			   const struct rarog_history_options *options)
{
	return (shift->before > 0 && shift->after > 0) ||
	       has_share(place->group, place->row, options);
}

static bool is_large(const struct place *place, const struct rarog_shift *shift,
		     const struct rarog_history_change *change,
		     const struct rarog_history_options *options)
{
	const struct rarog_history_group *group = place->group;
	double total = total_at(group, shift->previous);

	if (change->metric == RAROG_SERIES_INSTRUCTIONS)
		return fabs(shift->after - shift->before) >= options->smallest * total;
	if (!(fabs(change->relative) >= options->least_effect))
		return false;
	if (change->metric == RAROG_SERIES_CALLS)
		return is_large_count(place, shift, options);
	return (change->metric != RAROG_SERIES_EXCLUSIVE &&
		change->metric != RAROG_SERIES_INCLUSIVE) ||
	       fmax(shift->before, shift->after) >= options->least_share * total;
}

/* Did the set of what is in the function's exclusive time change beside @shift, where series of
 * exclusive times begin, and are too short? Elsewhere they say what changed, in one place. */
static bool is_beside_set(const struct rarog_history_row *row, const struct rarog_shift *shift)
{
	for (size_t i = 1; i < row->sets.n; i++)
		if (row->sets.v[i].version + BESIDE > shift->version &&
		    row->sets.v[i].version < shift->until + BESIDE)
			return true;
	return false;
}

static struct rarog_history_change change_of(const struct place *place,
					     const struct rarog_shift *shift)
{
	double difference = shift->after - shift->before;
	double total = total_at(place->group, shift->previous);

	return (struct rarog_history_change){
		.group = place->group,
		.row = place->row,
		.metric = place->series->metric,
		.shift = *shift,
		.begin = place->begin,
		.end = place->end,
		.relative = shift->before > 0 ? difference / shift->before : INFINITY,
		.impact = has_impact(place->series->metric) && total > 0 ? difference / total : NAN,
	};
}

/* 1 it is large enough and was added, 0 not, -ENOMEM. */
static int add_shift(struct finding *finding, const struct place *place,
		     const struct rarog_shift *shift)
{
	struct rarog_history_change change = change_of(place, shift);

	if (!is_large(place, shift, &change, finding->options) ||
	    (change.metric == RAROG_SERIES_INCLUSIVE && !is_beside_set(place->row, shift)))
		return 0;
	if (rarog_vec_push(&finding->all, change) < 0 || rarog_vec_push(&finding->p, shift->p) < 0)
		return rarog_oom();
	return 1;
}

static bool is_up(const struct rarog_shift *shift)
{
	return shift->after > shift->before;
}

/* How many steps from the first on go in one direction. */
static size_t count_stairs(size_t n, const struct rarog_shift shifts[n])
{
	size_t i = 1;

	while (i < n && shifts[i].shape == RAROG_SHIFT_STEP &&
	       is_up(&shifts[i]) == is_up(&shifts[0]))
		i++;
	return i;
}

/* Several small steps are one large one, which none of them shows. */
static int add_stairs(struct finding *finding, const struct place *place, size_t n,
		      const struct rarog_shift shifts[n])
{
	struct rarog_shift stairs = shifts[0];
	int r;

	stairs.shape = RAROG_SHIFT_STAIRS;
	stairs.steps = (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);
	stairs.until = shifts[n - 1].version;
	stairs.after = shifts[n - 1].after;
	for (size_t i = 1; i < n; i++)
		stairs.p = fmax(stairs.p, shifts[i].p);
	r = add_shift(finding, place, &stairs);
	return r < 0 ? r : 0;
}

/* Between which other shifts is @i, to the last one of @n? Drifts are none, and come last. */
static void bound(const struct rarog_shifts *shifts, size_t i, size_t n, struct place *place)
{
	const struct rarog_shift *v = shifts->list.v;

	place->begin = i > 0 ? v[i - 1].version : 0;
	place->end = i + n < shifts->list.n && v[i + n].shape == RAROG_SHIFT_STEP ? v[i + n].version
										  : UINT32_MAX;
}

/* All shifts that are large enough; stairs where there are smaller ones among them. */
static int add_shifts(struct finding *finding, struct place *place,
		      const struct rarog_shifts *shifts)
{
	const struct rarog_shift *v = shifts->list.v;
	int r = 0;

	for (size_t i = 0, end; r >= 0 && i < shifts->list.n; i = end) {
		size_t shown = 0;

		end = i + count_stairs(shifts->list.n - i, v + i);
		for (size_t k = i; r >= 0 && k < end; k++) {
			bound(shifts, k, 1, place);
			r = add_shift(finding, place, &v[k]);
			shown += r > 0;
		}
		bound(shifts, i, end - i, place);
		if (r >= 0 && end - i >= STAIRS_LEAST && shown < end - i)
			r = add_stairs(finding, place, end - i, v + i);
	}
	return r < 0 ? r : 0;
}

static int add_series(struct finding *finding, const struct rarog_history_group *group,
		      const struct rarog_history_row *row, const struct rarog_series *series)
{
	struct rarog_shifts shifts = { 0 };
	int r;

	if (series->n == 0 || !matters(group, series, finding->options))
		return 0;
	finding->tested += !rarog_series_is_exact(series);
	r = rarog_series_shifts(series, &shifts);
	if (r == 0)
		r = add_shifts(finding,
			       &(struct place){ .group = group, .row = row, .series = series },
			       &shifts);
	rarog_vec_release(&shifts.list);
	return r;
}

/* Times without probes are the better ones: the others count where there are none. */
static bool is_spare(const struct rarog_history_row *row, size_t which)
{
	return !*row->name && which == 1 && row->series[0].n > 0;
}

/* Inclusive times count where exclusive ones begin anew. */
static bool is_compared(const struct rarog_history_row *row, size_t which)
{
	return which == 2 ? row->sets.n > 1 : !is_spare(row, which);
}

static int add_group(struct finding *finding, const struct rarog_history_group *group)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < group->rows.n; i++)
		for (size_t k = 0; r == 0 && k < RAROG_HISTORY_SERIES; k++)
			if (is_compared(&group->rows.v[i], k))
				r = add_series(finding, group, &group->rows.v[i],
					       &group->rows.v[i].series[k]);
	return r;
}

/* Exact changes are certain; of the others, as many are kept as the level allows. */
static int adjust(struct finding *finding)
{
	size_t n = finding->all.n, m = n > finding->tested ? n : finding->tested;
	rarog_cleanup(rarog_freep) double *q = calloc(m + 1, sizeof(*q));
	int r = q ? 0 : rarog_oom();

	while (r == 0 && finding->p.n < m)
		r = rarog_vec_push(&finding->p, 1) < 0 ? rarog_oom() : 0;
	if (r == 0 && m > 0)
		r = rarog_multiple_adjust(RAROG_MULTIPLE_BH, m, finding->p.v, q);
	for (size_t i = 0; r == 0 && i < n; i++)
		finding->all.v[i].q = q[i];
	return r;
}

/* Did the program change in the direction of @change, in the same version? Its changes are the
 * first of the group, from @of on. */
static bool has_followed(const struct rarog_history_change *of,
			 const struct rarog_history_change *change)
{
	for (; of < change && !*of->row->name; of++)
		if (of->shift.version == change->shift.version &&
		    of->relative * change->relative > 0)
			return true;
	return false;
}

static void mark_moved(struct finding *finding)
{
	struct rarog_history_change *first = finding->all.v;

	for (size_t i = 0; i < finding->all.n; i++) {
		struct rarog_history_change *change = &finding->all.v[i];

		if (change->group != first->group)
			first = change;
		if (change->metric == RAROG_SERIES_INSTRUCTIONS && *change->row->name)
			change->is_moved = !has_followed(first, change);
	}
}

static int newest_first(const void *a, const void *b)
{
	const struct rarog_history_change *x = a, *y = b;
	double by_x = isnan(x->impact) ? 0 : fabs(x->impact);
	double by_y = isnan(y->impact) ? 0 : fabs(y->impact);

	if (x->shift.until != y->shift.until)
		return x->shift.until > y->shift.until ? -1 : 1;
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	if (by_x != by_y)
		return by_x > by_y ? -1 : 1;
	return strcmp(x->row->name, y->row->name);
}

static int collect(struct finding *finding, struct rarog_history_changes *ret_changes)
{
	struct rarog_history_changes changes = { .tested = finding->tested };

	for (size_t i = 0; i < finding->all.n; i++)
		if (finding->all.v[i].q <= finding->options->level &&
		    rarog_vec_push(&changes.list, finding->all.v[i]) < 0) {
			rarog_vec_release(&changes.list);
			return rarog_oom();
		}
	if (changes.list.n > 0)
		qsort(changes.list.v, changes.list.n, sizeof(*changes.list.v), newest_first);
	*ret_changes = changes;
	return 0;
}

int rarog_history_find(const struct rarog_history *history,
		       const struct rarog_history_options *options,
		       struct rarog_history_changes *ret_changes)
{
	struct finding finding = { .options = options };
	int r = 0;

	for (size_t i = 0; r == 0 && i < history->groups.n; i++)
		r = add_group(&finding, &history->groups.v[i]);
	if (r == 0)
		r = adjust(&finding);
	if (r == 0) {
		mark_moved(&finding);
		rarog_history_mark_machine(finding.all.n, finding.all.v);
	}
	if (r == 0)
		r = collect(&finding, ret_changes);
	rarog_vec_release(&finding.all);
	rarog_vec_release(&finding.p);
	return r;
}
