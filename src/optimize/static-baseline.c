/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function whose every call takes about the same needs no measuring: its cost is a number times
 * its calls. What is known so far is which functions are constant (constant-cost.h).
 */
#include "optimize/technique.h"

int rarog_decide_static_baseline(struct rarog_deciding *d)
{
	const struct rarog_subject *s = d->subject;
	uint32_t top = rarog_parameter_whole(d->parameters, RAROG_PARAMETER_STATIC_KEEP_TOP);
	double most = d->parameters->number[RAROG_PARAMETER_STATIC_COMPLEXITY];
	int r = 0;

	if (most > RAROG_COMPLEXITY_CONSTANT)
		d->aside[RAROG_TECHNIQUE_STATIC_BASELINE] =
			"linear and more needs bounds, which nothing finds yet: constant is taken";
	if (most < RAROG_COMPLEXITY_CONSTANT)
		return 0;
	for (uint32_t i = 0; r == 0 && i < s->graph->callees.n; i++)
		if (s->graph->callees.v[i].flags & RAROG_CALLEE_CONSTANT &&
		    rarog_subject_is_function(s, i) && rarog_subject_is_reached(s, i) &&
		    s->facts.level[i] >= top)
			r = rarog_decide_prune(d, RAROG_TECHNIQUE_STATIC_BASELINE, i,
					       "takes the same each time, on level",
					       s->facts.level[i]);
	return r;
}
