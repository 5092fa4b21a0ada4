/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What has changed since an earlier version is what may have become slower. Alone the technique
 * leaves all else out; with others it protects what has changed from them (optimize.c).
 */
#include "optimize/technique.h"

bool rarog_diff_is_kept(const struct rarog_subject *subject, const struct rarog_parameters *p,
			uint32_t node, uint8_t change)
{
	if (change == RAROG_CHANGE_NONE || change == RAROG_CHANGE_RENAMED)
		return false;
	if (change == RAROG_CHANGE_CALLS && p->number[RAROG_PARAMETER_DIFF_INSPECT_ALL] == 0)
		return false;
	return p->number[RAROG_PARAMETER_DIFF_KEEP_LEAF] > 0 || !subject->is_leaf[node];
}

int rarog_decide_diff_tracing(struct rarog_deciding *d)
{
	int r = 0;

	if (!d->changes)
		d->aside[RAROG_TECHNIQUE_DIFF_TRACING] = "no earlier version is known";
	for (uint32_t i = 0;
	     d->changes && d->is_alone && r == 0 && i < d->subject->graph->callees.n; i++)
		if (rarog_subject_is_function(d->subject, i))
			r = rarog_decide_prune(d, RAROG_TECHNIQUE_DIFF_TRACING, i, "is as it was",
					       UINT64_MAX);
	return r;
}
