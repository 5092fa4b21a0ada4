/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check-history.h"

#include <unistd.h>

#include "cmd/history-range.h"
#include "view/history/changes.h"
#include "view/verdict/verdict-view.h"

static const struct rarog_threshold thresholds[] = {
	[RAROG_HISTORY_ALPHA] = { "alpha", 0.05, 1e-9, 0.5,
				  "part of the changes reported that may be false alarms" },
	[RAROG_HISTORY_SMALLEST_EFFECT] = { "smallest-effect", 0.02, 0, 10,
					    "relative change that is too small to matter" },
	[RAROG_HISTORY_LEAST_SHARE] = { "least-share", 0.005, 0, 1,
					"part of all time from which on a function is followed" },
	[RAROG_HISTORY_SMALLEST] = { "smallest", 0.0005, 0, 1,
				     "least change of instructions that matters, as a part of the "
				     "program's" },
	{ .name = NULL },
};

const struct rarog_check_method rarog_check_history_rules = {
	.name = "history",
	.summary =
		"of --history: where a series of versions moves to another level and stays there",
	.thresholds = thresholds,
};

static int exit_code(const struct rarog_check_history *how,
		     const struct rarog_history_changes *changes)
{
	for (size_t i = 0; i < changes->list.n && !how->fails_never; i++) {
		const struct rarog_history_change *change = &changes->list.v[i];

		if (change->relative > 0 &&
		    (!rarog_history_is_maybe(change) || how->fails_on_maybe))
			return RAROG_EXIT_DEGRADATION;
	}
	return RAROG_EXIT_OK;
}

int rarog_check_history(const struct rarog_check_history *how)
{
	const struct rarog_history_request request = { .context = how->context,
						       .project = how->project,
						       .range = how->range,
						       .thresholds = how->thresholds,
						       .save = how->save };
	rarog_cleanup(rarog_history_range_release) struct rarog_history_range range = { 0 };
	int r = rarog_history_range_read(&request, &range);

	if (r < 0)
		return r;
	r = how->format->write_history(
		&(struct rarog_history_view){
			.history = &range.history,
			.changes = &range.changes,
			.splits = &range.splits,
			.vcs = how->project->vcs,
			.limit = how->limit,
			.width = isatty(STDOUT_FILENO) ? how->context->width : 0,
			.colour = how->context->colour,
		},
		stdout);
	return r < 0 ? r : exit_code(how, &range.changes);
}
