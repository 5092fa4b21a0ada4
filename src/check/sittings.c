/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The difference of two sittings, as logarithms, has twice the variance of one; t, since that is
 * estimated. The interval of sittings and that of the runs are both true, so the wider counts.
 */
#include "check/sittings.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"
#include "check/judge.h"
#include "check/spread.h"

#define LEVEL 0.99 /* of the interval: tails of sittings are longer than t's */

/* --- when runs were made --- */

#define TURNS_LEAST 3    /* fewer are made by one run that was added later */
#define TURNS_PART  0.75 /* of the runs of the version that has fewer: rounds have one each */
#define GAP_UNKNOWN UINT64_MAX

struct start {
	uint64_t ns;
	enum rarog_side_index side;
};

struct starts {
	RAROG_VEC(struct start) list; /* in order of time */
	size_t n[2];                  /* of each version */
	bool is_unknown;              /* of some run: it was imported, or nobody wrote it down */
};

static void starts_release(struct starts *starts)
{
	rarog_vec_release(&starts->list);
}

static int by_time(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (int)x->side - (int)y->side;
}

static int read_starts(const struct rarog_comparison *c, struct starts *starts)
{
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < c->sides[side].runs.n; i++) {
			struct start start = { c->sides[side].runs.v[i].started_ns,
					       (enum rarog_side_index)side };

			starts->is_unknown |= start.ns == 0;
			if (rarog_vec_push(&starts->list, start) < 0)
				return rarog_oom();
			starts->n[side]++;
		}
	if (starts->list.n > 0)
		qsort(starts->list.v, starts->list.n, sizeof(struct start), by_time);
	return 0;
}

/* One run of the baseline after those of the target does not make two sittings one: the versions
 * must have changed places about as often as they were run. */
static bool are_by_turns(const struct starts *starts)
{
	size_t least = starts->n[0] < starts->n[1] ? starts->n[0] : starts->n[1], turns = 0;

	for (size_t i = 1; i < starts->list.n; i++)
		turns += starts->list.v[i].side != starts->list.v[i - 1].side;
	return turns >= TURNS_LEAST && (double)turns >= TURNS_PART * (double)least;
}

static uint64_t middle_of(const struct starts *starts, enum rarog_side_index side)
{
	size_t left = starts->n[side] / 2, i = 0;

	while (starts->list.v[i].side != side || left-- > 0)
		i++;
	return starts->list.v[i].ns;
}

/* 1 one version was measured after the other, or nobody knows; 0 by turns; -ENOMEM. @ret_gap_ns: so
 * far apart; GAP_UNKNOWN. */
static int are_apart(const struct rarog_comparison *c, uint64_t *ret_gap_ns)
{
	rarog_cleanup(starts_release) struct starts starts = { 0 };
	int r = c->is_paired ? 0 : read_starts(c, &starts);
	uint64_t a, b;

	if (r < 0 || starts.n[0] == 0 || starts.n[1] == 0)
		return r;
	*ret_gap_ns = GAP_UNKNOWN;
	if (starts.is_unknown || are_by_turns(&starts))
		return starts.is_unknown;
	a = middle_of(&starts, RAROG_BASELINE);
	b = middle_of(&starts, RAROG_TARGET);
	*ret_gap_ns = a < b ? b - a : a - b;
	return 1;
}

static bool is_time(const struct rarog_metric *metric)
{
	return metric == &rarog_metric_growth || metric == &rarog_metric_wall ||
	       metric == &rarog_metric_cpu || metric == &rarog_metric_exclusive ||
	       metric == &rarog_metric_inclusive || metric == &rarog_metric_waiting;
}

/* --- what sittings say --- */

struct known {
	const struct rarog_history_group *group; /* NULL: nothing is known */
	uint32_t target;                         /* the version that is judged */
	uint64_t gap_ns;
	double tests; /* that were made together */
};

static uint32_t find_version(const struct rarog_history *history, const char *name)
{
	for (size_t i = 0; name && i < history->versions.n; i++)
		if (strcmp(history->versions.v[i], name) == 0)
			return (uint32_t)i;
	return UINT32_MAX;
}

static int read_known(const struct rarog_judge *judge, struct known *known)
{
	const struct rarog_sittings *sittings = judge->comparison->sittings;
	const struct rarog_history *history = NULL;
	int r = sittings && sittings->read && sittings->setting
			? sittings->read(sittings->user, &history)
			: 0;

	if (r < 0 || !history)
		return r;
	known->group = rarog_history_find_group(history, &sittings->job_key,
						&sittings->machine_class, sittings->setting);
	known->target = find_version(history, judge->comparison->sides[RAROG_TARGET].version);
	return 0;
}

static bool is_named(const struct rarog_history_row *row, const struct rarog_change *change)
{
	return strcmp(row->name, change->location) == 0 &&
	       (!change->binary || strcmp(row->binary, change->binary) == 0);
}

/* Of the series of exclusive times, one for each set of what is left out, that which goes on. */
static bool is_newer(const struct rarog_series *a, const struct rarog_series *b)
{
	return a->values.n > 0 &&
	       (!b || a->values.v[a->values.n - 1].version > b->values.v[b->values.n - 1].version);
}

/* CPU time of the program has no series of its own: it varies less than wall time. */
static const struct rarog_series *series_of(const struct known *known,
					    const struct rarog_change *change)
{
	const struct rarog_series *found = NULL;

	if (change->metric == &rarog_metric_waiting || change->metric == &rarog_metric_inclusive)
		return NULL;
	for (size_t i = 0; known->group && i < known->group->rows.n; i++) {
		const struct rarog_history_row *row = &known->group->rows.v[i];

		if (is_named(row, change) && is_newer(&row->series[0], found))
			found = &row->series[0];
	}
	return found;
}

