/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the store's profiles the operands of bundle, push and pull mean; what push and pull
 * share. */
#ifndef RAROG_CMD_SELECTION_H
#define RAROG_CMD_SELECTION_H

#include "cmd/project.h"
#include "store/exchange.h"

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

extern const struct rarog_option rarog_no_options[];

/** rarog_exchange_run() - of a command with operands [REMOTE [NAME…]]: open the project's store and
 * the remote, and @exchange names[n]. As a command's run(). */
int rarog_exchange_run(const struct rarog_context *context, int argc, char **argv, bool is_push,
		       int (*exchange)(const struct rarog_context *context,
				       struct rarog_project *project,
				       struct rarog_exchange *exchange, size_t n, char **names));

#endif
