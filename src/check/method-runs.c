/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The standard method: runs against runs. The whole program by its untraced runs, every function
 * that takes part enough by its exclusive time, numbers of calls exactly where they do not vary.
 * A change must be significant among all tests made, and larger than what matters.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "check/judge.h"
#include "check/method.h"
#include "check/sittings.h"
#include "num/quantile.h"

static const struct rarog_threshold thresholds[] = {
	[RAROG_RUNS_ALPHA] = { "alpha", 0.01, 1e-6, 0.5,
			       "part of the changes reported that may be false alarms" },
	[RAROG_RUNS_SMALLEST_EFFECT] = { "smallest-effect", 0.02, 0, 10,
					 "relative change that is too small to matter" },
	[RAROG_RUNS_SEVERE_EFFECT] = { "severe-effect", 0.25, 0, 100,
				       "relative change that is severe" },
	[RAROG_RUNS_LEAST_SHARE] = { "least-share", 0.005, 0, 1,
				     "part of all time from which on a function is tested" },
	{ .name = NULL },
};

#define SEED 1

/* --- the whole program --- */

static int compare_program(struct rarog_judge *judge, const struct rarog_metric *metric, size_t nx,
			   const double x[], size_t ny, const double y[])
{
	struct rarog_change change = RAROG_CHANGE_INIT;
	int r;

	change.metric = metric;
	change.method = rarog_check_runs.name;
	r = nx && ny ? rarog_judge_values(judge, nx, x, ny, y, &change) : 0;
	change.impact = change.target / change.baseline - 1;
	return r < 0 ? r : rarog_verdict_add(judge->verdict, &change);
}

/* The time of traced runs without what their probes cost: no verdict, but better than nothing. */
static int traced_times(const struct rarog_side *side, bool is_cpu, double ret_ns[])
{
	size_t n = 0;

	for (size_t i = 0; i < side->runs.n; i++) {
		const struct rarog_side_run *run = &side->runs.v[i];
		double ns = (is_cpu ? run->cpu_ns : run->wall_ns) - run->calls * run->probe_ns;

		if (!isnan(ns))
			ret_ns[n++] = fmax(ns, 0);
	}
	return (int)n;
}

static int guess_program(struct rarog_judge *judge, bool is_cpu)
{
	const struct rarog_side *sides = judge->comparison->sides;
	rarog_cleanup(rarog_freep) double *x = calloc(sides[0].runs.n, sizeof(*x));
	rarog_cleanup(rarog_freep) double *y = calloc(sides[1].runs.n, sizeof(*y));
	struct rarog_change change = RAROG_CHANGE_INIT;
	double relative;

	if (!x || !y)
		return rarog_oom();
	change.class = RAROG_CLASS_UNKNOWN;
	change.metric = is_cpu ? &rarog_metric_cpu : &rarog_metric_wall;
	change.method = rarog_check_runs.name;
	change.reason = "no verdict: there are no runs without probes; this is of traced runs, "
			"less the cost of their probes";
	if (rarog_median((size_t)traced_times(&sides[0], is_cpu, x), x, &change.baseline) < 0 ||
	    rarog_median((size_t)traced_times(&sides[1], is_cpu, y), y, &change.target) < 0) {
		rarog_error_clear();
		change.baseline = change.target = NAN;
		change.reason = "no verdict: there are no runs without probes";
	}
	relative = change.target / change.baseline - 1;
	change.relative = isfinite(relative) ? relative : NAN;
	return rarog_verdict_add(judge->verdict, &change);
}

/* Return: 1 decided, 0 not, negative on failure. @ret_is_measured: there are untraced runs. */
static int judge_program(struct rarog_judge *judge, bool *ret_is_measured)
{
	const struct rarog_side *x = &judge->comparison->sides[RAROG_BASELINE];
	const struct rarog_side *y = &judge->comparison->sides[RAROG_TARGET];
	size_t first = judge->verdict->changes.n;
	int r;

	*ret_is_measured = x->wall_ns.n > 0 && y->wall_ns.n > 0;
	if (!*ret_is_measured) {
		r = guess_program(judge, false);
		return r < 0 ? r : guess_program(judge, true);
	}
	rarog_judge_prepare(judge, x->wall_ns.n, y->wall_ns.n, 2, x->pairs.n == x->wall_ns.n);
	r = compare_program(judge, &rarog_metric_wall, x->wall_ns.n, x->wall_ns.v, y->wall_ns.n,
			    y->wall_ns.v);
	if (r == 0 && x->cpu_ns.n > 0 && y->cpu_ns.n > 0)
		r = compare_program(judge, &rarog_metric_cpu, x->cpu_ns.n, x->cpu_ns.v, y->cpu_ns.n,
				    y->cpu_ns.v);
	if (r == 0)
		r = rarog_judge_conclude(judge, first, x->wall_ns.n, y->wall_ns.n);
	for (size_t i = first; r == 0 && i < judge->verdict->changes.n; i++)
		if (judge->verdict->changes.v[i].class == RAROG_CLASS_UNKNOWN)
			return 0;
	return r < 0 ? r : 1;
}

