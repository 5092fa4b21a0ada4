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

/* What is compared in place of the values: z[nx + ny], baseline first. */
struct scale {
	bool is_log;
	double unit; /* else one of these is a change of 100 % */
};

static double relative_of(const struct scale *scale, double shift)
{
	return scale->is_log ? expm1(shift) : shift / scale->unit;
}

static bool are_positive(size_t n, const double v[])
{
	for (size_t i = 0; i < n; i++)
		if (!(v[i] > 0))
			return false;
	return true;
}

static void transform(const struct scale *scale, size_t n, const double from[], double to[])
{
	for (size_t i = 0; i < n; i++)
		to[i] = scale->is_log ? log(from[i]) : from[i];
}

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

int rarog_two_sides(size_t nx, const double x[], size_t ny, const double y[], bool is_paired,
		    double level, size_t draws, struct rarog_random *random,
		    struct rarog_two_sides *ret)
{
	rarog_cleanup(rarog_freep) double *z = calloc(nx + ny + 1, sizeof(*z));
	rarog_cleanup(rarog_freep) double *ranks = calloc(nx + ny + 1, sizeof(*ranks));
	struct rarog_estimate shift = { .value = NAN };
	struct rarog_two_sides two = { .low = NAN, .high = NAN };
	struct scale scale = { .is_log = are_positive(nx, x) && are_positive(ny, y) };
	int r = z && ranks ? rarog_median(nx, x, &two.baseline) : rarog_oom();

	if (r == 0)
		r = rarog_median(ny, y, &two.target);
	if (r < 0)
		return r;
	scale.unit = two.baseline;
	if (!scale.is_log && !(scale.unit > 0))
		return rarog_fail(-EDOM, "a baseline of 0 has no ratio");
	transform(&scale, nx, x, z);
	transform(&scale, ny, y, z + nx);
	two.relative = two.target / two.baseline - 1;
	r = is_paired ? test_paired(nx, z, ranks, level, draws, random, &two.p, &shift)
		      : test_unpaired(nx, ny, z, ranks, level, draws, random, &two.p, &shift);
	if (r < 0 && r != -ERANGE && r != -EDOM)
		return r;
	if (r < 0)
		rarog_error_clear(); /* p stands, there is no interval */
	if (r == 0) {
		two.relative = relative_of(&scale, shift.value);
		two.low = relative_of(&scale, shift.low);
		two.high = relative_of(&scale, shift.high);
	}
	*ret = two;
	return 0;
}

double rarog_two_sides_least_p(size_t nx, size_t ny, bool is_paired)
{
	double log_ways =
		is_paired ? (double)nx * M_LN2 : gsl_sf_lnchoose((unsigned)(nx + ny), (unsigned)nx);

	return fmin(1, 2 * exp(-log_ways));
}
