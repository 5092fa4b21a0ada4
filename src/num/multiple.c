/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/multiple.h"

#include <gsl/gsl_sort.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"

/* Step-up: from the largest p downwards, never above the one before. */
static void step_up(size_t m, const size_t order[], const double p[], double factor, double q[])
{
	double least = 1;

	for (size_t i = m; i-- > 0;) {
		least = fmin(least, p[order[i]] * factor * (double)m / (double)(i + 1));
		q[order[i]] = least;
	}
}

/* Step-down: from the smallest p upwards, never below the one before. */
static void step_down(size_t m, const size_t order[], const double p[], double q[])
{
	double most = 0;

	for (size_t i = 0; i < m; i++) {
		most = fmin(1, fmax(most, p[order[i]] * (double)(m - i)));
		q[order[i]] = most;
	}
}

static double harmonic(size_t m)
{
	double sum = 0;

	for (size_t i = m; i > 0; i--)
		sum += 1 / (double)i;
	return sum;
}

int rarog_multiple_adjust(enum rarog_multiple procedure, size_t m, const double p[], double ret_q[])
{
	for (size_t i = 0; i < m; i++)
		if (!(p[i] >= 0 && p[i] <= 1))
			return rarog_fail(-EINVAL, "p-value %zu is %g, not between 0 and 1", i + 1,
					  p[i]);
	if (m == 0)
		return 0;
	rarog_cleanup(rarog_freep) size_t *order = malloc(m * sizeof(*order));

	if (!order)
		return rarog_oom();
	gsl_sort_index(order, p, 1, m);
	if (procedure == RAROG_MULTIPLE_HOLM)
		step_down(m, order, p, ret_q);
	else
		step_up(m, order, p, procedure == RAROG_MULTIPLE_BY ? harmonic(m) : 1, ret_q);
	return 0;
}
