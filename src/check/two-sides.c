/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/two-sides.h"

#include <errno.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#include "base/error.h"
#include "num/hodges-lehmann.h"
#include "num/permutation.h"
#include "num/quantile.h"
#include "num/rank.h"

/* --- logarithms --- */

static double least(double a, double b)
{
	return isnan(a) || b < a ? b : a;
}

/* Of what is above 0; NAN: nothing is. */
static double least_positive(size_t n, const double v[])
{
	double found = NAN;

	for (size_t i = 0; i < n; i++)
		if (v[i] > 0)
			found = least(found, v[i]);
	return found;
}

/* What stands for a time of which nothing is left when the cost of probes is taken out: below all
 * others, so that no rank changes, and below a hundredth of what is usual. */
static double below_measure(size_t nx, const double x[], size_t ny, const double y[],
			    double baseline)
{
	double positive = least(least_positive(nx, x), least_positive(ny, y));

	return fmin(positive / 2, baseline / 100);
}

static void to_logarithms(size_t n, const double from[], double instead_of_zero, double to[])
{
	for (size_t i = 0; i < n; i++)
		to[i] = log(from[i] <= 0 ? instead_of_zero : from[i]);
}

/* --- tests --- */

/* Ranks of the absolute differences with the differences' signs, as Wilcoxon's. */
static int signed_ranks(size_t n, const double difference[], double ret_ranks[])
{
	rarog_cleanup(rarog_freep) double *size = calloc(n + 1, sizeof(*size));
	int r;

	if (!size)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		size[i] = fabs(difference[i]);
	r = rarog_rank(n, size, ret_ranks, NULL);
	for (size_t i = 0; r == 0 && i < n; i++)
		ret_ranks[i] = difference[i] == 0 ? 0 : copysign(ret_ranks[i], difference[i]);
	return r;
}

static int test_paired(size_t n, double z[], double ranks[], double level, size_t draws,
		       struct rarog_random *random, double *ret_p, struct rarog_estimate *ret_shift)
{
	struct rarog_permutation test;
	int r;

	for (size_t i = 0; i < n; i++)
		z[i] = z[n + i] - z[i];
	r = signed_ranks(n, z, ranks);
	if (r == 0)
		r = rarog_permutation_paired(n, ranks, rarog_statistic_mean, RAROG_TAIL_BOTH, draws,
					     random, &test);
	if (r < 0)
		return r;
	*ret_p = test.p;
	return rarog_hodges_lehmann_paired(n, z, level, ret_shift);
}

static int test_unpaired(size_t nx, size_t ny, const double z[], double ranks[], double level,
			 size_t draws, struct rarog_random *random, double *ret_p,
			 struct rarog_estimate *ret_shift)
{
	struct rarog_permutation test;
	int r = rarog_rank(nx + ny, z, ranks, NULL);

	if (r == 0)
		r = rarog_permutation(nx, ranks, ny, ranks + nx, rarog_statistic_mean,
				      RAROG_TAIL_BOTH, draws, random, &test);
	if (r < 0)
		return r;
	*ret_p = test.p;
	return rarog_hodges_lehmann(nx, z, ny, z + nx, level, ret_shift);
}

/* The medians of the sides, moved apart by half of what the test says each: the ratio of two
 * medians is another estimate, and may even point the other way. */
static void move_apart(struct rarog_two_sides *two)
{
	double centre = sqrt(two->baseline * two->target), half = sqrt(1 + two->relative);

	two->baseline = centre / half;
	two->target = centre * half;
}

static void note_shift(const struct rarog_estimate *shift, double instead_of_zero,
		       struct rarog_two_sides *two)
{
	two->relative = expm1(shift->value);
	two->low = expm1(shift->low);
	two->high = expm1(shift->high);
	two->target = fmax(two->target, instead_of_zero);
	move_apart(two);
}

int rarog_two_sides(size_t nx, const double x[], size_t ny, const double y[], bool is_paired,
		    double level, size_t draws, struct rarog_random *random,
		    struct rarog_two_sides *ret)
{
	rarog_cleanup(rarog_freep) double *z = calloc(nx + ny + 1, sizeof(*z));
	rarog_cleanup(rarog_freep) double *ranks = calloc(nx + ny + 1, sizeof(*ranks));
	struct rarog_estimate shift = { .value = NAN };
	struct rarog_two_sides two = { .low = NAN, .high = NAN };
	double instead_of_zero;
	int r = z && ranks ? rarog_median(nx, x, &two.baseline) : rarog_oom();

	if (r == 0)
		r = rarog_median(ny, y, &two.target);
	if (r < 0)
		return r;
	if (!(two.baseline > 0))
		return rarog_fail(-EDOM, "a baseline of 0 has no ratio");
	instead_of_zero = below_measure(nx, x, ny, y, two.baseline);
	to_logarithms(nx, x, instead_of_zero, z);
	to_logarithms(ny, y, instead_of_zero, z + nx);
	two.relative = two.target / two.baseline - 1;
	r = is_paired ? test_paired(nx, z, ranks, level, draws, random, &two.p, &shift)
		      : test_unpaired(nx, ny, z, ranks, level, draws, random, &two.p, &shift);
	if (r < 0 && r != -ERANGE && r != -EDOM)
		return r;
	if (r < 0)
		rarog_error_clear(); /* p stands, there is no interval */
	else
		note_shift(&shift, instead_of_zero, &two);
	*ret = two;
	return 0;
}

double rarog_two_sides_least_p(size_t nx, size_t ny, bool is_paired)
{
	double log_ways =
		is_paired ? (double)nx * M_LN2 : gsl_sf_lnchoose((unsigned)(nx + ny), (unsigned)nx);

	return fmin(1, 2 * exp(-log_ways));
}
