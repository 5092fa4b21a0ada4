/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * S(t) is Brownian motion; Z = S / √t. Before look k the density of S among the paths that have not
 * stopped is f(s) on the grid -B … B; the chance to stop at look k with bound b is
 *
 *   2 ∫ f(s) Q((b √t - s) / √(t - t')) ds     (both tails, by symmetry)
 *
 * which is solved for b by bisection; then f is carried to the new grid by the same kernel. Paths
 * are followed to both sides: which gives the two-sided bounds that the usual programs give.
 */
#include "num/spending.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"

#define GRID     801 /* odd, for Simpson; bounds are then right to 1e-5 */
#define FARTHEST 8.2 /* where the tail of the normal distribution is 1e-16 */

/* Density of S among the paths that go on, on GRID points from -edge to edge. */
struct density {
	double edge, time;
	double f[GRID];
};

double rarog_spending_spent(enum rarog_spending spending, double alpha, double t)
{
	if (t <= 0)
		return 0;
	if (t >= 1)
		return alpha;
	if (spending == RAROG_SPENDING_POCOCK)
		return alpha * log1p((M_E - 1) * t);
	return 2 * gsl_cdf_ugaussian_Q(gsl_cdf_ugaussian_Qinv(alpha / 2) / sqrt(t));
}

static double grid_step(const struct density *d)
{
	return 2 * d->edge / (GRID - 1);
}

static double simpson_weight(size_t i)
{
	if (i == 0 || i == GRID - 1)
		return 1 / 3.0;
	return i % 2 ? 4 / 3.0 : 2 / 3.0;
}

/* Chance that S(@time) is at or above @level, having gone on so far. */
static double chance_above(const struct density *d, double time, double level)
{
	double spread = sqrt(time - d->time), h = grid_step(d), sum = 0;

	if (d->time == 0)
		return gsl_cdf_ugaussian_Q(level / spread);
	for (size_t i = 0; i < GRID; i++) {
		double s = -d->edge + h * (double)i;

		sum += simpson_weight(i) * d->f[i] * gsl_cdf_ugaussian_Q((level - s) / spread);
	}
	return sum * h;
}

static double density_at(const struct density *d, double time, double s)
{
	double spread = sqrt(time - d->time), h = grid_step(d), sum = 0;

	if (d->time == 0)
		return gsl_ran_gaussian_pdf(s, spread);
	for (size_t i = 0; i < GRID; i++)
		sum += simpson_weight(i) * d->f[i] *
		       gsl_ran_gaussian_pdf(s + d->edge - h * (double)i, spread);
	return sum * h;
}

static double solve_bound(const struct density *d, double time, double alpha)
{
	double low = 0, high = FARTHEST;

	if (chance_above(d, time, high * sqrt(time)) >= alpha)
		return INFINITY; /* nothing to spend, or less than rounding */
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (chance_above(d, time, middle * sqrt(time)) > alpha)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static void carry(const struct density *from, double time, double bound, struct density *to)
{
	to->time = time;
	to->edge = fmin(bound, FARTHEST) * sqrt(time);
	double h = grid_step(to);

	for (size_t i = 0; i <= GRID / 2; i++) { /* symmetric */
		to->f[i] = density_at(from, time, -to->edge + h * (double)i);
		to->f[GRID - 1 - i] = to->f[i];
	}
}

static int check(double alpha, size_t looks, const double time[])
{
	if (!(alpha > 0 && alpha < 1))
		return rarog_fail(-EINVAL, "alpha %g: a number between 0 and 1 is needed", alpha);
	if (looks < 1 || looks > RAROG_SPENDING_LOOKS_MAX)
		return rarog_fail(-EINVAL, "%zu looks: 1 to %d are possible", looks,
				  RAROG_SPENDING_LOOKS_MAX);
	for (size_t k = 0; k < looks; k++)
		if (!(time[k] >= (k ? time[k - 1] : 0) + RAROG_SPENDING_STEP && time[k] <= 1))
			return rarog_fail(-EINVAL,
					  "look %zu at %g: times must grow by at least %g and end "
					  "by 1",
					  k + 1, time[k], RAROG_SPENDING_STEP);
	return 0;
}

int rarog_spending_bounds(enum rarog_spending spending, double alpha, size_t looks,
			  const double time[], double ret_bounds[])
{
	int r = check(alpha, looks, time);

	if (r < 0)
		return r;
	rarog_cleanup(rarog_freep) struct density *densities = calloc(2, sizeof(*densities));
	double spent = 0;

	if (!densities)
		return rarog_oom();
	for (size_t k = 0; k < looks; k++) {
		const struct density *before = &densities[k % 2];
		double due = rarog_spending_spent(spending, alpha / 2, time[k]);

		ret_bounds[k] = solve_bound(before, time[k], due - spent);
		if (isfinite(ret_bounds[k]))
			spent = due;
		carry(before, time[k], ret_bounds[k], &densities[(k + 1) % 2]);
	}
	return 0;
}
