/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "base/str.h"
#include "check/describe.h"
#include "check/judge.h"
#include "check/method.h"
#include "num/quantile.h"

#define SAME_PROBES 1e-3

/* What may happen to the whole run if the worst end of the interval is true. */
static bool may_matter(const struct rarog_change *change, double share, double effect)
{
	return isnan(change->high) || fmax(change->high, -change->low) * share > effect;
}

static bool is_all_zero(size_t n, const double v[])
{
	for (size_t i = 0; i < n; i++)
		if (v[i] != 0)
			return false;
	return true;
}

double rarog_judge_run_ns(const struct rarog_comparison *comparison)
{
	size_t n = comparison->sides[RAROG_BASELINE].runs.n;
	double ns, waiting = 0;

	if (rarog_median(n, comparison->total_ns[RAROG_BASELINE], &ns) < 0 ||
	    (comparison->has_waiting &&
	     rarog_median(n, comparison->waiting_ns[RAROG_BASELINE], &waiting) < 0)) {
		rarog_error_clear();
		return NAN;
	}
	return ns + waiting;
}

struct rarog_change rarog_judge_change(const struct rarog_comparison *c, size_t row,
				       const struct rarog_metric *metric)
{
	struct rarog_change change = RAROG_CHANGE_INIT;

	rarog_describe_row(c, row, &change);
	change.metric = metric;
	change.method = rarog_check_runs.name;
	return change;
}

/* One that only one version called; 1 it was, 0 it is in both. */
int rarog_judge_coming(struct rarog_judge *judge, size_t row, enum rarog_measure measure,
		       const struct rarog_metric *metric)
{
	const struct rarog_comparison *c = judge->comparison;
	const struct rarog_row *of = &c->rows[row];
	struct rarog_change change = rarog_judge_change(c, row, metric);
	bool is_gone = is_all_zero(c->sides[RAROG_TARGET].runs.n,
				   of->values[RAROG_TARGET][RAROG_MEASURE_CALLS]);
	bool is_new = is_all_zero(c->sides[RAROG_BASELINE].runs.n,
				  of->values[RAROG_BASELINE][RAROG_MEASURE_CALLS]);
	enum rarog_side_index side = is_gone ? RAROG_BASELINE : RAROG_TARGET;
	double ns;
	int r;

	if (!is_gone && !is_new)
		return 0;
	if (is_gone && is_new)
		return 1;
	r = rarog_median(c->sides[side].runs.n, of->values[side][measure], &ns);
	if (r < 0)
		return r;
	change.class = is_gone ? RAROG_CLASS_NOT_IN_TARGET : RAROG_CLASS_NOT_IN_BASELINE;
	change.baseline = is_gone ? ns : 0;
	change.target = is_gone ? 0 : ns;
	change.impact = (change.target - change.baseline) / rarog_judge_run_ns(c);
	change.reason =
		of->form[!side].mangled ? "it is in both versions, but called in one only" : NULL;
	r = rarog_verdict_add(judge->verdict, &change);
	return r < 0 ? r : 1;
}

static bool is_tested(const struct rarog_judge *judge, const struct rarog_row *row)
{
	return !row->is_folded && row->share > 0 &&
	       row->share >= judge->limits[RAROG_RUNS_LEAST_SHARE];
}

static const struct rarog_metric *metric_of(const struct rarog_row *row)
{
	return row->is_inclusive ? &rarog_metric_inclusive : &rarog_metric_exclusive;
}

static int come_and_gone(struct rarog_judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < c->n; i++)
		if (is_tested(judge, &c->rows[i]))
			r = rarog_judge_coming(judge, i, RAROG_MEASURE_EXCLUSIVE,
					       metric_of(&c->rows[i]));
	return r < 0 ? r : 0;
}

static bool is_in_both(const struct rarog_comparison *c, const struct rarog_row *row,
		       enum rarog_measure measure)
{
	return !is_all_zero(c->sides[RAROG_BASELINE].runs.n,
			    row->values[RAROG_BASELINE][measure]) &&
	       !is_all_zero(c->sides[RAROG_TARGET].runs.n, row->values[RAROG_TARGET][measure]);
}

static size_t count_tests(const struct rarog_judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += is_tested(judge, &c->rows[i]) &&
		     is_in_both(c, &c->rows[i], RAROG_MEASURE_EXCLUSIVE);
	return n;
}

/* Does another number of calls in or below it add as much to one side? Else probes move both
 * alike, and neither ranks nor the direction depend on them. */
static bool have_probes_changed(const struct rarog_comparison *c, const struct rarog_row *row)
{
	double probes[2];

	for (size_t side = 0; side < 2; side++) {
		double without, with;

		if (rarog_median(c->sides[side].runs.n, row->values[side][RAROG_MEASURE_EXCLUSIVE],
				 &without) < 0 ||
		    rarog_median(c->sides[side].runs.n, row->values[side][RAROG_MEASURE_PROBED],
				 &with) < 0) {
			rarog_error_clear();
			return false;
		}
		probes[side] = with - without;
	}
	return fabs(probes[1] - probes[0]) > SAME_PROBES * fmax(probes[0], probes[1]);
}

