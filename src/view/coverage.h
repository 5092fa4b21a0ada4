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

/* Functions and lines of a source file stand together; all texts are the profile's. */
struct rarog_coverage {
	struct rarog_run run;
	struct rarog_tally tally;
	RAROG_VEC(const struct rarog_tally_function *) functions; /* by file, line, name */
	RAROG_VEC(struct rarog_covered_line) lines;               /* by file, line, function */
};

/** rarog_coverage_read() - 0; -EBADMSG, -ENOMEM. Functions without a file are left out. */
int rarog_coverage_read(struct rarog_profile *profile, struct rarog_coverage *ret_coverage);
void rarog_coverage_release(struct rarog_coverage *coverage); /* fits rarog_cleanup() */

/** rarog_coverage_location() - of a function. */
const struct rarog_location *rarog_coverage_location(const struct rarog_coverage *coverage,
						     const struct rarog_tally_function *function);

/** rarog_coverage_file() - the source file of a function. */
const char *rarog_coverage_file(const struct rarog_coverage *coverage,
				const struct rarog_tally_function *function);

#endif
