/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a range of versions: every amount of every function, and where it changed. */
#ifndef RAROG_VIEW_HTML_HISTORY_H
#define RAROG_VIEW_HTML_HISTORY_H

#include <stdio.h>

#include "check/history.h"
#include "store/vcs.h"

struct rarog_html_history {
	const struct rarog_history *history; /* that keeps its values */
	const struct rarog_history_changes *changes;
	const struct rarog_history_splits *splits;
	const bool *in_range; /* by version */
	struct rarog_store *store;
	struct rarog_vcs *vcs;
	const char *options; /* of the program, that were asked for; NULL: any */
	const char *range;   /* as asked for; NULL: all */
	const char *title;   /* NULL: the usual one */
	const char *version; /* of rarog */
};

/** rarog_html_history_write() - the whole page to @out. 0; -ENOMEM; -EIO; errors of the store. */
int rarog_html_history_write(const struct rarog_html_history *how, FILE *out);

#endif
