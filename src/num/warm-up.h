/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many runs at the beginning are not like the rest: cold caches, a processor that speeds up.
 */
#ifndef RAROG_NUM_WARM_UP_H
#define RAROG_NUM_WARM_UP_H

#include <stdbool.h>
#include <stddef.h>

#define RAROG_WARM_UP_LEAST 6

struct rarog_warm_up {
	size_t runs;     /* to leave out, at the beginning */
	bool is_settled; /* false: the whole first half is unlike the second; runs is then n / 2 */
};

/**
 * rarog_warm_up() - length of the warm-up of a series of runs
 * @n: at least RAROG_WARM_UP_LEAST, in the order in which they were made
 *
 * The second half says what settled runs are: median ± 5 scaled median deviations (of ten values
 * they are so rough that 3 would alarm at one series in ten). Runs are left out up to the last one
 * of the beginning before two in a row are inside. With a median deviation of 0 (exact counts)
 * inside is equality. Outliers later on are not warm-up, and drift below the noise is trend.h's.
 *
 * Return: 0, -EDOM, -EINVAL, -ENOMEM.
 */
int rarog_warm_up(size_t n, const double x[], struct rarog_warm_up *ret_warm_up);

#endif
