/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_NUM_POISSON_H
#define RAROG_NUM_POISSON_H

#include <stdint.h>

/**
 * rarog_poisson_interval() - what the mean of a Poisson distribution lies between, of which one
 * value was @n, with 95 %
 *
 * Source: Garwood, Biometrika 1936: quantiles of the chi-squared distribution.
 */
void rarog_poisson_interval(uint64_t n, double *ret_low, double *ret_high);

#endif
