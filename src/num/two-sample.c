/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/two-sample.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/rank.h"

#define FEW 5 /* the tail of the normal distribution is not theirs */

/* The half of a tie that U has does not count. */
static size_t count_smaller(size_t nx, const double x[], size_t ny, const double y[], double u)
{
	double pairs = (double)nx * (double)ny, ties = 0;

	for (size_t i = 0; i < nx; i++)
		for (size_t k = 0; k < ny; k++)
			ties += x[i] == y[k];
	return (size_t)fmin(fmin(u, pairs - u) + ties / 2, pairs);
}

static int exact_p(size_t nx, size_t ny, size_t smaller, double *ret_p)
{
	int r = rarog_rank_sum_tail(nx, ny, smaller, ret_p);

	*ret_p = fmin(1, 2 * *ret_p);
	return r;
}

static bool can_be_exact(size_t nx, size_t ny, double ties)
{
	if (nx <= FEW || ny <= FEW)
		return true;
	return ties == 0 && nx <= RAROG_RANK_EXACT_MAX && ny <= RAROG_RANK_EXACT_MAX;
}

static double normal_p(size_t nx, size_t ny, double u, double ties)
{
	double n = (double)(nx + ny), pairs = (double)nx * (double)ny;
	double variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
	double beyond = fabs(u - pairs / 2) - 0.5;

	if (!(variance > 0))
		return 1;
	return fmin(1, 2 * gsl_cdf_ugaussian_Q(fmax(0, beyond) / sqrt(variance)));
}

/* U of y from the sum of its ranks among all. */
static int count_u(size_t nx, const double x[], size_t ny, const double y[], double *ret_u,
		   double *ret_ties)
{
	size_t n = nx + ny;
	rarog_cleanup(rarog_freep) double *pool = malloc(2 * n * sizeof(*pool));

	if (!pool)
		return rarog_oom();
	memcpy(pool, x, nx * sizeof(*pool));
	memcpy(pool + nx, y, ny * sizeof(*pool));
	int r = rarog_rank(n, pool, pool + n, ret_ties);
	double sum = 0;

	if (r < 0)
		return r;
	for (size_t i = nx; i < n; i++)
		sum += pool[n + i];
	*ret_u = sum - (double)ny * (double)(ny + 1) / 2;
	return 0;
}

int rarog_mann_whitney(size_t nx, const double x[], size_t ny, const double y[],
		       struct rarog_mann_whitney *ret_test)
{
	double u = 0, ties = 0, p;
	int r = rarog_sample_check("baseline", nx, 1, x);

	if (r < 0 || (r = rarog_sample_check("target", ny, 1, y)) < 0 ||
	    (r = count_u(nx, x, ny, y, &u, &ties)) < 0)
		return r;
	bool is_exact = can_be_exact(nx, ny, ties);

	if (!is_exact)
		p = normal_p(nx, ny, u, ties);
	else if ((r = exact_p(nx, ny, count_smaller(nx, x, ny, y, u), &p)) < 0)
		return r;
	*ret_test = (struct rarog_mann_whitney){ u, p, u / ((double)nx * (double)ny), is_exact };
	return 0;
}
