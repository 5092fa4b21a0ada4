/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of two samples is compared: functions of x (baseline) and y (target), positive when y is
 * larger. They may reorder what they are given. With one sample (paired differences) it is @y and
 * nx is 0.
 */
#ifndef RAROG_NUM_STATISTIC_H
#define RAROG_NUM_STATISTIC_H

#include <stddef.h>

typedef double (*rarog_statistic)(size_t nx, double x[], size_t ny, double y[]);

/** rarog_statistic_mean() - mean(y) - mean(x); x counts as 0 when empty */
double rarog_statistic_mean(size_t nx, double x[], size_t ny, double y[]);

/** rarog_statistic_median() - median(y) - median(x), likewise */
double rarog_statistic_median(size_t nx, double x[], size_t ny, double y[]);

/** rarog_statistic_mean_ratio() - mean(y) / mean(x) - 1; not finite when mean(x) is 0 */
double rarog_statistic_mean_ratio(size_t nx, double x[], size_t ny, double y[]);

#endif