/* 1 the spread is known and reaches so far in time, 0 not, -ENOMEM. */
static int spread_of(const struct known *known, const struct rarog_change *change,
		     struct rarog_spread *ret_spread)
{
	const struct rarog_series *series = series_of(known, change);
	int r = series ? rarog_spread_of(known->group, series, known->target, ret_spread) : 0;

	return r < 0    ? r
	       : series ? ret_spread->freedom >= RAROG_SPREAD_LEAST &&
				  ret_spread->span_ns >= known->gap_ns
			: 0;
}

/* Calls are no series. They vary as the whole program does, or as their function if that is more.
 */
static int spread_of_growth(const struct known *known, const struct rarog_change *change,
			    struct rarog_spread *ret_spread)
{
	struct rarog_change program = RAROG_CHANGE_INIT;
	struct rarog_spread whole;
	int r;

	program.metric = &rarog_metric_wall;
	r = spread_of(known, &program, &whole);
	if (r > 0)
		r = spread_of(known, change, ret_spread);
	if (r > 0) {
		double range = fmax(whole.range, ret_spread->range);

		if (whole.deviation > ret_spread->deviation)
			*ret_spread = whole;
		ret_spread->range = range;
	}
	return r;
}

/* The wider interval, the larger p, and the class that these give. */
static void widen(const struct known *known, const struct rarog_spread *spread,
		  struct rarog_change *change)
{
	double deviation = spread->deviation * M_SQRT2, shift = log1p(change->relative);
	double half = gsl_cdf_tdist_Qinv((1 - LEVEL) / 2, spread->freedom) * deviation;
	double p =
		deviation > 0 ? 2 * gsl_cdf_tdist_Q(fabs(shift) / deviation, spread->freedom) : 0;

	half = fmax(half, spread->range); /* what others' work does has a longer tail than t */
	change->low = fmin(change->low, expm1(shift - half));
	change->high = fmax(change->high, expm1(shift + half));
	change->p = fmax(change->p, p);
	change->q = fmax(change->q, fmin(p * known->tests, 1));
}

static int find_spread(const struct known *known, const struct rarog_change *change,
		       struct rarog_spread *ret_spread)
{
	if (!isfinite(change->relative) || change->relative <= -1)
		return 0;
	return change->metric == &rarog_metric_growth ? spread_of_growth(known, change, ret_spread)
						      : spread_of(known, change, ret_spread);
}

static int hold_back(const struct rarog_judge *judge, const struct known *known,
		     struct rarog_change *change)
{
	struct rarog_change wider = *change;
	struct rarog_spread spread;
	enum rarog_class class;
	int r = find_spread(known, change, &spread);

	if (r <= 0) {
		change->class = rarog_class_at_most_maybe(change->class);
		return r;
	}
	widen(known, &spread, &wider);
	class = rarog_effect_class(&judge->effect, wider.relative, wider.low, wider.high,
				   wider.q <= judge->limits[RAROG_RUNS_ALPHA]);
	if (change->metric != &rarog_metric_growth) /* the interval of a model is at each x */
		*change = wider;
	change->class =
		rarog_class_is_certain(class) ? class : rarog_class_at_most_maybe(change->class);
	return 0;
}

/* --- all --- */

static int say(const struct rarog_judge *judge, const struct known *known, bool is_held,
	       bool is_known)
{
	const struct rarog_side *sides = judge->comparison->sides;

	if (known->gap_ns == GAP_UNKNOWN)
		return is_held ? rarog_verdict_note(
					 judge->verdict,
					 "when these runs were made is not known of all, so the "
					 "versions "
					 "may have been measured one after the other: times are at "
					 "most "
					 "\"maybe\"; rarog check --measure %s %s decides",
					 sides[RAROG_BASELINE].name, sides[RAROG_TARGET].name)
			       : 0;
	return rarog_verdict_note(
		judge->verdict,
		is_held && is_known
			? "the versions were measured one after the other: a change of the machine "
			  "in between looks like one of the program, so times are at most "
			  "\"maybe\" unless other sittings of this job tell more; rarog check "
			  "--measure %s %s decides"
		: is_held
			? "the versions were measured one after the other: a change of the machine "
			  "in between looks like one of the program, so times are at most "
			  "\"maybe\"; rarog check --measure %s %s decides"
		: is_known
			? "the versions were measured one after the other: how much that does is "
			  "known from other sittings of this job"
			: "the versions were measured one after the other: a change of the machine "
			  "in between would look like one of the program",
		sides[RAROG_BASELINE].name, sides[RAROG_TARGET].name);
}

static bool is_sure(const struct rarog_change *change)
{
	return is_time(change->metric) && (rarog_class_is_degradation(change->class) ||
					   rarog_class_is_optimization(change->class));
}

int rarog_sittings_judge(struct rarog_judge *judge, size_t first)
{
	struct rarog_verdict *verdict = judge->verdict;
	struct known known = { 0 };
	bool is_held = false, is_read = false, was_sure = false;
	int r = are_apart(judge->comparison, &known.gap_ns);

	if (r <= 0)
		return r;
	r = 0;
	known.tests = verdict->tests > 2 ? (double)verdict->tests : 2;
	for (size_t i = first; r == 0 && i < verdict->changes.n; i++) {
		struct rarog_change *change = &verdict->changes.v[i];

		if (!is_sure(change))
			continue;
		if (!is_read)
			r = read_known(judge, &known);
		is_read = was_sure = true;
		if (r == 0)
			r = hold_back(judge, &known, change);
		is_held |= !is_sure(change);
	}
	return r < 0 ? r : say(judge, &known, is_held, was_sure && known.group);
}