static bool is_no_change(const struct rarog_judge *judge, const struct rarog_change *change)
{
	return rarog_effect_class(&judge->effect, change->relative, change->low, change->high,
				  false) == RAROG_CLASS_NO_CHANGE;
}

/* A probe costs anything from nearly nothing to what was calibrated. A change, or that there is
 * none, is sure if both say the same of it: ratios between them are between theirs. */
static int doubt_probes(struct rarog_judge *judge, const struct rarog_row *row,
			struct rarog_change *change)
{
	const struct rarog_comparison *c = judge->comparison;
	struct rarog_change probed = *change;
	double alpha = judge->limits[RAROG_RUNS_ALPHA];
	bool is_same = is_no_change(judge, change);
	int r;

	if (row->is_inclusive || (!is_same && change->p > alpha) || !have_probes_changed(c, row))
		return 0;
	r = rarog_judge_values(judge, c->sides[RAROG_BASELINE].runs.n,
			       row->values[RAROG_BASELINE][RAROG_MEASURE_PROBED],
			       c->sides[RAROG_TARGET].runs.n,
			       row->values[RAROG_TARGET][RAROG_MEASURE_PROBED], &probed);
	if (r < 0)
		return r;
	change->low = fmin(change->low, probed.low);
	change->high = fmax(change->high, probed.high);
	change->p = fmax(change->p, probed.p);
	change->is_by_probes =
		is_same ? !is_no_change(judge, change)
			: probed.relative * change->relative <= 0 || probed.p > alpha;
	if (change->is_by_probes)
		change->p = 1;
	return 0;
}

static int compare_function(struct rarog_judge *judge, size_t row)
{
	const struct rarog_comparison *c = judge->comparison;
	const struct rarog_row *of = &c->rows[row];
	struct rarog_change change = rarog_judge_change(c, row, metric_of(of));
	int r = rarog_judge_values(judge, c->sides[RAROG_BASELINE].runs.n,
				   of->values[RAROG_BASELINE][RAROG_MEASURE_EXCLUSIVE],
				   c->sides[RAROG_TARGET].runs.n,
				   of->values[RAROG_TARGET][RAROG_MEASURE_EXCLUSIVE], &change);

	if (r < 0 && r != -EDOM)
		return r;
	if (r < 0) { /* it hardly ever takes time in the baseline: nothing to divide by */
		rarog_error_clear();
		change.p = 1;
	} else if ((r = doubt_probes(judge, of, &change)) < 0) {
		return r;
	}
	change.impact = (change.target - change.baseline) / rarog_judge_run_ns(c);
	return rarog_verdict_add(judge->verdict, &change);
}

/* More runs would not tell these. */
static int note_probes(struct rarog_verdict *verdict, size_t first)
{
	rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };
	int r = 0;

	for (size_t i = first; r == 0 && i < verdict->changes.n; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];

		if (change->is_by_probes && change->class == RAROG_CLASS_UNKNOWN)
			r = rarog_str_addf(&names, "%s%s (%+.1f … %+.1f %%)",
					   names.length > 0 ? ", " : "", change->location,
					   100 * change->low, 100 * change->high);
	}
	if (r < 0 || names.length == 0)
		return r;
	return rarog_verdict_note(verdict,
				  "undecided, because of what the probes of more or fewer calls "
				  "cost: %s; collect --exclude leaves out the functions that they "
				  "call, collect blocks counts instead",
				  names.text);
}

/* Return: 1 all that could matter is decided, 0 not, negative on failure. */
int rarog_judge_functions(struct rarog_judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t first, tests = count_tests(judge);
	int r = come_and_gone(judge);

	first = judge->verdict->changes.n;
	judge->verdict->tests = tests;
	rarog_judge_prepare(judge, c->sides[RAROG_BASELINE].runs.n, c->sides[RAROG_TARGET].runs.n,
			    tests, false);
	for (size_t i = 0; r == 0 && i < c->n; i++)
		if (is_tested(judge, &c->rows[i]) &&
		    is_in_both(c, &c->rows[i], RAROG_MEASURE_EXCLUSIVE))
			r = compare_function(judge, i);
	if (r == 0)
		r = rarog_judge_conclude(judge, first, c->sides[RAROG_BASELINE].runs.n,
					 c->sides[RAROG_TARGET].runs.n);
	if (r == 0)
		r = note_probes(judge->verdict, first);
	for (size_t i = first; r == 0 && i < judge->verdict->changes.n; i++) {
		const struct rarog_change *change = &judge->verdict->changes.v[i];

		if (change->class == RAROG_CLASS_UNKNOWN &&
		    may_matter(change, c->rows[change->row].share,
			       judge->limits[RAROG_RUNS_SMALLEST_EFFECT]))
			return 0;
	}
	return r < 0 ? r : tests > 0;
}
