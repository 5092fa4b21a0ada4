/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `rarog run` says: lines for people, JSON for programs. */
#ifndef RAROG_VIEW_JOBS_SCHEDULE_H
#define RAROG_VIEW_JOBS_SCHEDULE_H

#include <stdio.h>

#include "run/schedule.h"

/* Rows by how they stand. */
struct rarog_run_tally {
	uint64_t measured, there, known, failed, to_do, post_failed; /* jobs of versions */
	uint64_t profiles, profile_bytes, calls, lost;
	bool has_untraced;
	uint64_t versions;
};

void rarog_run_tally(const struct rarog_schedule *schedule, struct rarog_run_tally *ret_tally);

/** rarog_run_say_version() - the rows[n] of one version: one line, and one for each failure.
 * @said: why the last one failed (NULL: none did); the same is not said again. Borrowed of the
 * rows. */
void rarog_run_say_version(const struct rarog_versions *versions, const struct rarog_tasks *tasks,
			   size_t n, const struct rarog_run_row rows[], const char **said,
			   FILE *out);

/** rarog_run_say_summary() - the one line at the end. */
void rarog_run_say_summary(const struct rarog_schedule *schedule, bool interrupted, FILE *out);

/** rarog_run_say_plan() - a table of what is to do. 0 or -ENOMEM. */
int rarog_run_say_plan(const struct rarog_schedule *schedule, FILE *out, int width, bool colour);

/** rarog_run_json() - everything (doc/design/json.md). 0 or -errno. */
int rarog_run_json(const struct rarog_schedule *schedule, FILE *out);

#endif
