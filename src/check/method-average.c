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

static struct amounts times_of(const struct rarog_comparison *comparison, size_t row, int side)
{
	double *const *values = comparison->rows[row].values[side];
	struct amounts amounts = { 0 };

	for (size_t i = 0; i < comparison->sides[side].runs.n; i++) {
		amounts.sum += values[RAROG_MEASURE_INCLUSIVE][i];
		amounts.count += values[RAROG_MEASURE_CALLS][i];
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

static int add(const struct rarog_comparison *comparison, size_t row,
	       const struct rarog_metric *metric, const struct amounts amounts[2], double factor,
	       struct rarog_verdict *verdict)
{
	struct rarog_change change = RAROG_CHANGE_INIT;

	if (amounts[0].count <= 0 && amounts[1].count <= 0)
		return 0;
	rarog_describe_row(comparison, row, &change);
	change.metric = metric;
	change.method = rarog_check_average.name;
	change.baseline = mean_of(&amounts[0]);
	change.target = mean_of(&amounts[1]);
	if (amounts[0].count <= 0)
		change.class = RAROG_CLASS_NOT_IN_BASELINE;
	else if (amounts[1].count <= 0)
		change.class = RAROG_CLASS_NOT_IN_TARGET;
	else
		change.class = class_of(change.baseline, change.target, factor);
	if (change.baseline > 0)
		change.relative = change.target / change.baseline - 1;
	return rarog_verdict_add(verdict, &change);
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

static int run(const struct rarog_comparison *comparison, const double t[],
	       struct rarog_verdict *verdict)
{
	size_t before = verdict->changes.n;
	int r = 0;

	for (size_t i = 0; r == 0 && comparison->has_times && i < comparison->n; i++) {
		const struct amounts amounts[2] = { times_of(comparison, i, RAROG_BASELINE),
						    times_of(comparison, i, RAROG_TARGET) };

		r = add(comparison, i, &metric_call, amounts, t[0], verdict);
	}
	if (r == 0 && !comparison->has_times)
		r = compare_quantities(comparison, t[0], verdict);
	if (r == 0 && verdict->changes.n == before)
		return rarog_fail(-ENODATA, "no function has an amount");
	return r;
}

const struct rarog_check_method rarog_check_average = {
	.name = "average-amount",
	.short_name = "AAT",
	.summary = "mean time of a call (or mean amount), by a factor",
	.thresholds = thresholds,
	.run = run,
};
