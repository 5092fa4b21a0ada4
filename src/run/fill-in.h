/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload and options on the command line: where {workload} and {NAME} stand, else at the end. */
#ifndef RAROG_RUN_FILL_IN_H
#define RAROG_RUN_FILL_IN_H

#include "run/matrix.h"

struct rarog_fill_in {
	const struct rarog_matrix *matrix;
	const char *command, *arguments;
	const struct rarog_workload *workload;
	size_t configuration; /* below rarog_run_configurations() */
};

/**
 * rarog_fill_in() - append the words of the command and those of the environment
 *
 * At the end come options in the order of the file, then the workload. Return: 0; -EINVAL the
 * command is empty or cannot be split; -ENOMEM.
 */
int rarog_fill_in(const struct rarog_fill_in *how, struct rarog_words *command,
		  struct rarog_words *environment);

#endif
