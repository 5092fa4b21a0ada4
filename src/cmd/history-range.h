/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A range of versions, read: what check --history prints and report RANGE draws. */
#ifndef RAROG_CMD_HISTORY_RANGE_H
#define RAROG_CMD_HISTORY_RANGE_H

#include "base/progress.h"
#include "check/history.h"
#include "cmd/project.h"

/* Indices of struct rarog_history_request.thresholds. */
enum rarog_history_threshold {
	RAROG_HISTORY_ALPHA,
	RAROG_HISTORY_SMALLEST_EFFECT,
	RAROG_HISTORY_LEAST_SHARE,
	RAROG_HISTORY_SMALLEST,
};

struct rarog_history_request {
	const struct rarog_context *context;
	struct rarog_project *project;
	const char *range;        /* "A..B", "A..", "B"; NULL: all up to HEAD */
	const double *thresholds; /* of rarog_check_history_rules */
	bool save;                /* what was read, for the next time */
	bool with_values;         /* every one of them; read anew */
};

/* Zeroed: empty. */
struct rarog_history_range {
	struct rarog_history history;
	struct rarog_history_changes changes; /* those in the range */
	struct rarog_history_splits splits;   /* likewise */
	struct rarog_commit tip;
	RAROG_VEC(char *) names; /* of the range, sorted; empty: all */
	struct rarog_progress progress;
};

/** rarog_history_range_read() - 0; -ENOENT no such version, or none in the range; as
 * rarog_history_read(). */
int rarog_history_range_read(const struct rarog_history_request *how,
			     struct rarog_history_range *range);
void rarog_history_range_release(struct rarog_history_range *range); /* fits rarog_cleanup() */

/** rarog_history_range_has() - is this index of the history's versions in the range? */
bool rarog_history_range_has(const struct rarog_history_range *range, uint32_t version);

#endif
