/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two curves compared: closed forms, scipy.integrate.quad and numpy over the same 201 places. */
#include "check/contrast.h"
#include "check/outliers.h"
#include "num-check.h"
#include "unit.h"

#define SLOPE     0.049
#define INTERCEPT 238.6

static struct rarog_model curve(const char *family, double b0, double b1, double b2)
{
	return (struct rarog_model){ .family = rarog_model_family(family),
				     .b = { b0, b1, b2 },
				     .x_start = 1,
				     .x_end = 1e6,
				     .x_floor = -INFINITY };
}

/* The pair both ways round: the classes mirror each other, the ratios are reciprocal. */
static struct rarog_contrast both_ways(const struct rarog_model *a, const struct rarog_model *b)
{
	struct rarog_contrast there = { 0 }, back = { 0 };

	assert_int_equal(rarog_contrast(a, b, &there), 0);
	assert_int_equal(rarog_contrast(b, a, &back), 0);
	assert_close(there.ratio * back.ratio, 1, 1e-12);
	assert_close(there.typical_ratio * back.typical_ratio, 1, 1e-12);
	return there;
}

TEST(shifted_and_steeper)
{
	const struct rarog_model line = curve("linear", INTERCEPT, SLOPE, 0),
				 shifted = curve("linear", INTERCEPT + 5000, SLOPE, 0),
				 steeper = curve("linear", 1.2 * INTERCEPT, 1.2 * SLOPE, 0),
				 bent = curve("quadratic", INTERCEPT, SLOPE, 4.1e-8);
	struct rarog_contrast c = both_ways(&line, &shifted);

	assert_close(c.baseline, 24738.6245, 1e-9);
	assert_close(c.ratio, 1.20211309647, 1e-9);
	assert_close(c.typical_ratio, 1.38579448455, 1e-9);
	c = both_ways(&line, &steeper);
	assert_close(c.ratio, 1.2, 1e-9);
	assert_close(c.typical_ratio, 1.198912006612764, 1e-9); /* the first place is near 0 */
	assert_close(c.end_ratio, 1.2, 1e-9);
	c = both_ways(&line, &bent);
	assert_close(c.ratio, 1.55244301612, 1e-9);
	assert_close(c.typical_ratio, 1.39319229739, 1e-9);
	assert_close(c.end_ratio, 1.83268005183, 1e-9);
}

/* Only what both know counts: a longer interval is no slower function. */
TEST(common_interval)
{
	struct rarog_model a = curve("constant", 2.6, 0, 0), b = curve("constant", 2.6, 0, 0);
	struct rarog_contrast c;

	a.x_end = 110;
	b.x_end = 1110;
	c = both_ways(&a, &b);
	assert_close(c.ratio, 1, 1e-12);
	assert_close(c.to, 110, 0);
	assert_close(c.covered, 109.0 / 1109, 1e-12);
	b.x_start = 110;
	assert_refused(rarog_contrast(&a, &b, &c), -EDOM, "hardly a common interval");
	b.x_start = 1;
	b.x_end = 133368;
	assert_refused(rarog_contrast(&a, &b, &c), -EDOM, "hardly a common interval");
}

/* Below 0, and 0 itself: nothing divides by almost nothing. */
TEST(around_zero)
{
	struct rarog_model a = curve("linear", -50, 1, 0), b = curve("linear", -80, 1.4, 0),
			   zero = curve("constant", 0, 0, 0);
	struct rarog_contrast c;

	a.x_start = b.x_start = 0;
	a.x_end = b.x_end = 200;
	c = both_ways(&a, &b);
	assert_close(c.ratio, 1.2, 1e-9);
	assert_close(c.typical_ratio, 1.04474024586, 1e-9);
	assert_int_equal(rarog_contrast(&zero, &zero, &c), 0);
	assert_close(c.ratio, 1, 0);
	assert_close(c.typical_ratio, 1, 0);
	assert_close(rarog_ratio(0, 5, 5), 100, 1e-12);
	assert_close(rarog_ratio(5, 0, 5), 0.01, 1e-12);
}

TEST(classes)
{
	static const struct {
		double ratio;
		enum rarog_class class;
	} rows[] = {
		{ 1, RAROG_CLASS_NO_CHANGE },
		{ 1.1, RAROG_CLASS_NO_CHANGE },
		{ 1.11, RAROG_CLASS_MAYBE_DEGRADATION },
		{ 1.25, RAROG_CLASS_MAYBE_DEGRADATION },
		{ 1.26, RAROG_CLASS_DEGRADATION },
		{ 1 / 1.1, RAROG_CLASS_NO_CHANGE },
		{ 1 / 1.11, RAROG_CLASS_MAYBE_OPTIMIZATION },
		{ 1 / 1.26, RAROG_CLASS_OPTIMIZATION },
		{ 0, RAROG_CLASS_UNKNOWN },
		{ NAN, RAROG_CLASS_UNKNOWN },
		{ INFINITY, RAROG_CLASS_UNKNOWN },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++)
		assert_int_equal(rarog_class_of_ratio(rows[i].ratio, 0.1, 0.25), rows[i].class);
}

