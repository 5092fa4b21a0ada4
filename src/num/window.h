/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights of windows that slide along a series, and what they make of it. */
#ifndef RAROG_NUM_WINDOW_H
#define RAROG_NUM_WINDOW_H

#include <stddef.h>

/* In the order of rarog_window_shapes. */
struct rarog_window_shape {
	const char *name;
	double (*weight)(double i, double width); /* of 0 … width - 1, width at least 2 */
};

/** rarog_window_shapes - the ten of SciPy, symmetric: boxcar, triang, blackman, hamming, bartlett,
 * parzen, bohman, blackmanharris, nuttall, barthann; NULL at the end. */
extern const struct rarog_window_shape rarog_window_shapes[];

/** rarog_window_fill() - weights[width] */
void rarog_window_fill(const struct rarog_window_shape *shape, size_t width, double weights[]);

/**
 * rarog_window_sums() - ret[i] = Σ weights[k] y[i - before + k], what lies outside of y[n] is 0
 * @before: elements of the window before its place
 *
 * Those of equal weights by differences. Others that are wide by Fourier transforms of blocks: the
 * error is some 1e-15 of the largest sum. From a width of 4096 on by a thousand parts of the
 * window: a mean is off by some 1e-4 of what one value is off from it, a hundredth of its standard
 * error. Return: 0, -ENOMEM.
 */
int rarog_window_sums(size_t n, const double y[], size_t width, const double weights[],
		      size_t before, double ret[]);

/** rarog_window_medians() - medians of y[i - before] … y[i - before + width - 1], as far as they
 * are inside. O(n), whatever the width. Return: 0, -ENOMEM; -EINVAL 2^32 values and more. */
int rarog_window_medians(size_t n, const double y[], size_t width, size_t before, double ret[]);

#endif
