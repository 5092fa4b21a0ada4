/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of blocks as counts of source lines, as gcov counts them. */
#ifndef RAROG_VIEW_COVERAGE_H
#define RAROG_VIEW_COVERAGE_H

#include "base/vec.h"
#include "blocks/tally.h"
#include "view/run.h"

/* Where something is in the source. */
struct rarog_covered_place {
	const char *file;
	uint32_t line;
	const char *name, *title; /* of the function, for programs and for people */
};

/* A function of the source: one of the program's, or one that there are only inlined copies of. */
struct rarog_covered_function {
	struct rarog_covered_place at;
	const struct rarog_tally_function *body; /* NULL: inlined only */
	uint64_t calls;                          /* also of what was inlined */
	uint32_t blocks, blocks_executed;
	uint32_t last_line;
};

/* A line on which a function has code. */
struct rarog_covered_line {
	struct rarog_covered_place at;
	const struct rarog_tally_function *function; /* that has the code */
	bool is_elsewhere;                           /* it is no line of its own */
	uint64_t count;                              /* how often control came to the line */
	bool has_unexecuted;                         /* a block of it never ran */
};

/* A block that leads to several: so many branches of a line. */
struct rarog_covered_decision {
	struct rarog_covered_place at;
	const struct rarog_tally_function *function; /* that has the code */
	uint32_t block;                              /* counted from the function's first */
	uint32_t first_edge, n;                      /* of the tally: its branches */
};

/* Functions, lines and decisions of a source file stand together; all texts are the profile's. */
struct rarog_coverage {
	struct rarog_run run;
	struct rarog_tally tally;
	RAROG_VEC(struct rarog_covered_function) functions; /* by file, line, title */
	RAROG_VEC(struct rarog_covered_line) lines;         /* likewise */
	RAROG_VEC(struct rarog_covered_decision) decisions; /* likewise */
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

struct rarog_coverage_position {
	size_t function, line, decision; /* in .functions, .lines, .decisions */
};

/** rarog_coverage_file() - which file comes next; NULL: there is none. A file that others include
 * may have lines and no function. */
const char *rarog_coverage_file(const struct rarog_coverage *coverage,
				const struct rarog_coverage_position *at);

/** rarog_covered_compare() - by file, line, title. */
int rarog_covered_compare(const struct rarog_covered_place *a, const struct rarog_covered_place *b);

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
