/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU time does not know of a function that reads from a slower place, sleeps or locks: the run
 * gets longer and nobody is to blame. So what functions wait is compared, too; by what that does to
 * the run, since waiting varies by far more than computing, and little of it matters to nobody.
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

/* Against a version in which it does not wait; there is nothing to divide by, but a p. */
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
	change.impact = (change.target - change.baseline) / rarog_judge_run_ns(c);
	return rarog_verdict_add(judge->verdict, &change);
}

/* The ends of the interval, as parts of the run: @ret_near the one next to 0, 0 if that is within.
 */
static void ends_of(const struct rarog_change *change, double *ret_near, double *ret_far)
{
	double part = isinf(change->relative) ? 1 : change->impact / change->relative;
	double low = isinf(change->low) ? change->impact : change->low * part;
	double high = isinf(change->high) ? change->impact : change->high * part;

	*ret_near = low <= 0 && high >= 0 ? 0 : fmin(fabs(low), fabs(high));
	*ret_far = fmax(fabs(low), fabs(high));
}

static void put_right(const struct rarog_judge *judge, struct rarog_change *change)
{
	double smallest = judge->limits[RAROG_RUNS_SMALLEST_EFFECT], near, far;

	if (isnan(change->relative) || isnan(change->impact))
		return;
	ends_of(change, &near, &far);
	if (far < smallest) {
		change->class = RAROG_CLASS_NO_CHANGE;
		rarog_change_say(&change->reason, NULL);
	} else if (near < smallest && rarog_class_is_degradation(change->class)) {
		change->class = RAROG_CLASS_MAYBE_DEGRADATION;
	} else if (near < smallest && rarog_class_is_optimization(change->class)) {
		change->class = RAROG_CLASS_MAYBE_OPTIMIZATION;
	}
	if (isinf(change->relative)) {
		change->relative = change->low = change->high = NAN;
		rarog_change_say(&change->reason, rarog_asprintf("it did not wait before"));
	}
}

int rarog_judge_waiting(struct rarog_judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t nx = c->sides[RAROG_BASELINE].runs.n, ny = c->sides[RAROG_TARGET].runs.n;
	size_t first = judge->verdict->changes.n, tests = 0;
	int r = 0;

	if (!c->has_waiting)
		return 0;
	for (size_t i = 0; i < c->n; i++)
		tests += is_tested(judge, &c->rows[i]);
	rarog_judge_prepare(judge, nx, ny, tests, false);
	for (size_t i = 0; r == 0 && i < c->n; i++)
		if (is_tested(judge, &c->rows[i]))
			r = compare(judge, i);
	if (r == 0)
		r = rarog_judge_conclude(judge, first, nx, ny);
	for (size_t i = first; r == 0 && i < judge->verdict->changes.n; i++)
		put_right(judge, &judge->verdict->changes.v[i]);
	return r;
}
