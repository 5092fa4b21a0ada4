/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a single line takes: it has no end that could be timed, so one more run is sampled. */
#ifndef RAROG_BLOW_LINE_TIMES_H
#define RAROG_BLOW_LINE_TIMES_H

#include "blow/run.h"

/**
 * rarog_blow_line_times() - the times of those of @task's corpus that are lines, from a run of the
 * program without probes
 *
 * A line works as long as a thread is in code of it, or in what that calls. The run
 * must end as the traced one did (@status). @input: as in
 * rarog_blow_input_rewind(). Nothing happens where the corpus has no lines. Return: 0;
 * -errno with message: also if a line takes too little to be seen.
 */
int rarog_blow_line_times(const struct rarog_blow_task *task, long input, int status);

#endif
