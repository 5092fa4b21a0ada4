/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU time does not know of a function that reads from a slower place, sleeps or locks: the run
 * gets longer and no function is to blame. So what functions wait is compared, too; by what that
 * does to the run, since waiting varies by far more than computing, and a little of it does not
 * matter.
 */
#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "base/str.h"
#include "check/judge.h"
#include "check/method.h"
#include "num/quantile.h"

static bool is_tested(const struct rarog_judge *judge, const struct rarog_row *row)
{
	return !row->is_folded && row->waiting_share > 0 &&
	       row->waiting_share >= judge->limits[RAROG_RUNS_LEAST_SHARE];
}

static size_t count_waits(size_t n, const double v[])
{
	size_t waits = 0;

	for (size_t i = 0; i < n; i++)
		waits += v[i] > 0;
	return waits;
}

/* Against a version in which it hardly ever waits: there is nothing to divide by, but a p. */
static int compare_back(struct rarog_judge *judge, size_t nx, const double x[], size_t ny,
			const double y[], struct rarog_change *change)
{
	struct rarog_change back = RAROG_CHANGE_INIT;
	int r = rarog_judge_values(judge, ny, y, nx, x, &back);

	if (r < 0)
		return r;
	change->baseline = 0;
	change->p = back.p;
	change->relative = change->low = change->high = INFINITY;
	return rarog_median(ny, y, &change->target);
}

static int compare(struct rarog_judge *judge, size_t row)
{
	const struct rarog_comparison *c = judge->comparison;
	struct rarog_change change = rarog_judge_change(c, row, &rarog_metric_waiting);
	const double *x = c->rows[row].values[RAROG_BASELINE][RAROG_MEASURE_WAITING];
	const double *y = c->rows[row].values[RAROG_TARGET][RAROG_MEASURE_WAITING];
	size_t nx = c->sides[RAROG_BASELINE].runs.n, ny = c->sides[RAROG_TARGET].runs.n;
	int r = rarog_judge_values(judge, nx, x, ny, y, &change);

	if (r == -EDOM) {
		rarog_error_clear();
		r = compare_back(judge, nx, x, ny, y, &change);
	}
	if (r < 0 && r != -EDOM)
		return r;
	if (r < 0) { /* it hardly ever waits in either */
		rarog_error_clear();
		return 0;
	}
	if (count_waits(ny, y) == 0) { /* what a test takes for too small to be measured is none */
		change.target = 0;
		change.relative = change.low = change.high = -1;
	}
	change.impact = (change.target - change.baseline) / rarog_judge_run_ns(c);
	return rarog_verdict_add(judge->verdict, &change);
}

/* The ends of the interval, as parts of the run: @ret_near the one next to 0, 0 if that is within.
 */
static void ends_of(const struct rarog_comparison *c, const struct rarog_change *change,
		    double *ret_near, double *ret_far)
{
	double part = change->baseline / rarog_judge_run_ns(c);
	double low = isinf(change->low) ? change->impact : change->low * part;
	double high = isinf(change->high) ? change->impact : change->high * part;

	*ret_near = low <= 0 && high >= 0 ? 0 : fmin(fabs(low), fabs(high));
	*ret_far = fmax(fabs(low), fabs(high));
}

/* Where one version does not wait there is no ratio, and words say so. */
static int say_none(const struct rarog_comparison *c, struct rarog_change *change)
{
	size_t n = c->sides[RAROG_BASELINE].runs.n;
	size_t waits =
		count_waits(n, c->rows[change->row].values[RAROG_BASELINE][RAROG_MEASURE_WAITING]);
	const char *before = change->reason ? change->reason : "", *and = *before ? "; " : "";
	char *text;

	if (change->target <= 0)
		text = rarog_asprintf("%s%sit does not wait any more", before, and);
	else if (waits > 0)
		text = rarog_asprintf("%s%sit waited in %zu of %zu runs before", before, and, waits,
				      n);
	else
		text = rarog_asprintf("%s%sit did not wait before", before, and);
	if (!text)
		return rarog_oom();
	rarog_change_say(&change->reason, text);
	if (isinf(change->relative))
		change->relative = NAN;
	change->low = change->high = NAN;
	return 0;
}

/* Return: 1 it is decided, or too little to matter; 0 not, negative on failure. */
static int put_right(const struct rarog_judge *judge, struct rarog_change *change)
{
	const struct rarog_comparison *c = judge->comparison;
	double smallest = judge->limits[RAROG_RUNS_SMALLEST_EFFECT], near, far;
	const double *before = c->rows[change->row].values[RAROG_BASELINE][RAROG_MEASURE_WAITING];
	bool is_mixed =
		isinf(change->relative) && count_waits(c->sides[RAROG_BASELINE].runs.n, before) > 0;
	int r = 0;

	if (isnan(change->low) || isnan(change->impact))
		return change->class != RAROG_CLASS_UNKNOWN;
	ends_of(c, change, &near, &far);
	if (far < smallest) {
		change->class = RAROG_CLASS_NO_CHANGE;
		rarog_change_say(&change->reason, NULL);
	} else if (near < smallest || is_mixed) {
		change->class = rarog_class_at_most_maybe(change->class);
	}
	if (isinf(change->relative) || change->target <= 0)
		r = say_none(c, change);
	return r < 0 ? r : change->class != RAROG_CLASS_UNKNOWN;
}

/* What is new or gone waits nowhere else: that is in the whole, as its time is. */
static bool is_compared(const struct rarog_judge *judge, size_t row)
{
	const struct rarog_comparison *c = judge->comparison;
	double *const *values = c->rows[row].values[RAROG_BASELINE];
	double *const *now = c->rows[row].values[RAROG_TARGET];

	return is_tested(judge, &c->rows[row]) &&
	       count_waits(c->sides[RAROG_BASELINE].runs.n, values[RAROG_MEASURE_CALLS]) > 0 &&
	       count_waits(c->sides[RAROG_TARGET].runs.n, now[RAROG_MEASURE_CALLS]) > 0;
}

static int come_and_gone(struct rarog_judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < c->n; i++)
		if (is_tested(judge, &c->rows[i]))
			r = rarog_judge_coming(judge, i, RAROG_MEASURE_WAITING,
					       &rarog_metric_waiting);
	return r < 0 ? r : 0;
}

int rarog_judge_waiting(struct rarog_judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t nx = c->sides[RAROG_BASELINE].runs.n, ny = c->sides[RAROG_TARGET].runs.n;
	size_t first, tests = 0;
	bool is_open = false;
	int r = c->has_waiting ? come_and_gone(judge) : 0;

	if (r < 0 || !c->has_waiting)
		return r < 0 ? r : 1;
	first = judge->verdict->changes.n;
	for (size_t i = 0; i < c->n; i++)
		tests += is_compared(judge, i);
	rarog_judge_prepare(judge, nx, ny, tests, false);
	for (size_t i = 0; r == 0 && i < c->n; i++)
		if (is_compared(judge, i))
			r = compare(judge, i);
	if (r == 0)
		r = rarog_judge_conclude(judge, first, nx, ny);
	for (size_t i = first; r >= 0 && i < judge->verdict->changes.n; i++) {
		r = put_right(judge, &judge->verdict->changes.v[i]);
		is_open |= r == 0;
	}
	return r < 0 ? r : !is_open;
}
