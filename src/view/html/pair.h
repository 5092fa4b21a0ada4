/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two versions side by side as one HTML page: the verdict, every function before and now, and a
 * flame graph of the difference. It needs nothing else: no network, no file beside it.
 */
#ifndef RAROG_VIEW_HTML_PAIR_H
#define RAROG_VIEW_HTML_PAIR_H

#include <stdio.h>

#include "check/check.h"

struct rarog_pair_options {
	const char *title;             /* NULL: "BASELINE → TARGET" */
	const char *version;           /* of rarog */
	const char *baseline, *target; /* of all checks, for people */
	size_t max_frames;             /* contexts in all flame graphs together, at least 1 */
	struct rarog_vcs *vcs;         /* has the sources of versions; NULL: none */
	bool without_sources;          /* of blocks: the page carries no source files */
};

/**
 * rarog_pair_write() - the whole page to @out
 * @checks: at least one; their comparisons are filled, their verdicts finished
 *
 * Errors of @out are left to the caller (ferror()). Return: 0; -ENOMEM; -EBADMSG a call tree is
 * damaged; -EIO @out took not all.
 */
int rarog_pair_write(const struct rarog_checks *checks, const struct rarog_pair_options *options,
		     FILE *out);

#endif
