/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exclusive-time outliers: of all functions, which gained or lost much more than the others? And
 * did a binary, or the whole program?
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check/describe.h"
#include "check/method.h"
#include "check/outliers.h"

enum { CUTOFF, TOTAL, SCORE, FENCE, DEVIATIONS };

static const struct rarog_threshold thresholds[] = {
	[CUTOFF] = { "cutoff", 0.005, 0, 1, "least difference, as a share of all exclusive time" },
	[TOTAL] = { "total", 0.05, 0, 1e6, "least change of a whole binary or program" },
	[SCORE] = { "score", 3.5, 0, 1e6, "modified z-score of a severe change" },
	[FENCE] = { "fence", 1.5, 0, 1e6, "interquartile ranges beyond a quartile" },
	[DEVIATIONS] = { "deviations", 2, 0, 1e6, "standard deviations of a maybe" },
	{ .name = NULL },
};

struct sums {
	const struct rarog_comparison *comparison;
	const double *thresholds;
	struct rarog_verdict *verdict;
	double *mean[2];     /* ns a run, by row */
	double *differences; /* of the rows that both sides have … */
	size_t *rows, n;     /* … and which these are */
	double total[2];
};

static void sums_release(struct sums *sums)
{
	free(sums->mean[0]);
	free(sums->mean[1]);
	free(sums->differences);
	free(sums->rows);
}

static double mean_of(const struct rarog_comparison *comparison, size_t row, int side)
{
	size_t n = comparison->sides[side].runs.n;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += comparison->rows[row].values[side][RAROG_MEASURE_EXCLUSIVE][i];
	return n > 0 ? sum / (double)n : 0;
}

static int sums_fill(struct sums *sums)
{
	size_t n = sums->comparison->n;

	for (int side = 0; side < 2; side++) {
		sums->mean[side] = calloc(n + 1, sizeof(double));
		if (!sums->mean[side])
			return rarog_oom();
		for (size_t i = 0; i < n; i++) {
			sums->mean[side][i] = mean_of(sums->comparison, i, side);
			sums->total[side] += sums->mean[side][i];
		}
	}
	sums->differences = calloc(n + 1, sizeof(double));
	sums->rows = calloc(n + 1, sizeof(size_t));
	return sums->differences && sums->rows ? 0 : rarog_oom();
}

static double impact_of(const struct sums *sums, double difference)
{
	double larger = fmax(sums->total[0], sums->total[1]);

	return larger > 0 ? difference / larger : 0;
}

static struct rarog_change change_of(const struct sums *sums, double baseline, double target)
{
	struct rarog_change change = RAROG_CHANGE_INIT;

	change.metric = &rarog_metric_exclusive;
	change.method = rarog_check_exclusive.name;
	change.baseline = baseline;
	change.target = target;
	if (baseline > 0)
		change.relative = target / baseline - 1;
	if (sums->total[0] > 0)
		change.impact = (target - baseline) / sums->total[0];
	return change;
}

/* --- one function --- */

static enum rarog_class class_of(const struct rarog_outlier_word *word, double difference)
{
	static const enum rarog_class slower[] = {
		[RAROG_OUTLIER_NONE] = RAROG_CLASS_NO_CHANGE,
		[RAROG_OUTLIER_DEVIATION] = RAROG_CLASS_MAYBE_DEGRADATION,
		[RAROG_OUTLIER_FENCE] = RAROG_CLASS_DEGRADATION,
		[RAROG_OUTLIER_SCORE] = RAROG_CLASS_SEVERE_DEGRADATION,
	};
	static const enum rarog_class faster[] = {
		[RAROG_OUTLIER_NONE] = RAROG_CLASS_NO_CHANGE,
		[RAROG_OUTLIER_DEVIATION] = RAROG_CLASS_MAYBE_OPTIMIZATION,
		[RAROG_OUTLIER_FENCE] = RAROG_CLASS_OPTIMIZATION,
		[RAROG_OUTLIER_SCORE] = RAROG_CLASS_SEVERE_OPTIMIZATION,
	};

	/* slower, only less so than the others, is no optimization */
	if ((difference > 0) != (word->times > 0))
		return RAROG_CLASS_NO_CHANGE;
	return difference > 0 ? slower[word->kind] : faster[word->kind];
}

static void explain(const struct rarog_outlier_word *word, size_t size, char *reason)
{
	reason[0] = '\0';
	if (word->kind == RAROG_OUTLIER_DEVIATION)
		snprintf(reason, size, "%.1f standard deviations of the other differences",
			 word->times);
	else if (word->kind == RAROG_OUTLIER_FENCE)
		snprintf(reason, size, "%.1f interquartile ranges beyond the quartile",
			 word->times);
	else if (word->kind == RAROG_OUTLIER_SCORE)
		snprintf(reason, size, "modified z-score %.1f", word->times);
}

static int add_known(struct sums *sums, size_t i, const struct rarog_outlier_word *word)
{
	size_t row = sums->rows[i];
	struct rarog_change change =
		change_of(sums, sums->mean[RAROG_BASELINE][row], sums->mean[RAROG_TARGET][row]);
	char reason[120];

	rarog_describe_row(sums->comparison, row, &change);
	change.class = class_of(word, sums->differences[i]);
	if (fabs(impact_of(sums, sums->differences[i])) < sums->thresholds[CUTOFF])
		change.class = RAROG_CLASS_NO_CHANGE;
	if (change.class != RAROG_CLASS_NO_CHANGE) {
		explain(word, sizeof(reason), reason);
		change.reason = reason;
	}
	return rarog_verdict_add(sums->verdict, &change);
}

