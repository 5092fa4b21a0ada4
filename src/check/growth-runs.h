/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_CHECK_GROWTH_RUNS_H
#define RAROG_CHECK_GROWTH_RUNS_H

#include "check/check.h"

/**
 * rarog_growth_over_runs() - jobs that differ in the number of their workload, or in the value of
 * an option, are points of one curve: functions, and the program, that grow otherwise than before
 * @first: of the checks that are looked at, which are compared already
 *
 * What is found is added to the check of the largest x. 0; -EBADMSG, -ENOMEM.
 */
int rarog_growth_over_runs(struct rarog_checks *checks, size_t first);

#endif
