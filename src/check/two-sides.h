/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two samples of runs, compared: one p and one interval that do not contradict each other. The test
 * permutes ranks, the interval is the shift that this test would not reject, both of logarithms: a
 * ratio, which cannot be below -100 %.
 */
#ifndef RAROG_CHECK_TWO_SIDES_H
#define RAROG_CHECK_TWO_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include "num/random.h"

struct rarog_two_sides {
	/* About the medians: those, moved apart or together on the logarithmic scale until their
	 * ratio is the one that .relative says; where there is no interval, the medians. */
	double baseline, target;
	double relative, low, high; /* 0.05: the target is 5 % more; interval NAN: too few runs */
	double p;
};

/**
 * rarog_two_sides() - compare y[ny] (target) with x[nx] (baseline)
 * @is_paired: x[i] and y[i] were measured together; nx and ny are equal
 * @level: coverage of the interval
 * @draws, @random: as in num/permutation.h
 *
 * A value of 0 counts as one that is too small to be measured: less than half of the smallest and
 * than a hundredth of the baseline's median.
 * Return: 0; -EDOM an empty sample, or a baseline whose median is 0; -EINVAL; -ENOMEM.
 */
int rarog_two_sides(size_t nx, const double x[], size_t ny, const double y[], bool is_paired,
		    double level, size_t draws, struct rarog_random *random,
		    struct rarog_two_sides *ret);

/** rarog_two_sides_least_p() - the smallest p that so many runs can give. */
double rarog_two_sides_least_p(size_t nx, size_t ny, bool is_paired);

#endif
