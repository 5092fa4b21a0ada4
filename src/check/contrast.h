/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How two curves differ: the measures that the methods of model comparison share. All are
 * symmetric, so that the same pair the other way round gets the mirrored class, and all look at
 * nothing but the interval that both curves know.
 */
#ifndef RAROG_CHECK_CONTRAST_H
#define RAROG_CHECK_CONTRAST_H

#include "check/verdict.h"
#include "model/model.h"

/** rarog_ratio() - @target / @baseline; both as at least a hundredth of @scale (the size of such
 * values), so that nothing divides by almost nothing and what is below 0 has a ratio too. 1 if
 * @scale is 0. */
double rarog_ratio(double baseline, double target, double scale);

/** rarog_class_of_ratio() - by the factor, whichever way: up to 1 + @maybe no change, up to 1 +
 * @sure maybe, beyond that a change. A factor of 1 / (1 + x) is as much faster as 1 + x is slower.
 */
enum rarog_class rarog_class_of_ratio(double ratio, double maybe, double sure);

struct rarog_contrast {
	double from, to;         /* the interval that both curves know */
	double covered;          /* its part of all that at least one knows */
	double baseline, target; /* means there */
	double ratio;            /* of the means, that is of the integrals */
	double typical_ratio;    /* geometric mean of the ratios along x */
	double end_ratio;        /* at .to */
};

#define RAROG_CONTRAST_POINTS 201

/** rarog_contrast() - 0; -EDOM no common interval, or one of less than a hundredth of all x;
 * a curve that is not finite there. */
int rarog_contrast(const struct rarog_model *baseline, const struct rarog_model *target,
		   struct rarog_contrast *ret_contrast);

/* What a difference does as x grows. */
enum rarog_trend_kind {
	RAROG_DIFFERENCE_NONE,
	RAROG_DIFFERENCE_CONSTANT,
	RAROG_DIFFERENCE_LINEAR,
	RAROG_DIFFERENCE_QUADRATIC,
	RAROG_DIFFERENCE_OTHER,
};

/** rarog_difference_polynomial() - the lowest degree of a polynomial that the difference of the
 * curves over the contrast's interval follows but for @residual of its size. 0, -ENOMEM. */
int rarog_difference_polynomial(const struct rarog_model *baseline,
				const struct rarog_model *target,
				const struct rarog_contrast *contrast, double residual,
				enum rarog_trend_kind *ret_kind);

/** rarog_difference_family() - the family that describes the difference best by @rule; NULL: none.
 */
int rarog_difference_family(const struct rarog_model *baseline, const struct rarog_model *target,
			    const struct rarog_contrast *contrast, enum rarog_model_rule rule,
			    const struct rarog_model_family **ret_family);

/* --- part by part --- */

#define RAROG_LOCAL_PARTS_MAX 200

struct rarog_local_limits {
	size_t parts;       /* 1 … RAROG_LOCAL_PARTS_MAX of equal width */
	double maybe, sure; /* of the ratio of a statistic */
	double few, many;   /* share of the statistics that must say so */
};

/**
 * rarog_contrast_parts() - mean, median, minimum, maximum and quartiles of both curves in each part
 * of the contrast's interval; neighbours of one class are put together;
 * .relative of a part is from the geometric mean of the ratios of its statistics
 *
 * A statistic within .maybe says nothing, within .sure half, beyond it counts in full; the sum, as
 * a share of all statistics: up to .few no change, up to .many maybe.
 *
 * Return: number of parts with a change, each in @ret_parts.
 */
size_t rarog_contrast_parts(const struct rarog_model *baseline, const struct rarog_model *target,
			    const struct rarog_contrast *contrast,
			    const struct rarog_local_limits *limits,
			    struct rarog_change_part ret_parts[RAROG_LOCAL_PARTS_MAX]);

#endif
