/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog check --measure: both versions are built and run now, side by side, until enough is known.
 */
#ifndef RAROG_CMD_CHECK_MEASURE_H
#define RAROG_CMD_CHECK_MEASURE_H

#include "check/check.h"
#include "cmd/job-spec.h"
#include "cmd/project.h"

/* What is to be known at the end. */
enum rarog_check_until {
	RAROG_CHECK_UNTIL_PROGRAM, /* whether the program changed, and a function that it did by */
	RAROG_CHECK_UNTIL_FUNCTIONS, /* of each function that is tested whether it did */
};

struct rarog_check_measure {
	struct rarog_job_options job;
	struct rarog_strings names; /* of jobs; none: all */
	long runs, parallel;        /* most rounds, 0: as many as .until is worth; builds at once */
	uint64_t budget_ns;         /* no more rounds after that; 0: none; RAROG_CHECK_BUDGET */
	int until;                  /* enum rarog_check_until */
	const char *processors;
	bool in_turn; /* never both versions at once */
};

#define RAROG_CHECK_BUDGET UINT64_MAX /* as long as .until is worth */

struct rarog_check_pair {
	const char *base_name, *target_name; /* for people */
	const struct rarog_commit *base, *target;
};

/**
 * rarog_check_measure() - measure and compare
 * @options: rules of the check; a threshold "alpha" is spent over the looks (num/spending.h)
 *
 * Rounds in which every version runs every job, in random order, linked anew each time. What was
 * measured is kept in the store, whatever happens. Return: 0; -ECANCELED a signal came; -EIO a
 * version does not build or its run fails, with message; -errno.
 */
int rarog_check_measure(const struct rarog_context *context, const struct rarog_project *project,
			const struct rarog_check_measure *how,
			const struct rarog_check_options *options,
			const struct rarog_check_pair *pair, struct rarog_checks *checks);

#endif