/* --- numbers of calls, where there is nothing else --- */

static bool counts_samples(const struct rarog_comparison *c)
{
	return rarog_side_counts_samples(&c->sides[RAROG_BASELINE]) ||
	       rarog_side_counts_samples(&c->sides[RAROG_TARGET]);
}

/* Samples without times, of other programs: how many there are is chance. */
static int compare_samples(struct rarog_judge *judge, size_t row)
{
	const struct rarog_comparison *c = judge->comparison;
	struct rarog_change change = rarog_judge_change(c, row, &rarog_metric_calls);
	double *amounts[2] = { &change.baseline, &change.target };

	for (size_t side = 0; side < 2; side++)
		if (rarog_median(c->sides[side].runs.n,
				 c->rows[row].values[side][RAROG_MEASURE_CALLS], amounts[side]) < 0)
			rarog_error_clear();
	change.class = RAROG_CLASS_UNKNOWN;
	change.reason = "numbers of samples differ from run to run";
	return rarog_verdict_add(judge->verdict, &change);
}

/* Every run of one version has more than every run of the other. */
static bool are_apart(const struct rarog_comparison *c, const struct rarog_row *row)
{
	double least[2] = { NAN, NAN }, most[2] = { NAN, NAN };

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < c->sides[side].runs.n; i++) {
			double calls = row->values[side][RAROG_MEASURE_CALLS][i];

			least[side] = fmin(least[side], calls);
			most[side] = fmax(most[side], calls);
		}
	return most[0] < least[1] || most[1] < least[0];
}

static int compare_count(struct rarog_judge *judge, size_t row)
{
	const struct rarog_comparison *c = judge->comparison;
	struct rarog_change change = rarog_judge_change(c, row, &rarog_metric_calls);
	int r = rarog_judge_coming(judge, row, RAROG_MEASURE_CALLS, &rarog_metric_calls);

	if (r != 0)
		return r < 0 ? r : 0;
	change.baseline = rarog_row_steady_calls(c, &c->rows[row], RAROG_BASELINE);
	change.target = rarog_row_steady_calls(c, &c->rows[row], RAROG_TARGET);
	change.relative = change.target / change.baseline - 1;
	change.low = change.high = change.relative;
	change.reason = "counted exactly";
	if (isnan(change.relative)) {
		change.class = RAROG_CLASS_UNKNOWN;
		change.reason = "the number of calls is not the same in every run";
		judge->verdict->is_open |= are_apart(c, &c->rows[row]);
	} else {
		change.class = rarog_effect_class(&judge->effect, change.relative, change.low,
						  change.high, true);
	}
	return rarog_verdict_add(judge->verdict, &change);
}

static bool has_known(const struct rarog_comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->rows[i].is_unknown)
			return true;
	return false;
}

static int judge_counts(struct rarog_judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t runs = c->sides[RAROG_BASELINE].runs.n < c->sides[RAROG_TARGET].runs.n
			      ? c->sides[RAROG_BASELINE].runs.n
			      : c->sides[RAROG_TARGET].runs.n;
	int r;

	if (c->n == 0)
		return 0; /* the time collector's: the program as a whole is all there is */
	if (counts_samples(c)) {
		r = rarog_verdict_note(judge->verdict,
				       "only numbers of samples are known, neither calls nor "
				       "times: nothing is said of either");
		judge->verdict->is_open = true;
		for (size_t i = 0; r == 0 && i < c->n; i++)
			if (!c->rows[i].is_folded)
				r = compare_samples(judge, i);
		return r;
	}
	r = has_known(c) ? rarog_verdict_note(judge->verdict,
					      "only calls were counted: nothing is said of time")
			 : 0;
	if (r == 0 && runs < 2)
		r = rarog_verdict_note(judge->verdict,
				       "one run a side: whether the numbers of calls "
				       "are the same in every run is not known");
	for (size_t i = 0; r == 0 && i < c->n; i++)
		if (!c->rows[i].is_folded)
			r = compare_count(judge, i);
	return r;
}

/* --- all --- */

/* Did the program change, and no function that is tested with it? */
static bool is_unexplained(const struct rarog_verdict *verdict)
{
	bool slower = false, faster = false, any_slower = false, any_faster = false;

	for (size_t i = 0; i < verdict->changes.n; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];
		bool is_slower = rarog_class_is_degradation(change->class);
		bool is_faster = rarog_class_is_optimization(change->class);

		slower |= is_slower && !*change->location;
		faster |= is_faster && !*change->location;
		any_slower |= is_slower && *change->location;
		any_faster |= is_faster && *change->location;
	}
	return (slower && !any_slower) || (faster && !any_faster);
}

