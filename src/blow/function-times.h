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
 * Both take a tenth of the budget; where that is not enough for three of each nothing is done, and
 * how far times may be off is not known. Else .traced_ns of the corpus becomes the median time of
 * runs without rarog, and .self_ns of a function the median of its times, with .self_error; of
 * lines, whose times are those of samples (line-times.h), they stay. A run that ends otherwise is
 * said, and is the last. Return: 0; -errno with message.
 */
int rarog_blow_function_times(const struct rarog_blow_task *task, long input, int status,
			      uint64_t first_ns);

#endif
