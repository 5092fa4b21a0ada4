/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a run functions take, by more than one traced run. */
#ifndef RAROG_BLOW_FUNCTION_TIMES_H
#define RAROG_BLOW_FUNCTION_TIMES_H

#include "blow/run.h"

/**
 * rarog_blow_function_times() - what the program takes alone, and its functions in more traced runs
 * @input: as in rarog_blow_input_rewind()
 * @status: how the first traced run, which chose the corpus of @task, has ended
 * @first_ns: what it took, with all that rarog did for it
 *
 * One run without rarog is made in any case: .traced_ns of the corpus is what it takes. Where a
 * tenth of the budget is enough for three of each it is the median of these, and times of functions
 * are medians of traced runs, with .self_error; else how far they may be off is not known. A run
 * that ends otherwise is said, and is the last. Lines get their times later (line-times.h). Return:
 * 0; -errno with message.
 */
int rarog_blow_function_times(const struct rarog_blow_task *task, long input, int status,
			      uint64_t first_ns);

#endif
