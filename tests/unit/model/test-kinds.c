/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The six models of the documents: curves of which each is one, and R² by GSL's least squares. */
#include <gsl/gsl_fit.h>
#include <math.h>

#include "model/kinds.h"
#include "num-check.h"
#include "unit.h"

#define POINTS 40

static double constant(double x)
{
	(void)x;
	return 3;
}

static double linear(double x)
{
	return 8 + 2.5 * x;
}

static double logarithmic(double x)
{
	return 1 + 0.434294482 * log(x);
}

static double quadratic(double x)
{
	return 100 + 14.5 * x - 0.17 * x * x;
}

static double power(double x)
{
	return 3 * pow(x, 3.5);
}

static double exponential(double x)
{
	return pow(2, x);
}

TEST(each_curve_is_its_own_kind)
{
	static double (*const curves[RAROG_KIND_UNCLEAR])(double) = {
		[RAROG_KIND_CONSTANT] = constant,
		[RAROG_KIND_LINEAR] = linear,
		[RAROG_KIND_LOGARITHMIC] = logarithmic,
		[RAROG_KIND_QUADRATIC] = quadratic,
		[RAROG_KIND_POWER] = power,
		[RAROG_KIND_EXPONENTIAL] = exponential,
	};

	for (int k = 0; k < RAROG_KIND_UNCLEAR; k++) {
		struct rarog_kind_sums sums = { 0 };
		double r2;

		for (int i = 1; i <= POINTS; i++)
			rarog_kind_add(&sums, i, curves[k](i));
		assert_string_equal(rarog_kind_names[rarog_kind_best(&sums, &r2)],
				    rarog_kind_names[k]);
		assert_close(r2, 1, 1e-9);
	}
}

static double noise(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*seed >> 40) / (double)(1 << 24) - 0.5;
}

/* Of y = ln x + noise the logarithm explains what GSL says, and more than the line. */
TEST(r2_is_that_of_least_squares)
{
	double lx[POINTS], y[POINTS], c0, c1, c00, c01, c11, rss, mean = 0, tss = 0, r2;
	struct rarog_kind_sums sums = { 0 };
	uint64_t seed = 7;

	for (int i = 0; i < POINTS; i++) {
		lx[i] = log(i + 1);
		y[i] = 10 * lx[i] + noise(&seed);
		mean += y[i] / POINTS;
		rarog_kind_add(&sums, i + 1, y[i]);
	}
	for (int i = 0; i < POINTS; i++)
		tss += (y[i] - mean) * (y[i] - mean);
	gsl_fit_linear(lx, 1, y, 1, POINTS, &c0, &c1, &c00, &c01, &c11, &rss);
	assert_int_equal(rarog_kind_best(&sums, &r2), RAROG_KIND_LOGARITHMIC);
	assert_close(r2, 1 - rss / tss, 1e-9);
}

/* A cloud on a slope is no kind: it is inclined, and nothing explains half of it. */
TEST(what_no_model_explains_is_unclear)
{
	struct rarog_kind_sums sums = { 0 };
	uint64_t seed = 3;
	double r2;

	for (int i = 1; i <= 1000; i++)
		rarog_kind_add(&sums, i, 2000 + 0.3 * i + 1000 * noise(&seed));
	assert_int_equal(rarog_kind_best(&sums, &r2), RAROG_KIND_UNCLEAR);
	assert_true(r2 < 0.5);
}
