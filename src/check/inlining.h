/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that one version makes and the other has inlined. Such a function would look new or gone,
 * and its caller slower or faster, although nothing but the compiler's mind has changed: so in both
 * versions these calls are counted with their caller.
 */
#ifndef RAROG_CHECK_INLINING_H
#define RAROG_CHECK_INLINING_H

#include "check/match.h"

/* A call of row @callee by row @host that is counted with the host. */
struct rarog_inlined_edge {
	uint32_t host, callee;
	bool is_used; /* there were such calls */
};

struct rarog_inlining {
	RAROG_VEC(struct rarog_inlined_edge) edges; /* sorted */
	size_t n;
	bool *may_be; /* may_be[n]: row that one version lacks, and whose debug information does not
		       * say whether it was inlined: counted with its caller */
};

/**
 * rarog_inlining_find() - of the rows of @comparison; its sides and rows' forms are set
 * @entries: of both sides, with their rows
 *
 * Return: 0; -EBADMSG; -ENOMEM. @ret_inlining is released by the caller, also on failure.
 */
int rarog_inlining_find(const struct rarog_comparison *comparison,
			const struct rarog_entries entries[2], struct rarog_inlining *ret_inlining);
void rarog_inlining_release(struct rarog_inlining *inlining); /* fits rarog_cleanup() */

/** rarog_inlining_folds() - is a call of @callee by @host counted with @host? Remembers it. */
bool rarog_inlining_folds(struct rarog_inlining *inlining, uint32_t host, uint32_t callee);

#endif
