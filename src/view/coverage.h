/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of blocks as counts of source lines, as gcov counts them. */
#ifndef RAROG_VIEW_COVERAGE_H
#define RAROG_VIEW_COVERAGE_H

#include "base/vec.h"
#include "blocks/tally.h"
#include "view/run.h"

/* A line on which a function has code. */
struct rarog_covered_line {
	uint32_t line;
	const struct rarog_tally_function *function;
	uint64_t count;      /* how often control came to the line */
	bool has_unexecuted; /* a block of it never ran */
};

/* A block that leads to several: so many branches of a line. */
struct rarog_covered_decision {
	uint32_t line;
	const struct rarog_tally_function *function;
	uint32_t block;         /* counted from the function's first */
	uint32_t first_edge, n; /* of the tally: its branches */
};

/* Functions, lines and decisions of a source file stand together; all texts are the profile's. */
struct rarog_coverage {
	struct rarog_run run;
	struct rarog_tally tally;
	RAROG_VEC(const struct rarog_tally_function *) functions; /* by file, line, name */
	RAROG_VEC(struct rarog_covered_line) lines;               /* by file, line, function */
	RAROG_VEC(struct rarog_covered_decision) decisions;       /* likewise */
};

/* What was reached of a source file, or of all. */
struct rarog_covered_sums {
	size_t functions, functions_executed;
	size_t lines, lines_executed;
	size_t branches, branches_taken;
	size_t blocks, blocks_executed;
};

/** rarog_coverage_read() - 0; -EBADMSG, -ENOMEM. Functions without a file or line are left out. */
int rarog_coverage_read(struct rarog_profile *profile, struct rarog_coverage *ret_coverage);

/** rarog_coverage_warn() - of what lines cannot tell: there are none, some are in other files than
 * their function, or their files have changed.
 * 0, -EBADMSG, -ENOMEM. */
int rarog_coverage_warn(const struct rarog_coverage *coverage, struct rarog_profile *profile);

void rarog_coverage_release(struct rarog_coverage *coverage); /* fits rarog_cleanup() */

/** rarog_coverage_location() - of a function. */
const struct rarog_location *rarog_coverage_location(const struct rarog_coverage *coverage,
						     const struct rarog_tally_function *function);

/** rarog_coverage_file() - the source file of a function. */
const char *rarog_coverage_file(const struct rarog_coverage *coverage,
				const struct rarog_tally_function *function);

struct rarog_coverage_position {
	size_t function, line, decision; /* in .functions, .lines, .decisions */
};

/**
 * rarog_coverage_next_file() - sums of one source file after the other
 * @at: zero at first; it moves after the file
 * @is_wanted: functions that count, NULL: all
 *
 * Return: the file, NULL at the end.
 */
const char *rarog_coverage_next_file(const struct rarog_coverage *coverage,
				     struct rarog_coverage_position *at,
				     bool (*is_wanted)(const void *data,
						       const struct rarog_location *location),
				     const void *data, struct rarog_covered_sums *ret_sums);

#endif
