/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/blame.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "check/paths.h"
#include "num/quantile.h"

#define SAME 0.01 /* a relative difference below which nobody would ask why */

/* Medians of a row's calls; time a call of what the change says of before and now, and that with
 * all that its probes may have cost. */
struct usual {
	double calls[2], ns_a_call[2], probed_ns_a_call[2];
};

static int measure(const struct rarog_comparison *c, const struct rarog_change *change,
		   struct usual *ret_usual)
{
	const double ns[] = { change->baseline, change->target };

	for (size_t side = 0; side < 2; side++) {
		double *const *values = c->rows[change->row].values[side];
		double probed = 0;
		size_t n = c->sides[side].runs.n;
		int r = rarog_median(n, values[RAROG_MEASURE_CALLS], &ret_usual->calls[side]);

		if (r == 0)
			r = rarog_median(n, values[RAROG_MEASURE_PROBED], &probed);
		if (r < 0)
			return r;
		ret_usual->ns_a_call[side] = ns[side] / ret_usual->calls[side];
		ret_usual->probed_ns_a_call[side] = probed / ret_usual->calls[side];
	}
	return 0;
}

static double ratio(const double values[2])
{
	return values[RAROG_TARGET] / values[RAROG_BASELINE] - 1;
}

/* "called 50 % more often (1,000 -> 1,500 times)" */
static int say_calls(const struct usual *usual, struct rarog_str *text)
{
	double more = ratio(usual->calls);

	if (!(fabs(more) >= SAME))
		return rarog_str_addf(text, "called as often (%s time%s)",
				      rarog_format_count((uint64_t)usual->calls[RAROG_TARGET]).text,
				      rarog_plural((uint64_t)usual->calls[RAROG_TARGET]));
	return rarog_str_addf(text, "called %s often (%s -> %s times)", more > 0 ? "more" : "less",
			      rarog_format_count((uint64_t)usual->calls[RAROG_BASELINE]).text,
			      rarog_format_count((uint64_t)usual->calls[RAROG_TARGET]).text);
}

static int say_itself(const struct usual *usual, bool is_waiting, struct rarog_str *text)
{
	double more = ratio(usual->ns_a_call);

	if (!isfinite(more)) /* nothing to compare with */
		return 0;
	if (!is_waiting && more * ratio(usual->probed_ns_a_call) < 0)
		return 0; /* it depends on what a probe costs, which is known as a bound only */
	if (is_waiting && fabs(more) >= SAME)
		return rarog_str_addf(text, ", each call waits %.1f %% %s", fabs(more) * 100,
				      more > 0 ? "longer" : "less long");

	if (!(fabs(more) >= SAME))
		return rarog_str_add(text, ", each call as fast as before");
	return rarog_str_addf(text, ", each call %.1f %% %s itself", fabs(more) * 100,
			      more > 0 ? "slower" : "faster");
}

/* What it calls, and what changed in the same direction: the largest of them. */
static int say_callee(const struct rarog_comparison *c, const struct rarog_verdict *verdict,
		      const struct rarog_change *change, struct rarog_str *text)
{
	bool is_worse = change->relative > 0;

	for (size_t i = 0; i < verdict->changes.n; i++) {
		const struct rarog_change *other = &verdict->changes.v[i];

		if (other->row == change->row || other->row >= c->n ||
		    (is_worse ? !rarog_class_is_degradation(other->class)
			      : !rarog_class_is_optimization(other->class)) ||
		    !rarog_paths_calls(c, change->row, other->row))
			continue;
		return rarog_str_addf(text, "; it calls %s, which is %s, too", other->location,
				      rarog_class_words(other->class));
	}
	return 0;
}

static int say_names(const struct rarog_row *row, struct rarog_str *text)
{
	int r = 0;

	if (row->matched_by)
		r = rarog_str_addf(text, "; %s: was %s", row->matched_by,
				   row->form[RAROG_BASELINE].name);
	if (r == 0 && row->folded)
		r = rarog_str_addf(text, "; with %s, inlined into it in one version only",
				   row->folded);
	return r;
}

/* Of samples only the time is known. */
static int say_itself_of(const struct rarog_comparison *c, const struct usual *usual,
			 bool is_waiting, struct rarog_str *text)
{
	int r;

	if (rarog_side_counts_samples(&c->sides[0]) || rarog_side_counts_samples(&c->sides[1]))
		return rarog_str_add(text, "estimated from samples");
	r = say_calls(usual, text);
	return r < 0 ? r : say_itself(usual, is_waiting, text);
}

static int explain(const struct rarog_comparison *c, const struct rarog_verdict *verdict,
		   struct rarog_change *change)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	bool is_waiting = change->metric == &rarog_metric_waiting;
	struct usual usual;
	int r = measure(c, change, &usual);

	if (r < 0)
		return r;
	if (change->reason)
		r = rarog_str_addf(&text, "%s; ", change->reason);
	if (r == 0)
		r = say_itself_of(c, &usual, is_waiting, &text);
	if (r == 0 && !is_waiting)
		r = say_callee(c, verdict, change, &text);
	if (r == 0)
		r = say_names(&c->rows[change->row], &text);
	if (r < 0)
		return rarog_oom();
	rarog_change_say(&change->reason, rarog_str_take(&text));
	return change->reason ? 0 : rarog_oom();
}

static enum rarog_measure measure_of(const struct rarog_change *change)
{
	return change->metric == &rarog_metric_waiting ? RAROG_MEASURE_WAITING
						       : RAROG_MEASURE_EXCLUSIVE;
}

static bool is_explained(const struct rarog_comparison *c, const struct rarog_change *change)
{
	return change->row < c->n &&
	       (change->metric == &rarog_metric_exclusive ||
		change->metric == &rarog_metric_waiting) &&
	       change->class != RAROG_CLASS_NO_CHANGE && change->class != RAROG_CLASS_UNKNOWN &&
	       change->class != RAROG_CLASS_NOT_IN_BASELINE &&
	       change->class != RAROG_CLASS_NOT_IN_TARGET;
}

int rarog_blame(const struct rarog_comparison *comparison, struct rarog_verdict *verdict)
{
	size_t explained = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < verdict->changes.n && explained < RAROG_BLAME_MAX; i++) {
		struct rarog_change *change = &verdict->changes.v[i];
		char *path = NULL;

		if (!is_explained(comparison, change))
			continue;
		explained++;
		r = explain(comparison, verdict, change);
		if (r == 0)
			r = rarog_paths_find(comparison, change->row, measure_of(change),
					     change->target > change->baseline, &path);
		if (r >= 0)
			rarog_change_say(&change->path, path);
		r = r < 0 ? r : 0;
	}
	return r;
}
