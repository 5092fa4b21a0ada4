/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several runs of the time collector say together, for people. */
#ifndef RAROG_VIEW_JOBS_TIMES_H
#define RAROG_VIEW_JOBS_TIMES_H

#include "process/running.h"

/** rarog_time_report() - to stderr: median, spread and range of every amount, runs that stand apart
 * from the others, and whether the first ones still warmed up
 * @runs: runs[n], n ≥ 2, in the order in which they were made */
void rarog_time_report(size_t n, const struct rarog_run_result runs[n]);

#endif