TEST(kind_of_difference)
{
	const struct rarog_model line = curve("linear", INTERCEPT, SLOPE, 0);
	const struct {
		struct rarog_model model;
		enum rarog_trend_kind kind;
		const char *family;
	} rows[] = {
		{ curve("linear", INTERCEPT, SLOPE, 0), RAROG_DIFFERENCE_NONE, "constant" },
		{ curve("linear", INTERCEPT + 7, SLOPE, 0), RAROG_DIFFERENCE_CONSTANT, "constant" },
		{ curve("linear", INTERCEPT, 3 * SLOPE, 0), RAROG_DIFFERENCE_LINEAR, "linear" },
		{ curve("linear", INTERCEPT, SLOPE / 2, 0), RAROG_DIFFERENCE_LINEAR, "linear" },
		{ curve("quadratic", INTERCEPT, 2 * SLOPE, 1e-6), RAROG_DIFFERENCE_QUADRATIC,
		  "quadratic" },
		{ curve("exponential", 5, 1.00003, 0), RAROG_DIFFERENCE_OTHER, "exponential" },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++) {
		const struct rarog_model_family *family = NULL;
		enum rarog_trend_kind kind = RAROG_DIFFERENCE_NONE;
		struct rarog_contrast c;

		assert_int_equal(rarog_contrast(&line, &rows[i].model, &c), 0);
		assert_int_equal(
			rarog_difference_polynomial(&line, &rows[i].model, &c, 0.05, &kind), 0);
		assert_int_equal(kind, rows[i].kind);
		assert_int_equal(rarog_difference_family(&line, &rows[i].model, &c,
							 RAROG_MODEL_AICC, &family),
				 0);
		assert_string_equal(family->name, rows[i].family);
	}
}

/* A step of 40 % in the third quarter, 15 % in the fourth: two parts, each found where it is. */
TEST(parts)
{
	double x[8] = { 0, 50, 50.001, 75, 75.001, 100 }, flat[8] = { 10, 10, 10, 10, 10, 10 },
	       high[8] = { 10, 10, 14, 14, 11.5, 11.5 };
	struct rarog_model a = { .family = rarog_model_family("moving-average"),
				 .x_end = 100,
				 .n_knots = 6,
				 .knots_x = x,
				 .knots_y = flat };
	struct rarog_model b = a;
	struct rarog_change_part found[RAROG_LOCAL_PARTS_MAX];
	const struct rarog_local_limits limits = { 20, 0.1, 0.25, 0.2, 0.5 };
	struct rarog_contrast c;

	b.knots_y = high;
	c = both_ways(&a, &b);
	assert_close(c.ratio, 1 + 0.25 * 0.4 + 0.25 * 0.15, 1e-4);
	assert_int_equal(rarog_contrast_parts(&a, &b, &c, &limits, found), 2);
	assert_int_equal(found[0].class, RAROG_CLASS_DEGRADATION);
	assert_close(found[0].from, 50, 1e-9);
	assert_close(found[0].to, 75, 1e-9);
	assert_close(found[0].relative, 0.4, 2e-3);
	assert_int_equal(found[1].class, RAROG_CLASS_MAYBE_DEGRADATION);
	assert_close(found[1].to, 100, 1e-9);
	assert_int_equal(rarog_contrast_parts(&a, &a, &c, &limits, found), 0);
	assert_int_equal(rarog_contrast_parts(&b, &a, &c, &limits, found), 2);
	assert_int_equal(found[0].class, RAROG_CLASS_OPTIMIZATION);
}

/* numpy: quartiles -1.75 and 3.75; the 11 that are no outliers have mean and deviation of these. */
TEST(outliers)
{
	static const double x[] = { 3, -2, 5, 1, -4, 2, 0, -1, 4, -3, 2.5, 60, 9.5, -11 };
	const struct rarog_outlier_limits limits = { 3.5, 1.5, 2 };
	struct rarog_outlier_word words[14];

	assert_int_equal(rarog_outliers(14, x, &limits, words), 0);
	for (size_t i = 0; i < 11; i++)
		assert_int_equal(words[i].kind, RAROG_OUTLIER_NONE);
	assert_int_equal(words[11].kind, RAROG_OUTLIER_SCORE);
	assert_close(words[11].times, 13.152550128824, 1e-9);
	assert_int_equal(words[12].kind, RAROG_OUTLIER_DEVIATION);
	assert_close(words[12].times, 2.13678819, 1e-8);
	assert_int_equal(words[13].kind, RAROG_OUTLIER_FENCE);
	assert_close(words[13].times, -1.6818181818181819, 1e-12);
}

/* Most of them the same (no MAD), all of them, very few. */
TEST(hardly_outliers)
{
	static const double most[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1000 }, few[] = { 0, 0, 1e9 },
			    bad[] = { 1, 2, 3, NAN };
	const struct rarog_outlier_limits limits = { 3.5, 1.5, 2 };
	struct rarog_outlier_word words[10];

	assert_int_equal(rarog_outliers(10, most, &limits, words), 0);
	assert_int_equal(words[9].kind, RAROG_OUTLIER_SCORE);
	assert_close(words[9].times, 1000 / (1.2533141373155003 * 100), 1e-12);
	assert_int_equal(words[0].kind, RAROG_OUTLIER_NONE);
	assert_int_equal(rarog_outliers(9, most, &limits, words), 0);
	assert_int_equal(words[8].kind, RAROG_OUTLIER_NONE);
	assert_int_equal(rarog_outliers(3, few, &limits, words), 0);
	assert_int_equal(words[2].kind, RAROG_OUTLIER_NONE);
	assert_int_equal(rarog_outliers(4, bad, &limits, words), -EINVAL);
}
