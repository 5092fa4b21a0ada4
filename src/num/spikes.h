/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single wild values of a series (another guest of the machine, a cold cache) among steps that are
 * to stay.
 */
#ifndef RAROG_NUM_SPIKES_H
#define RAROG_NUM_SPIKES_H

#include <stddef.h>

/**
 * rarog_spikes_level() - bring spikes to the level of their neighbours
 * @x: n finite values, at least 2
 * @scale: deviation of the noise, 0: not known
 * @ret_x: n values; may not be @x
 *
 * A spike lies beyond the median of the five values before it and of the five after it, on the same
 * side of both, by more than four deviations: the first value of a step does not, and two spikes in
 * a row do not hide each other. It gets the nearer of the two medians.
 */
void rarog_spikes_level(size_t n, const double x[], double scale, double ret_x[]);

#endif
