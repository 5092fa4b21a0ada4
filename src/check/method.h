/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A method of finding changes: one file that exports one of these, and one line in methods.c.
 */
#ifndef RAROG_CHECK_METHOD_H
#define RAROG_CHECK_METHOD_H

#include "check/comparison.h"
#include "check/verdict.h"

/* A number that users may set (--set NAME=VALUE, or under the method's rule in .rarog.yml). */
struct rarog_threshold {
	const char *name; /* "smallest-effect" */
	double standard, minimum, maximum;
	const char *help; /* one line */
};

struct rarog_check_method {
	const char *name;       /* "runs" */
	const char *short_name; /* Perun's abbreviation, "AAT"; NULL: none */
	const char *summary;    /* one line */
	bool needs_times, needs_models;
	const struct rarog_threshold *thresholds; /* .name NULL ends it; NULL: none */

	/**
	 * run() - compare, append changes and notes
	 * @thresholds: in the order of the table
	 *
	 * Appends a change for whatever it looked at, NoChange included, so that readers see what
	 * was compared; sets @verdict->is_open where it could not tell of something that matters.
	 * Return: 0; -ENODATA with message: nothing there that it could work on; -errno.
	 */
	int (*run)(const struct rarog_comparison *comparison, const double thresholds[],
		   struct rarog_verdict *verdict);
};

#define RAROG_THRESHOLDS_MAX 8

/** rarog_check_methods - all, the standard one first; NULL ends it. */
extern const struct rarog_check_method *const rarog_check_methods[];

/** rarog_check_method_find() - by name or abbreviation, case ignored; NULL: the recorded message
 * names the near ones. */
const struct rarog_check_method *rarog_check_method_find(const char *name);

/** rarog_threshold_standards() - fill in the standard values. */
void rarog_threshold_standards(const struct rarog_check_method *method,
			       double ret_thresholds[RAROG_THRESHOLDS_MAX]);

/** rarog_threshold_set() - "NAME=VALUE". 0; -EINVAL unknown, or out of its range. */
int rarog_threshold_set(const struct rarog_check_method *method, const char *text,
			double thresholds[RAROG_THRESHOLDS_MAX]);

extern const struct rarog_check_method rarog_check_runs, rarog_check_exact, rarog_check_growth,
	rarog_check_sensitivity;
extern const struct rarog_check_method rarog_check_average, rarog_check_exclusive,
	rarog_check_integral, rarog_check_local, rarog_check_order, rarog_check_polynomial,
	rarog_check_linear, rarog_check_fast;

#endif
