/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs in a row are not always independent: a machine warms up, another guest comes and goes. How
 * dependent they are, and how many independent runs they are worth.
 */
#ifndef RAROG_NUM_AUTOCORRELATION_H
#define RAROG_NUM_AUTOCORRELATION_H

#include <stddef.h>

/**
 * rarog_autocorrelation() - r(lag) = Σ (x(i) - m)(x(i+lag) - m) / Σ (x(i) - m)², m the mean
 * @n: more than @lag values, in the order of time
 *
 * Return: 0, -EDOM (too few, or no variance), -EINVAL.
 */
int rarog_autocorrelation(size_t n, const double x[], size_t lag, double *ret_r);

/**
 * rarog_effective_size() - of how many independent values the mean is as precise
 * @n: at least 4
 * @ret_size: n / (1 + 2 Σ r(lag)), 1 … n; sums of neighbouring pairs of r while they are positive
 * and made monotone, so that noise in far lags does not add up. Without variance: n
 *
 * Negative dependence is not credited. Source: Geyer, "Practical Markov chain Monte Carlo", 1992
 * (initial monotone sequence). Return: 0, -EDOM, -EINVAL.
 */
int rarog_effective_size(size_t n, const double x[], double *ret_size);

/**
 * rarog_durbin_watson() - Σ (e(i) - e(i-1))² / Σ e(i)² of residuals: 2 is none, 0 positive and 4
 * negative dependence. Source: Durbin, Watson 1950. Return: 0, -EDOM (all residuals 0), -EINVAL.
 */
int rarog_durbin_watson(size_t n, const double residuals[], double *ret_d);

/**
 * rarog_prewhiten() - take an AR(1) dependence out of a series that may have steps
 * @n: at least 8
 * @ret_x: x[n], may be @x: y(i) = (x(i) - φ x(i-1)) / (1 - φ), y(0) = x(0); a step keeps its height
 * @ret_phi: φ, 0 … 0.9, from the lag-1 correlation of first differences, which is (φ - 1) / 2;
 * differences beyond 4 (scaled) median deviations are left out, so that a few steps or outliers do
 * not count as dependence. 0 (and @x unchanged) unless φ exceeds twice its standard error √(2/n)
 *
 * An outlier is followed by its echo, -φ/(1-φ) times as high: use it where steps are looked for.
 * Source: Bayazit, Önöz, "To prewhiten or not to prewhiten", 2007, on why steps must not be eaten;
 * Bartlett's formula for the standard error.
 *
 * Return: 0, -EDOM, -EINVAL, -ENOMEM.
 */
int rarog_prewhiten(size_t n, const double x[], double ret_x[], double *ret_phi);

#endif
