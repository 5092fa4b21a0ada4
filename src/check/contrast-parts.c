/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "base/cleanup.h"
#include "check/contrast.h"
#include "num/quantile.h"

#define SAMPLES 32 /* of the curve, in each part */

/* Sum and integral would be the mean said again. */
enum { MEAN, MEDIAN, MINIMUM, MAXIMUM, LOWER, UPPER, STATISTICS };

static void describe(const struct rarog_model *model, double from, double to, double *statistics)
{
	double y[SAMPLES];

	for (size_t i = 0; i < SAMPLES; i++)
		y[i] = rarog_model_value(model, from + (to - from) * ((double)i + 0.5) / SAMPLES);
	gsl_sort(y, 1, SAMPLES);
	statistics[MEAN] = gsl_stats_mean(y, 1, SAMPLES);
	statistics[MEDIAN] = rarog_median_sorted(SAMPLES, y);
	statistics[MINIMUM] = y[0];
	statistics[MAXIMUM] = y[SAMPLES - 1];
	statistics[LOWER] = rarog_quantile_sorted(SAMPLES, y, 0.25, RAROG_QUANTILE_7);
	statistics[UPPER] = rarog_quantile_sorted(SAMPLES, y, 0.75, RAROG_QUANTILE_7);
}

static double score_of(enum rarog_class class)
{
	switch (class) {
	case RAROG_CLASS_DEGRADATION:
		return 1;
	case RAROG_CLASS_MAYBE_DEGRADATION:
		return 0.5;
	case RAROG_CLASS_MAYBE_OPTIMIZATION:
		return -0.5;
	case RAROG_CLASS_OPTIMIZATION:
		return -1;
	default:
		return 0;
	}
}

static enum rarog_class class_of_score(double score, const struct rarog_local_limits *limits)
{
	double share = fabs(score) / STATISTICS;

	if (share <= limits->few)
		return RAROG_CLASS_NO_CHANGE;
	if (share <= limits->many)
		return score > 0 ? RAROG_CLASS_MAYBE_DEGRADATION : RAROG_CLASS_MAYBE_OPTIMIZATION;
	return score > 0 ? RAROG_CLASS_DEGRADATION : RAROG_CLASS_OPTIMIZATION;
}

static void compare(const struct rarog_model *baseline, const struct rarog_model *target,
		    double scale, const struct rarog_local_limits *limits,
		    struct rarog_change_part *part)
{
	double b[STATISTICS], t[STATISTICS], score = 0, logs = 0;

	describe(baseline, part->from, part->to, b);
	describe(target, part->from, part->to, t);
	for (int i = 0; i < STATISTICS; i++) {
		double ratio = rarog_ratio(b[i], t[i], scale);

		score += score_of(rarog_class_of_ratio(ratio, limits->maybe, limits->sure));
		logs += log(ratio);
	}
	part->relative = expm1(logs / STATISTICS);
	part->class = class_of_score(score, limits);
}

/* Append, or widen the last one: what it says is then of the whole width. */
static size_t append(size_t n, struct rarog_change_part parts[],
		     const struct rarog_change_part *part)
{
	struct rarog_change_part *last = n > 0 ? &parts[n - 1] : NULL;

	if (part->class == RAROG_CLASS_NO_CHANGE)
		return n;
	if (!last || last->class != part->class || last->to < part->from) {
		parts[n] = *part;
		return n + 1;
	}
	double old = last->to - last->from, more = part->to - part->from;

	last->relative =
		expm1((log1p(last->relative) * old + log1p(part->relative) * more) / (old + more));
	last->to = part->to;
	return n;
}

size_t rarog_contrast_parts(const struct rarog_model *baseline, const struct rarog_model *target,
			    const struct rarog_contrast *contrast,
			    const struct rarog_local_limits *limits,
			    struct rarog_change_part ret_parts[RAROG_LOCAL_PARTS_MAX])
{
	double scale = fmax(fabs(contrast->baseline), fabs(contrast->target));
	double width = contrast->to - contrast->from, edge = contrast->from;
	size_t n = 0;

	for (size_t i = 1; i <= limits->parts; i++) {
		struct rarog_change_part part = { .from = edge };

		edge = part.to = contrast->from + width * (double)i / (double)limits->parts;
		compare(baseline, target, scale, limits, &part);
		n = append(n, ret_parts, &part);
	}
	return n;
}
