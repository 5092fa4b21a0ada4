/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Amounts to 0 … 1, so that profiles of different machines or workloads compare. */
#ifndef RAROG_MODEL_NORMALIZE_H
#define RAROG_MODEL_NORMALIZE_H

#include <stddef.h>

/** rarog_normalize() - divide y[n] by the largest of their sizes, which is returned (0: all are 0,
 * nothing is done). What is not finite stays so. Amounts keep their ratios; the largest is 1. */
double rarog_normalize(size_t n, double y[]);

#endif
