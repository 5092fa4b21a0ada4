/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The classical test of two samples of runs, beside the permutation tests.
 */
#ifndef RAROG_NUM_TWO_SAMPLE_H
#define RAROG_NUM_TWO_SAMPLE_H

#include <stdbool.h>

#include "num/sample.h"

struct rarog_mann_whitney {
	double u;     /* pairs with y > x, ties by half */
	double p;     /* of both tails */
	double share; /* u / (nx ny): how often a run of y is longer than one of x; 0.5 is none */
	bool is_exact;
};

/**
 * rarog_mann_whitney() - rank test
 * @nx, @x, @ny, @y: at least 1 run a side
 *
 * Exact when there are no ties and at most RAROG_RANK_EXACT_MAX runs a side, or at most 5 on one of
 * them: the normal distribution has no tail that thin (3 runs above 85: p is 1.8e-5, not 0.0035).
 * Ties of so few count against a difference. Else normal with corrections for ties and continuity.
 * All values equal: p = 1.
 * Source: Mann, Whitney 1947; Hollander, Wolfe, 4.1.
 *
 * Return: 0, -EDOM, -EINVAL, -ENOMEM.
 */
int rarog_mann_whitney(size_t nx, const double x[], size_t ny, const double y[],
		       struct rarog_mann_whitney *ret_test);

#endif
