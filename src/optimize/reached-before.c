/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two thirds of the functions of a program are not called in a run of it, and what an earlier run
 * of the same job did not call the next one hardly does. What had no probe in a whole run, is new
 * or has changed since is measured all the same, and now and then everything is.
 */
#include "optimize/technique.h"

/* It had a probe, all the time, and nobody called it. */
static bool is_uncalled(const struct rarog_deciding *d, const char *name)
{
	const struct rarog_function_statistics *f = rarog_statistics_find(d->statistics, name);

	return f && f->count == 0;
}

static bool is_due(const struct rarog_deciding *d)
{
	double again = d->parameters->number[RAROG_PARAMETER_DYN_BASE_AGAIN];

	return again > 0 && (d->statistics->runs + 1) % (uint32_t)again == 0;
}

int rarog_decide_reached_before(struct rarog_deciding *d)
{
	const char **aside = &d->aside[RAROG_TECHNIQUE_REACHED_BEFORE];
	const struct rarog_callee *v = d->subject->graph->callees.v;
	int r = 0;

	if (!d->statistics)
		*aside = "no earlier run of this is known";
	else if (!d->since_run)
		*aside = "what has changed since the last run is not known";
	else if (is_due(d))
		*aside = "now and then everything is measured";
	for (uint32_t i = 0; !*aside && r == 0 && i < d->subject->graph->callees.n; i++)
		if (rarog_subject_is_function(d->subject, i) && rarog_is_as_measured(d, i) &&
		    is_uncalled(d, v[i].name))
			r = rarog_decide_prune(d, RAROG_TECHNIQUE_REACHED_BEFORE, i,
					       "no earlier run has called it", UINT64_MAX);
	return r;
}
