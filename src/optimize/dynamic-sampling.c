/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every n-th call of what is called often. After a run n is chosen so that each function has about
 * as many records as the threshold; before, it grows with the level.
 */
#include "optimize/technique.h"

#include <math.h>

#define MOST 2e9

static uint32_t limit(double n)
{
	return n < 1 ? 1 : n > MOST ? (uint32_t)MOST : (uint32_t)n;
}

/* Near enough to the threshold the old n stays: that profiles are of the same kind is worth more.
 */
uint32_t rarog_sampling_rate(const struct rarog_function_statistics *f, double threshold)
{
	double records = (double)f->sampled;

	if (fabs(records - threshold) <= 0.1 * threshold)
		return f->every;
	return limit(floor(f->every / (threshold / records)));
}

static int sample(struct rarog_deciding *d, uint32_t node, double n, const char *why,
		  uint64_t amount)
{
	return rarog_decide_sample(d, RAROG_TECHNIQUE_DYNAMIC_SAMPLING, node, limit(n), why,
				   amount);
}

static int by_run(struct rarog_deciding *d, uint32_t node,
		  const struct rarog_function_statistics *f, double threshold)
{
	uint32_t n = rarog_sampling_rate(f, threshold);

	return n == f->every ? sample(d, node, n, "as in the last run, records:", f->sampled)
			     : sample(d, node, n, "calls in the last run:", f->count);
}

static int by_level(struct rarog_deciding *d, uint32_t node, const char *why)
{
	const struct rarog_subject *s = d->subject;
	double step = d->parameters->number[RAROG_PARAMETER_DYN_SAMPLE_STEP];
	bool is_constant = s->graph->callees.v[node].flags & RAROG_CALLEE_CONSTANT;
	double n = rint(pow(step, s->facts.level[node]));

	return sample(d, node, is_constant ? 2 * n : n, why, s->facts.level[node]);
}

static int decide(struct rarog_deciding *d, uint32_t node)
{
	const char *name = d->subject->graph->callees.v[node].name;
	double threshold = d->parameters->number[RAROG_PARAMETER_DYN_SAMPLE_THRESHOLD];
	const struct rarog_function_statistics *f =
		d->statistics ? rarog_statistics_find(d->statistics, name) : NULL;

	if (threshold == 0)
		return rarog_decide_prune(d, RAROG_TECHNIQUE_DYNAMIC_SAMPLING, node,
					  "as many records are wanted:", 0);
	if (!f || f->sampled == 0)
		return by_level(d, node, "not measured before, on level");
	if (d->since_run && d->since_run[node] != RAROG_CHANGE_NONE)
		return by_level(d, node, "changed since the last run, on level");
	return by_run(d, node, f, threshold);
}

int rarog_decide_dynamic_sampling(struct rarog_deciding *d)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < d->subject->graph->callees.n; i++)
		if (rarog_subject_is_function(d->subject, i) &&
		    rarog_subject_is_reached(d->subject, i))
			r = decide(d, i);
	return r;
}