/* Of samples that are of CPU time alone. */
static bool is_sampled(const struct rarog_comparison *c)
{
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < c->sides[side].runs.n; i++)
			if (!c->sides[side].runs.v[i].counts_samples)
				return false;
	return true;
}

/* People must know which time they look at where it is not the better one. */
static int note_time(const struct rarog_judge *judge)
{
	const struct rarog_comparison *c = judge->comparison;
	size_t runs = c->sides[RAROG_BASELINE].runs.n + c->sides[RAROG_TARGET].runs.n;

	if (c->is_cpu_time)
		return 0;
	if (is_sampled(c))
		return rarog_verdict_note(judge->verdict,
					  "functions are compared by their shares of samples of "
					  "the CPU time");
	return rarog_verdict_note(judge->verdict,
				  "functions are compared by wall time, which a busy machine "
				  "spoils: %zu of %zu runs have no CPU time",
				  runs - c->runs_with_cpu, runs);
}

/* Without runs that have no probes, and with several threads, waiting is not looked at: not
 * even the whole, whose wall time of traced runs is but a hint. */
static int note_unseen(const struct rarog_judge *judge)
{
	struct rarog_verdict *verdict = judge->verdict;

	if (!judge->comparison->is_cpu_time || judge->comparison->has_waiting)
		return 0;
	for (size_t i = 0; i < verdict->changes.n; i++)
		verdict->is_open |= verdict->changes.v[i].metric == &rarog_metric_wall &&
				    fabs(verdict->changes.v[i].relative) >
					    judge->limits[RAROG_RUNS_SMALLEST_EFFECT];
	return rarog_verdict_note(verdict, "time that functions wait is not compared: the program "
					   "has several threads");
}

/* What is only in one version is compared with nothing, but a run is longer by it, unless what is
 * gone, or takes less, makes up for it. */
static double added_part(const struct rarog_verdict *verdict)
{
	double added = 0, saved = 0;

	for (size_t i = 0; i < verdict->changes.n; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];

		if (change->metric != &rarog_metric_exclusive || isnan(change->impact))
			continue;
		if (change->class == RAROG_CLASS_NOT_IN_BASELINE)
			added += change->impact;
		else if (change->impact < 0)
			saved -= change->impact;
	}
	return added - saved;
}

/* Where the run itself was measured, that says it. */
static int note_added(const struct rarog_judge *judge)
{
	double part = added_part(judge->verdict);

	if (part <= judge->limits[RAROG_RUNS_SMALLEST_EFFECT])
		return 0;
	judge->verdict->has_added = true;
	return rarog_verdict_note(judge->verdict,
				  "new functions take %.1f %% of a run more than others save; runs "
				  "without probes would tell whether it is slower",
				  part * 100);
}

static int run(const struct rarog_comparison *comparison, const double limits[],
	       struct rarog_verdict *verdict)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(SEED);
	struct rarog_judge judge = {
		.comparison = comparison,
		.limits = limits,
		.effect = { limits[RAROG_RUNS_SMALLEST_EFFECT], limits[RAROG_RUNS_SEVERE_EFFECT] },
		.verdict = verdict,
		.random = random,
	};
	size_t first = verdict->changes.n;
	bool is_measured = false;
	int program, functions, waiting, r = random ? 0 : rarog_oom();

	verdict->smallest_effect = judge.effect.smallest;
	program = r < 0 ? r : judge_program(&judge, &is_measured);
	if (program < 0)
		return program;
	if (!comparison->has_times) {
		verdict->is_open |= is_measured ? program == 0 : comparison->n == 0;
		r = judge_counts(&judge);
		return r < 0 || !is_measured ? r : rarog_sittings_judge(&judge, first);
	}
	functions = rarog_judge_functions(&judge);
	if (functions < 0)
		return functions;
	waiting = rarog_judge_waiting(&judge);
	if (waiting < 0)
		return waiting;
	verdict->is_open |= is_measured ? program == 0 : functions == 0 || waiting == 0;
	r = is_measured ? 0 : note_unseen(&judge);
	if (r == 0 && !is_measured)
		r = note_added(&judge);
	if (r < 0)
		return r;
	verdict->is_unexplained |= is_unexplained(verdict);
	r = note_time(&judge);
	return r < 0 ? r : rarog_sittings_judge(&judge, first);
}

const struct rarog_check_method rarog_check_runs = {
	.name = "runs",
	.summary = "runs against runs: permutation tests with false-discovery control, intervals",
	.thresholds = thresholds,
	.run = run,
};
