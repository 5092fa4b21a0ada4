/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Series as measurements make them: noise that may remember, steps, outliers.
 */
#ifndef RAROG_TESTS_NUM_SERIES_H
#define RAROG_TESTS_NUM_SERIES_H

#include "num/random.h"

/* Deviation 1 at every phi. */
static inline void ar1_series(struct rarog_random *random, size_t n, double phi, double *x)
{
	double value = rarog_random_normal(random);

	for (size_t i = 0; i < n; i++) {
		x[i] = value;
		value = phi * value + sqrt(1 - phi * phi) * rarog_random_normal(random);
	}
}

static inline void add_step(size_t n, double *x, size_t at, double height)
{
	for (size_t i = at; i < n; i++)
		x[i] += height;
}

#endif
