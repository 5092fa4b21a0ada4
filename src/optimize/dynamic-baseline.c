/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an earlier run says of a function: it is called more often than anybody can pay for; its
 * calls all take the same; it does nearly all of what its callers do, and only they call it.
 */
#include "optimize/technique.h"

#include "base/cleanup.h"

#define NARROW  0.05 /* of the median: the quartiles are that near */
#define SHORT   10.0 /* ns: what takes no longer is constant */
#define WRAPPED 0.8  /* of the caller's time */

static const struct rarog_function_statistics *of(const struct rarog_deciding *d, uint32_t node)
{
	return rarog_statistics_find(d->statistics, d->subject->graph->callees.v[node].name);
}

static int prune(struct rarog_deciding *d, uint32_t node, const char *why, uint64_t amount)
{
	return rarog_decide_prune(d, RAROG_TECHNIQUE_DYNAMIC_BASELINE, node, why, amount);
}

static bool is_constant(const struct rarog_function_statistics *f)
{
	return f->has_quartiles &&
	       (f->q3_ns - f->q1_ns < NARROW * f->median_ns || f->median_ns <= SHORT);
}

static bool calls_only(const struct rarog_subject *s, uint32_t caller, uint32_t node)
{
	const struct rarog_digraph *out = &s->facts.out;

	for (uint32_t k = out->first[caller]; k < out->first[caller + 1]; k++)
		if (out->to[k] != node &&
		    s->graph->callees.v[out->to[k]].kind != RAROG_CALLEE_IMPORT)
			return false;
	return true;
}

static bool is_wrapper(const struct rarog_deciding *d, uint32_t caller, uint32_t node,
		       const struct rarog_function_statistics *f)
{
	const struct rarog_function_statistics *c =
		rarog_subject_is_function(d->subject, caller) ? of(d, caller) : NULL;

	return c && c->has_quartiles && c->count == f->count &&
	       calls_only(d->subject, caller, node) && f->median_ns >= WRAPPED * c->median_ns;
}

/* There is a caller, and every one is a wrapper. */
static bool is_wrapped(const struct rarog_deciding *d, uint32_t node,
		       const struct rarog_function_statistics *f)
{
	const struct rarog_digraph *in = &d->subject->facts.in;
	uint32_t k = in->first[node];

	if (!f->has_quartiles || k == in->first[node + 1])
		return false;
	for (; k < in->first[node + 1]; k++)
		if (!is_wrapper(d, in->to[k], node, f))
			return false;
	return true;
}

/* What was left out is measured again now and then, and at once when it is another function now. */
static bool has_changed(const struct rarog_deciding *d, uint32_t node)
{
	return d->since_run && d->since_run[node] != RAROG_CHANGE_NONE;
}

static int decide(struct rarog_deciding *d, uint32_t node)
{
	const struct rarog_function_statistics *f = of(d, node);
	const double *number = d->parameters->number;

	if (!f || rarog_statistics_are_old(f, number[RAROG_PARAMETER_DYN_BASE_AGAIN]) ||
	    has_changed(d, node))
		return 0;
	if ((double)f->count > number[RAROG_PARAMETER_DYN_BASE_HARD_THRESHOLD])
		return prune(d, node, "calls in the last run:", f->count);
	if ((double)f->count > number[RAROG_PARAMETER_DYN_BASE_SOFT_THRESHOLD] && is_constant(f))
		return prune(d, node, "calls that took the same:", f->count);
	if (is_wrapped(d, node, f))
		return prune(d, node, "its caller tells the same, calls:", f->count);
	return 0;
}

int rarog_decide_dynamic_baseline(struct rarog_deciding *d)
{
	int r = 0;

	if (!d->statistics)
		d->aside[RAROG_TECHNIQUE_DYNAMIC_BASELINE] = "no earlier run of this is known";
	else if (d->statistics->lacks_times)
		d->aside[RAROG_TECHNIQUE_DYNAMIC_BASELINE] =
			"times of another machine are not used, numbers of calls are";
	for (uint32_t i = 0; d->statistics && r == 0 && i < d->subject->graph->callees.n; i++)
		if (rarog_subject_is_function(d->subject, i) &&
		    rarog_subject_is_reached(d->subject, i))
			r = decide(d, i);
	return r;
}
