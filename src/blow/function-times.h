/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a run functions take, by more than one traced run. */
#ifndef RAROG_BLOW_FUNCTION_TIMES_H
#define RAROG_BLOW_FUNCTION_TIMES_H

#include "blow/run.h"

/**
 * rarog_blow_function_times() - .self_ns and .self_error of @task's corpus, which a traced run has
 * chosen, from more such runs
 *
 * They take a tenth of the budget at most. A function's time becomes the median of the parts that
 * it had, of the first run's time. Where fewer than three runs have it nothing is changed, and how
 * far it may be off is not known; as that of lines, which samples tell (line-times.h). A run that
 * ends otherwise than the first one (@status) is left out, and is the last. @input: as in
 * rarog_blow_input_rewind(). Return: 0; -errno with message.
 */
int rarog_blow_function_times(const struct rarog_blow_task *task, long input, int status);

#endif
