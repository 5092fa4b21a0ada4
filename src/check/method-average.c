/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Average amount: what a call of the function takes in the mean, by a factor. Where a profile has
 * no times, amounts of other units (bytes, samples) are compared likewise.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check/describe.h"
#include "check/method.h"

static const struct rarog_threshold thresholds[] = {
	{ "factor", 2, 1, 1e6, "from this factor on, either way, it is a change" },
	{ .name = NULL },
};

static const struct rarog_metric metric_call = { "time-per-call", "ns" };
static const struct rarog_metric metric_amount = { "mean-amount", "" };

struct amounts {
	double sum, count;
};

static double mean_of(const struct amounts *amounts)
{
	return amounts->count > 0 ? amounts->sum / amounts->count : NAN;
}

/* Of samples, where no call is known, a run is one. */
static struct amounts times_of(const struct rarog_comparison *comparison, size_t row, int side)
{
	double *const *values = comparison->rows[row].values[side];
	struct amounts amounts = { 0 };

	for (size_t i = 0; i < comparison->sides[side].runs.n; i++) {
		double inclusive = values[RAROG_MEASURE_INCLUSIVE][i];

		amounts.sum += inclusive;
		amounts.count += comparison->sides[side].runs.v[i].counts_samples
					 ? inclusive > 0
					 : values[RAROG_MEASURE_CALLS][i];
	}
	return amounts;
}

/* A mean that was 0 has no factor: growing from it is a change, and nothing is said of how much. */
static enum rarog_class class_of(double baseline, double target, double factor)
{
	if (baseline == target)
		return RAROG_CLASS_NO_CHANGE;
	if (target >= factor * baseline)
		return RAROG_CLASS_DEGRADATION;
	return baseline >= factor * target ? RAROG_CLASS_OPTIMIZATION : RAROG_CLASS_NO_CHANGE;
}

static void judge(const struct amounts amounts[2], double factor, struct rarog_change *change)
{
	change->method = rarog_check_average.name;
	change->baseline = mean_of(&amounts[0]);
	change->target = mean_of(&amounts[1]);
	if (amounts[0].count <= 0)
		change->class = RAROG_CLASS_NOT_IN_BASELINE;
	else if (amounts[1].count <= 0)
		change->class = RAROG_CLASS_NOT_IN_TARGET;
	else
		change->class = class_of(change->baseline, change->target, factor);
	if (change->baseline > 0)
		change->relative = change->target / change->baseline - 1;
}

static int add(const struct rarog_comparison *comparison, size_t row,
	       const struct rarog_metric *metric, const struct amounts amounts[2], double factor,
	       struct rarog_verdict *verdict)
{
	struct rarog_change change = RAROG_CHANGE_INIT;

	if (amounts[0].count <= 0 && amounts[1].count <= 0)
		return 0;
	rarog_describe_row(comparison, row, &change);
	change.metric = metric;
	judge(amounts, factor, &change);
	return rarog_verdict_add(verdict, &change);
}

/* Also times that are all 0 are times; calls that were only counted have none. */
static bool is_timed(struct rarog_profile *profile)
{
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(profile, &summaries);

	for (long i = 0; i < n; i++)
		if (summaries[i].timed > 0)
			return true;
	return false;
}

static bool are_timed(const struct rarog_comparison *comparison)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < comparison->sides[side].runs.n; i++)
			if (!is_timed(comparison->sides[side].runs.v[i].profile))
				return false;
	return true;
}

static int compare_times(const struct rarog_comparison *comparison, double factor,
			 struct rarog_verdict *verdict)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < comparison->n; i++) {
		const struct amounts amounts[2] = { times_of(comparison, i, RAROG_BASELINE),
						    times_of(comparison, i, RAROG_TARGET) };

		r = add(comparison, i, &metric_call, amounts, factor, verdict);
	}
	return r;
}

/* --- amounts that are no times --- */

static int gather(const struct rarog_comparison *comparison, int side, struct amounts *amounts)
{
	const struct rarog_side *of = &comparison->sides[side];

	for (size_t run = 0; run < of->runs.n; run++) {
		const struct rarog_quantity *quantities;
		long n = rarog_profile_quantities(of->runs.v[run].profile, &quantities);

		if (n < 0)
			return (int)n;
		for (long i = 0; i < n; i++) {
			uint32_t row = comparison->row_of[side][run][quantities[i].location];

			if (row >= comparison->n)
				continue;
			amounts[row].sum += (double)quantities[i].sum;
			amounts[row].count += (double)quantities[i].count;
		}
	}
	return 0;
}

static int compare_quantities(const struct rarog_comparison *comparison, double factor,
			      struct rarog_verdict *verdict)
{
	rarog_cleanup(rarog_freep) struct amounts *of = calloc(2 * comparison->n + 1, sizeof(*of));
	int r = of ? 0 : rarog_oom();

	for (int side = 0; r == 0 && side < 2; side++)
		r = gather(comparison, side, of + (size_t)side * comparison->n);
	for (size_t i = 0; r == 0 && i < comparison->n; i++) {
		const struct amounts amounts[2] = { of[i], of[comparison->n + i] };

		r = add(comparison, i, &metric_amount, amounts, factor, verdict);
	}
	return r;
}

/* --- the whole program --- */

static struct amounts runs_of(size_t n, const double values[])
{
	struct amounts amounts = { .count = (double)n };

	for (size_t i = 0; i < n; i++)
		amounts.sum += values[i];
	return amounts;
}

static int add_program(const struct rarog_metric *metric, const struct amounts amounts[2],
		       double factor, struct rarog_verdict *verdict)
{
	struct rarog_change change = RAROG_CHANGE_INIT;

	if (amounts[0].count <= 0 || amounts[1].count <= 0)
		return 0;
	change.metric = metric;
	judge(amounts, factor, &change);
	return rarog_verdict_add(verdict, &change);
}

static int compare_programs(const struct rarog_comparison *comparison, double factor,
			    struct rarog_verdict *verdict)
{
	const struct rarog_side *b = &comparison->sides[0], *t = &comparison->sides[1];
	const struct amounts wall[2] = { runs_of(b->wall_ns.n, b->wall_ns.v),
					 runs_of(t->wall_ns.n, t->wall_ns.v) };
	const struct amounts cpu[2] = { runs_of(b->cpu_ns.n, b->cpu_ns.v),
					runs_of(t->cpu_ns.n, t->cpu_ns.v) };
	int r = add_program(&rarog_metric_wall, wall, factor, verdict);

	return r < 0 ? r : add_program(&rarog_metric_cpu, cpu, factor, verdict);
}

static int run(const struct rarog_comparison *comparison, const double t[],
	       struct rarog_verdict *verdict)
{
	size_t before = verdict->changes.n;
	int r = compare_programs(comparison, t[0], verdict);

	if (r == 0)
		r = are_timed(comparison) ? compare_times(comparison, t[0], verdict)
					  : compare_quantities(comparison, t[0], verdict);
	if (r == 0 && verdict->changes.n == before)
		return rarog_fail(-ENODATA, "no function has an amount");
	return r < 0 ? r : rarog_note_chance(comparison, rarog_check_average.name, verdict);
}

const struct rarog_check_method rarog_check_average = {
	.name = "average-amount",
	.short_name = "AAT",
	.summary = "mean time of a call (or mean amount), by a factor",
	.thresholds = thresholds,
	.run = run,
};
