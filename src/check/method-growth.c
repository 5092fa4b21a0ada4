/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Growth: how the cost of calls depends on what they were given, in both versions, by the models of
 * `rarog model`. Calls by their order are left to the methods that were named for that.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check/describe.h"
#include "check/growth.h"
#include "check/judge.h"
#include "check/sittings.h"

enum { SMALLEST, SEVERE };

static const struct rarog_threshold thresholds[] = {
	[SMALLEST] = { "smallest-effect", 0.02, 0, 10, "more than this at the same x matters" },
	[SEVERE] = { "severe", 0.25, 0, 100, "more than this is severe" },
	{ .name = NULL },
};

#define ALPHA 0.01 /* of what sittings may do */

static const struct rarog_metric metric_count = { "growth", "instructions" };

struct run {
	const struct rarog_comparison *comparison;
	const double *limits;
	struct rarog_curve_table *table;
	struct rarog_verdict *verdict;
	struct rarog_costs busy[2]; /* by side and row: what others had of the processor */
	bool are_counts;
	size_t judged, changed;
};

/* Where calls have no durations instructions were counted. */
static bool are_counts(const struct rarog_comparison *comparison)
{
	return !rarog_profile_has_calls(comparison->sides[RAROG_TARGET].runs.v[0].profile);
}

static void run_release(struct run *run)
{
	rarog_costs_release(&run->busy[0]);
	rarog_costs_release(&run->busy[1]);
}

static int note_run(const struct run *run, int side, size_t i, struct rarog_costs *busy)
{
	struct rarog_profile *profile = run->comparison->sides[side].runs.v[i].profile;
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);
	rarog_cleanup(rarog_freep) size_t *at = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(*at));

	if (n < 0)
		return (int)n;
	if (!at)
		return rarog_oom();
	for (long k = 0; k < n; k++)
		at[k] = run->comparison->row_of[side][i][k];
	return rarog_cost_note_preempted(profile, (size_t)n, at, busy);
}

/* Long calls on a busy machine are no measure of growth: estimates must know. */
static int note_busy(struct run *run, int side)
{
	struct rarog_costs *busy = &run->busy[side];
	int r = 0;

	for (size_t i = 0; r == 0 && i < run->comparison->n; i++)
		if (rarog_vec_push(&busy->list, (struct rarog_costing){ .mangled = NULL }) < 0)
			r = rarog_oom();
	for (size_t i = 0; r == 0 && i < run->comparison->sides[side].runs.n; i++)
		r = note_run(run, side, i, busy);
	return r;
}

static int estimate(const struct run *run, int side, size_t row, struct rarog_costing *cost,
		    struct rarog_modelled *ret_estimate)
{
	struct rarog_curves *curves = &run->table->of[side][row];
	const struct rarog_costing *busy = &run->busy[side].list.v[row];
	const struct rarog_costs of = {
		.unit = run->are_counts ? RAROG_UNIT_COUNT : RAROG_UNIT_NS,
	};
	const struct rarog_estimate_options options = { .fit.model.errors = RAROG_ERRORS_AUTO };

	*cost = (struct rarog_costing){ .x = (char *)(uintptr_t)curves->x,
					.points = curves->points,
					.ticks = busy->ticks,
					.preempted = busy->preempted };
	return rarog_estimate(cost, &of, &options, ret_estimate);
}

static int add(struct run *run, size_t row, const struct rarog_model_word *word)
{
	struct rarog_change change = RAROG_CHANGE_INIT;

	rarog_describe_row(run->comparison, row, &change);
	change.class = word->class;
	change.metric = run->are_counts ? &metric_count : &rarog_metric_growth;
	change.baseline = word->baseline;
	change.target = word->target;
	change.relative = word->relative;
	change.method = rarog_check_growth.name;
	change.reason = word->reason;
	change.parts = word->parts;
	change.n_parts = word->n_parts;
	run->judged++;
	run->changed += word->class != RAROG_CLASS_NO_CHANGE;
	return rarog_verdict_add(run->verdict, &change);
}

static int judge(struct run *run, size_t row)
{
	rarog_cleanup(rarog_estimate_release) struct rarog_modelled baseline = { 0 };
	rarog_cleanup(rarog_estimate_release) struct rarog_modelled target = { 0 };
	const struct rarog_growth_pair pair = {
		.of = { &baseline, &target },
		.x = run->table->of[0][row].x,
		.is_exact = run->are_counts,
		.effect = { run->limits[SMALLEST], run->limits[SEVERE] },
	};
	struct rarog_costing costs[2];
	struct rarog_model_word word;
	int r = estimate(run, 0, row, &costs[0], &baseline);

	if (r == 0)
		r = estimate(run, 1, row, &costs[1], &target);
	if (r < 0)
		return r;
	rarog_growth_judge(&pair, &word);
	return add(run, row, &word);
}

static int judge_row(struct run *run, size_t row)
{
	const struct rarog_curves *baseline = &run->table->of[0][row];
	const struct rarog_curves *target = &run->table->of[1][row];
	struct rarog_model_word differ = { .baseline = NAN, .target = NAN, .relative = NAN };

	if (run->comparison->rows[row].is_unknown || !baseline->x || !target->x)
		return 0;
	if (rarog_curves_differ(run->table, row, sizeof(differ.reason), differ.reason))
		return add(run, row, &differ);
	return judge(run, row);
}

/* However many calls there are, those of one sitting have the machine in common. */
static int judge_sittings(const struct run *run, size_t first)
{
	const double limits[] = { [RAROG_RUNS_ALPHA] = ALPHA };
	struct rarog_judge judge = {
		.comparison = run->comparison,
		.limits = limits,
		.effect = { run->limits[SMALLEST], run->limits[SEVERE] },
		.verdict = run->verdict,
	};

	return rarog_sittings_judge(&judge, first);
}

static int run_growth(const struct rarog_comparison *comparison, const double limits[],
		      struct rarog_verdict *verdict)
{
	rarog_cleanup(rarog_curve_table_release) struct rarog_curve_table table = { 0 };
	rarog_cleanup(run_release) struct run run = { .comparison = comparison,
						      .limits = limits,
						      .table = &table,
						      .verdict = verdict,
						      .are_counts = are_counts(comparison) };
	size_t first = verdict->changes.n;
	int r = rarog_curve_table_fill(comparison, &table);

	if (r == 0)
		r = note_busy(&run, 0);
	if (r == 0)
		r = note_busy(&run, 1);
	for (size_t i = 0; r == 0 && i < table.n; i++)
		r = judge_row(&run, i);
	if (r == 0 && run.judged == 0)
		return rarog_fail(-ENODATA, "no function has values of its calls on both sides; "
					    "rarog collect --args FUNC keeps them");
	if (r == 0 && run.changed > 0 && !run.are_counts)
		r = rarog_note_chance(comparison, rarog_check_growth.name, verdict);
	return r < 0 || run.are_counts ? r : judge_sittings(&run, first);
}

const struct rarog_check_method rarog_check_growth = {
	.name = "growth",
	.summary = "growth of cost with the values that calls were given: another class, or "
		   "another cost at the same x; runs beside the standard method if values were "
		   "captured, and over the workloads of a job",
	.thresholds = thresholds,
	.run = run_growth,
};
