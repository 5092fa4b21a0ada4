/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/contrast.h"

#include <errno.h>
#include <gsl/gsl_math.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/least-squares.h"

#define ALMOST_NOTHING 0.01 /* of the size of values */
#define COVERED_LEAST  0.01 /* of all x */

double rarog_ratio(double baseline, double target, double scale)
{
	double least = ALMOST_NOTHING * fabs(scale);

	return least > 0 ? fmax(target, least) / fmax(baseline, least) : 1;
}

enum rarog_class rarog_class_of_ratio(double ratio, double maybe, double sure)
{
	double factor = fmax(ratio, 1 / ratio);

	if (!isfinite(ratio) || ratio <= 0)
		return RAROG_CLASS_UNKNOWN;
	if (factor <= 1 + maybe)
		return RAROG_CLASS_NO_CHANGE;
	if (factor <= 1 + sure)
		return ratio > 1 ? RAROG_CLASS_MAYBE_DEGRADATION : RAROG_CLASS_MAYBE_OPTIMIZATION;
	return ratio > 1 ? RAROG_CLASS_DEGRADATION : RAROG_CLASS_OPTIMIZATION;
}

static double x_of(const struct rarog_contrast *contrast, size_t i)
{
	return contrast->from +
	       (contrast->to - contrast->from) * (double)i / (RAROG_CONTRAST_POINTS - 1);
}

static double typical_ratio(const struct rarog_model *baseline, const struct rarog_model *target,
			    const struct rarog_contrast *contrast)
{
	double scale = fmax(fabs(contrast->baseline), fabs(contrast->target)), sum = 0;

	for (size_t i = 0; i < RAROG_CONTRAST_POINTS; i++) {
		double x = x_of(contrast, i);

		sum += log(rarog_ratio(rarog_model_value(baseline, x), rarog_model_value(target, x),
				       scale));
	}
	return exp(sum / RAROG_CONTRAST_POINTS);
}

int rarog_contrast(const struct rarog_model *baseline, const struct rarog_model *target,
		   struct rarog_contrast *ret_contrast)
{
	struct rarog_contrast c = { .from = fmax(baseline->x_start, target->x_start),
				    .to = fmin(baseline->x_end, target->x_end) };
	double all =
		fmax(baseline->x_end, target->x_end) - fmin(baseline->x_start, target->x_start);
	int r;

	c.covered = (c.to - c.from) / all;
	if (!(c.to > c.from) || c.covered < COVERED_LEAST)
		return rarog_fail(-EDOM, "hardly a common interval: %g to %g, %g to %g",
				  baseline->x_start, baseline->x_end, target->x_start,
				  target->x_end);
	r = rarog_model_mean(baseline, c.from, c.to, &c.baseline);
	if (r == 0)
		r = rarog_model_mean(target, c.from, c.to, &c.target);
	if (r < 0)
		return r;
	double scale = fmax(fabs(c.baseline), fabs(c.target));

	c.ratio = rarog_ratio(c.baseline, c.target, scale);
	c.typical_ratio = typical_ratio(baseline, target, &c);
	c.end_ratio = rarog_ratio(rarog_model_value(baseline, c.to),
				  rarog_model_value(target, c.to), scale);
	if (!isfinite(c.typical_ratio) || !isfinite(c.end_ratio))
		return rarog_fail(-EDOM, "a model is not finite between %g and %g", c.from, c.to);
	*ret_contrast = c;
	return 0;
}

/* --- what the difference does --- */

struct difference {
	double x[RAROG_CONTRAST_POINTS], y[RAROG_CONTRAST_POINTS];
	double size; /* root of the mean of squares */
};

static void difference_fill(const struct rarog_model *baseline, const struct rarog_model *target,
			    const struct rarog_contrast *contrast, struct difference *d)
{
	double squares = 0;

	for (size_t i = 0; i < RAROG_CONTRAST_POINTS; i++) {
		d->x[i] = x_of(contrast, i);
		d->y[i] = rarog_model_value(target, d->x[i]) - rarog_model_value(baseline, d->x[i]);
		squares += d->y[i] * d->y[i];
	}
	d->size = sqrt(squares / RAROG_CONTRAST_POINTS);
}

/* Root of the mean square that a polynomial of @degree leaves. */
static int leftover(const struct difference *d, size_t degree, double *ret_leftover)
{
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	double columns[RAROG_CONTRAST_POINTS * 3];
	size_t p = degree + 1;
	int r;

	for (size_t i = 0; i < RAROG_CONTRAST_POINTS; i++) {
		double at = (double)i / (RAROG_CONTRAST_POINTS - 1);

		for (size_t k = 0; k < p; k++)
			columns[i * p + k] = gsl_pow_uint(at, (unsigned)k);
	}
	r = rarog_least_squares(RAROG_CONTRAST_POINTS, p, columns, d->y, true, &fit);
	if (r == 0)
		*ret_leftover = sqrt(fit.residual_ss / RAROG_CONTRAST_POINTS);
	return r;
}

int rarog_difference_polynomial(const struct rarog_model *baseline,
				const struct rarog_model *target,
				const struct rarog_contrast *contrast, double residual,
				enum rarog_trend_kind *ret_kind)
{
	struct difference d;
	double left = 0;

	difference_fill(baseline, target, contrast, &d);
	*ret_kind = RAROG_DIFFERENCE_NONE;
	if (d.size <= 1e-9 * fmax(fabs(contrast->baseline), fabs(contrast->target)))
		return 0;
	for (size_t degree = 0; degree <= 2; degree++) {
		int r = leftover(&d, degree, &left);

		if (r < 0)
			return r;
		*ret_kind = (enum rarog_trend_kind)(RAROG_DIFFERENCE_CONSTANT + degree);
		if (left <= residual * d.size)
			return 0;
	}
	*ret_kind = RAROG_DIFFERENCE_OTHER;
	return 0;
}

int rarog_difference_family(const struct rarog_model *baseline, const struct rarog_model *target,
			    const struct rarog_contrast *contrast, enum rarog_model_rule rule,
			    const struct rarog_model_family **ret_family)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	const struct rarog_model *best;
	struct difference d;
	int r;

	difference_fill(baseline, target, contrast, &d);
	if (contrast->target < contrast->baseline)
		for (size_t i = 0; i < RAROG_CONTRAST_POINTS; i++)
			d.y[i] = -d.y[i]; /* powers and exponentials are of positive values */
	r = rarog_models_fit(RAROG_CONTRAST_POINTS, d.x, d.y, NULL, &models);
	best = rarog_models_best(&models, rule, true);
	*ret_family = best ? best->family : NULL;
	return r;
}
