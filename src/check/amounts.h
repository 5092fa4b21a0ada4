/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every function took in one run. */
#ifndef RAROG_CHECK_AMOUNTS_H
#define RAROG_CHECK_AMOUNTS_H

#include "check/comparison.h"

/**
 * rarog_amounts_read() - of run @run of side @side
 *
 * Adds to rows' values[side][…][run] and sets total_ns[side][run]; row_of, inlining and is_cpu_time
 * are set. Times are taken from the context tree, CPU or wall, less what the probes cost (never
 * below 0); without a tree, as after
 * --detail=count or an import, from the sums of functions, where only a function's own share of the
 * cost can be taken out and nothing can be folded.
 * Return: 1 there were times, 0 there were none; -EBADMSG; -ENOMEM.
 */
int rarog_amounts_read(struct rarog_comparison *comparison, size_t side, size_t run);

#endif
