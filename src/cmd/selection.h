/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the store's profiles the operands of bundle, push and pull mean. */
#ifndef RAROG_CMD_SELECTION_H
#define RAROG_CMD_SELECTION_H

#include "cmd/project.h"

struct rarog_selection {
	RAROG_VEC(int64_t) ids;     /* rows, each once */
	RAROG_VEC(char *) versions; /* of ranges and versions, in full */
};

/**
 * rarog_selection_rows() - the rows of operands[n]: ranges (A..B), versions (all that they carry),
 * profiles (0@i, hash, tag); n 0: every row
 */
int rarog_selection_rows(const struct rarog_project *project, size_t n, char *const operands[n],
			 struct rarog_selection *ret_selection);

/** rarog_selection_versions() - only their versions, whether they carry something or not. */
int rarog_selection_versions(const struct rarog_project *project, size_t n, char *const operands[n],
			     struct rarog_selection *ret_selection);
void rarog_selection_release(struct rarog_selection *selection); /* fits rarog_cleanup() */

#endif
