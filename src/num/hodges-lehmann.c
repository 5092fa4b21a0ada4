/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A test of "the shift is t" depends on t only through the number of pairwise values below t. So
 * the shifts that the test keeps lie between the q-th smallest and the q-th largest pairwise value,
 * where q - 1 is the largest count whose probability is at most half of 1 - level.
 */
#include "num/hodges-lehmann.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/quantile.h"
#include "num/rank.h"

/* Count of values below, under "no shift": its cumulative distribution or its normal form. */
struct count {
	double *below; /* NULL: normal */
	double mean, deviation;
};

/* The q of the idea above, 0 if even the outermost value is too likely to be beyond. */
static size_t outermost(const struct count *count, double tail, double *ret_reached)
{
	size_t q = 0;

	if (!count->below) {
		double z = gsl_cdf_ugaussian_Qinv(tail);

		*ret_reached = 1 - 2 * tail;
		return (size_t)fmax(0, floor(count->mean + 0.5 - z * count->deviation));
	}
	while (count->below[q] <= tail * (1 + 1e-12))
		q++;
	*ret_reached = q ? 1 - 2 * count->below[q - 1] : 0;
	return q;
}

/* @values: the pairwise ones, in any order. */
static int estimate(size_t n, double values[], const struct count *count, double level,
		    struct rarog_estimate *ret_shift)
{
	double reached;
	size_t q = outermost(count, (1 - level) / 2, &reached);

	if (q == 0)
		return rarog_fail(-ERANGE, "an interval of %g %% needs more runs than these",
				  100 * level);
	gsl_sort(values, 1, n);
	*ret_shift = (struct rarog_estimate){
		.value = rarog_median_sorted(n, values),
		.low = values[q - 1],
		.high = values[n - q],
		.level = reached,
	};
	return 0;
}

static int check(const char *what, size_t n, const double x[], double level)
{
	int r = rarog_level_check(level);

	if (r < 0 || (r = rarog_sample_check(what, n, 1, x)) < 0)
		return r;
	if (n > RAROG_HODGES_LEHMANN_MAX)
		return rarog_fail(-EDOM, "%s: %zu values are too many; at most %d are compared",
				  what, n, RAROG_HODGES_LEHMANN_MAX);
	return 0;
}

int rarog_hodges_lehmann_paired(size_t n, const double difference[], double level,
				struct rarog_estimate *ret_shift)
{
	rarog_cleanup(rarog_freep) double *below = NULL;
	size_t pairs = n * (n + 1) / 2, k = 0;
	int r = check("differences", n, difference, level);

	if (r < 0 || (n <= RAROG_RANK_EXACT_MAX && (r = rarog_rank_signed(n, &below)) < 0))
		return r;
	rarog_cleanup(rarog_freep) double *means = malloc(pairs * sizeof(*means));

	if (!means)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			means[k++] = difference[i] + (difference[j] - difference[i]) / 2;
	double runs = (double)n;

	return estimate(pairs, means,
			&(struct count){ below, runs * (runs + 1) / 4,
					 sqrt(runs * (runs + 1) * (2 * runs + 1) / 24) },
			level, ret_shift);
}

int rarog_hodges_lehmann(size_t nx, const double x[], size_t ny, const double y[], double level,
			 struct rarog_estimate *ret_shift)
{
	rarog_cleanup(rarog_freep) double *below = NULL;
	int r = check("baseline", nx, x, level);
	size_t k = 0;

	if (r < 0 || (r = check("target", ny, y, level)) < 0)
		return r;
	if (nx <= RAROG_RANK_EXACT_MAX && ny <= RAROG_RANK_EXACT_MAX &&
	    (r = rarog_rank_sum(nx, ny, &below)) < 0)
		return r;
	rarog_cleanup(rarog_freep) double *differences = malloc(nx * ny * sizeof(*differences));

	if (!differences)
		return rarog_oom();
	for (size_t i = 0; i < nx; i++)
		for (size_t j = 0; j < ny; j++)
			differences[k++] = y[j] - x[i];
	double pairs = (double)nx * (double)ny;

	return estimate(
		nx * ny, differences,
		&(struct count){ below, pairs / 2, sqrt(pairs * (double)(nx + ny + 1) / 12) },
		level, ret_shift);
}
