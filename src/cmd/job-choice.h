/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --option NAME=VALUE of commands that run jobs: which of the values that jobs go through. */
#ifndef RAROG_CMD_JOB_CHOICE_H
#define RAROG_CMD_JOB_CHOICE_H

#include "run/matrix.h"
#include "store/configuration.h"

/**
 * rarog_job_choose() - leave of the jobs' values only @wanted; jobs that lack one are left out
 * @is_given: the jobs are of the command line: they are run with @wanted, which they did not have
 *
 * @wanted outlives the spec. Return: 0; -EINVAL no job has the option, or the value; -ENOMEM.
 */
int rarog_job_choose(const struct rarog_configuration *wanted, bool is_given,
		     struct rarog_run_spec *spec);

#endif