static int add_functions(struct sums *sums)
{
	const struct rarog_outlier_limits limits = { sums->thresholds[SCORE],
						     sums->thresholds[FENCE],
						     sums->thresholds[DEVIATIONS] };
	rarog_cleanup(rarog_freep) struct rarog_outlier_word *words =
		calloc(sums->n + 1, sizeof(*words));
	int r = words ? rarog_outliers(sums->n, sums->differences, &limits, words) : rarog_oom();

	for (size_t i = 0; r == 0 && i < sums->n; i++)
		r = add_known(sums, i, &words[i]);
	return r;
}

static int add_missing(struct sums *sums, size_t row, enum rarog_class class)
{
	struct rarog_change change =
		change_of(sums, sums->mean[RAROG_BASELINE][row], sums->mean[RAROG_TARGET][row]);

	rarog_describe_row(sums->comparison, row, &change);
	change.class = class;
	return rarog_verdict_add(sums->verdict, &change);
}

/* Those of both sides are gathered, the others said. */
static int sort_rows(struct sums *sums)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < sums->comparison->n; i++) {
		const struct rarog_row *row = &sums->comparison->rows[i];

		if (row->is_unknown) {
			continue;
		} else if (!row->form[RAROG_BASELINE].mangled) {
			r = add_missing(sums, i, RAROG_CLASS_NOT_IN_BASELINE);
		} else if (!row->form[RAROG_TARGET].mangled) {
			r = add_missing(sums, i, RAROG_CLASS_NOT_IN_TARGET);
		} else {
			sums->rows[sums->n] = i;
			sums->differences[sums->n++] =
				sums->mean[RAROG_TARGET][i] - sums->mean[RAROG_BASELINE][i];
		}
	}
	return r;
}

/* --- sums --- */

static int add_total(struct sums *sums, const char *binary, double baseline, double target)
{
	const char *slash = binary ? strrchr(binary, '/') : NULL;
	struct rarog_change change = change_of(sums, baseline, target);
	double factor = fmax(baseline, target) / fmax(fmin(baseline, target), 1);

	change.binary = slash ? slash + 1 : binary;
	change.location = change.binary && *change.binary ? change.binary : "";
	change.class = RAROG_CLASS_NO_CHANGE;
	if (factor > 1 + sums->thresholds[TOTAL])
		change.class = target > baseline ? RAROG_CLASS_TOTAL_DEGRADATION
						 : RAROG_CLASS_TOTAL_OPTIMIZATION;
	return rarog_verdict_add(sums->verdict, &change);
}

static const char *binary_of(const struct sums *sums, size_t row)
{
	const char *binary = rarog_row_form(&sums->comparison->rows[row])->binary;

	return binary ? binary : "";
}

static bool is_first_of(const struct sums *sums, size_t row, const char *binary)
{
	for (size_t i = 0; i < row; i++)
		if (strcmp(binary_of(sums, i), binary) == 0)
			return false;
	return true;
}

/* Each binary at the first of its rows; one only is the program said again. */
static int add_binaries(struct sums *sums)
{
	size_t n = sums->comparison->n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *binary = binary_of(sums, i);
		double of[2] = { 0 };
		size_t rows = 0;

		if (!is_first_of(sums, i, binary))
			continue;
		for (size_t k = i; k < n; k++) {
			if (strcmp(binary_of(sums, k), binary) != 0)
				continue;
			of[0] += sums->mean[0][k];
			of[1] += sums->mean[1][k];
			rows++;
		}
		if (rows < n)
			r = add_total(sums, binary, of[0], of[1]);
	}
	return r;
}

static bool has_unknown(const struct rarog_comparison *comparison)
{
	for (size_t i = 0; i < comparison->n; i++)
		if (comparison->rows[i].is_unknown)
			return true;
	return false;
}

static int run(const struct rarog_comparison *comparison, const double t[],
	       struct rarog_verdict *verdict)
{
	rarog_cleanup(sums_release) struct sums sums = { .comparison = comparison,
							 .thresholds = t,
							 .verdict = verdict };
	int r;

	if (!comparison->has_times || comparison->n == 0)
		return rarog_fail(-ENODATA, "no function has a time");
	r = sums_fill(&sums);
	if (r == 0)
		r = rarog_note_chance(comparison, rarog_check_exclusive.name, verdict);
	if (r == 0)
		r = sort_rows(&sums);
	if (r == 0)
		r = add_functions(&sums);
	if (r < 0 || has_unknown(comparison)) /* no sum is the whole */
		return r;
	r = add_total(&sums, NULL, sums.total[0], sums.total[1]);
	return r < 0 ? r : add_binaries(&sums);
}

const struct rarog_check_method rarog_check_exclusive = {
	.name = "exclusive-outliers",
	.short_name = "ETO",
	.summary = "functions whose own time changed much more than that of the others",
	.needs_times = true,
	.thresholds = thresholds,
	.run = run,
};
