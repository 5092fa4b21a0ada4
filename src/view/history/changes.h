/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rarog check --history`: where functions changed over the versions. */
#ifndef RAROG_VIEW_HISTORY_CHANGES_H
#define RAROG_VIEW_HISTORY_CHANGES_H

#include <stdio.h>

#include "check/history.h"

struct rarog_history_view {
	const struct rarog_history *history;
	const struct rarog_history_changes *changes;
	const struct rarog_history_splits *splits;
	struct rarog_vcs *vcs;
	uint64_t limit; /* changes shown to people, 0: all */
	int width;      /* of the terminal, 0: any */
	bool colour;
};

/** rarog_history_class() - "Degradation", "MaybeOptimization" … */
const char *rarog_history_class(const struct rarog_history_change *change);

/* Each is all of a form of it, for struct rarog_verdict_format. Return: 0, -EIO, -ENOMEM. */
int rarog_history_text(const struct rarog_history_view *s, FILE *out);
int rarog_history_markdown(const struct rarog_history_view *s, FILE *out);
int rarog_history_json(const struct rarog_history_view *s, FILE *out);

#endif
