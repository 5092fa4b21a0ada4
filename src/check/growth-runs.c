/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Growth over runs. Each workload is compared with itself by the standard method; how cost grows
 * from one to the next says what none of these comparisons can: that it is another class now. Only
 * that is reported. Of hundreds of functions a few would be outside of their intervals by chance,
 * so what is less than a part of LEAST of the cost is left out, and within a class nothing is said.
 */
#include "check/growth-runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check/describe.h"
#include "check/growth-families.h"
#include "check/growth.h"
#include "check/judge.h"
#include "check/sittings.h"

#define LEAST 0.005 /* of the largest cost */
#define ALPHA 0.01  /* of what sittings may do */

struct subject {
	struct rarog_checks *checks;
	const struct rarog_growth_family *family;
	struct rarog_check *largest; /* which gets what is found */
};

static const struct rarog_costing *find_cost(const struct rarog_costs *costs, const char *mangled)
{
	for (size_t i = 0; i < costs->list.n; i++) {
		const struct rarog_costing *cost = &costs->list.v[i];

		if (cost->mangled == mangled ||
		    (mangled && cost->mangled && strcmp(cost->mangled, mangled) == 0))
			return cost;
	}
	return NULL;
}

/* --- the verdict --- */

static void describe(const struct rarog_comparison *comparison, const struct rarog_costing *cost,
		     struct rarog_change *change)
{
	change->location = cost->mangled ? cost->name : "";
	for (size_t i = 0; cost->mangled && i < comparison->n; i++) {
		const char *mangled = comparison->rows[i].form[RAROG_TARGET].mangled;

		if (mangled && strcmp(mangled, cost->mangled) == 0) {
			rarog_describe_row(comparison, i, change);
			return;
		}
	}
}

static int add(const struct subject *subject, const struct rarog_costing *cost, bool are_counts,
	       const struct rarog_model_word *word)
{
	static const struct rarog_metric count = { "growth", "instructions" };
	struct rarog_change change = RAROG_CHANGE_INIT;

	describe(&subject->largest->comparison, cost, &change);
	change.class = word->class;
	change.metric = are_counts ? &count : &rarog_metric_growth;
	change.baseline = word->baseline;
	change.target = word->target;
	change.relative = word->relative;
	change.method = rarog_check_growth.name;
	change.reason = word->reason;
	change.parts = word->parts;
	change.n_parts = word->n_parts;
	return rarog_verdict_add(&subject->largest->verdict, &change);
}

static int judge(const struct subject *subject, const struct rarog_costs costs[2],
		 const struct rarog_costing *const of[2])
{
	static const struct rarog_estimate_options options = { .fit.model.errors =
								       RAROG_ERRORS_AUTO };
	rarog_cleanup(rarog_estimate_release) struct rarog_modelled baseline = { 0 };
	rarog_cleanup(rarog_estimate_release) struct rarog_modelled target = { 0 };
	const char *option = rarog_cost_option(subject->family->x);
	double thresholds[RAROG_THRESHOLDS_MAX];
	bool are_counts = costs[0].unit == RAROG_UNIT_COUNT;
	struct rarog_growth_pair pair = { .of = { &baseline, &target },
					  .x = option ? option : "n",
					  .is_exact = are_counts,
					  .is_of_growth_alone = true };
	struct rarog_model_word word;
	int r = rarog_estimate(of[0], &costs[0], &options, &baseline);

	if (r == 0)
		r = rarog_estimate(of[1], &costs[1], &options, &target);
	if (r < 0)
		return r;
	rarog_threshold_standards(&rarog_check_growth, thresholds);
	pair.effect = (struct rarog_effect){ thresholds[0], thresholds[1] };
	rarog_growth_judge(&pair, &word);
	return rarog_class_is_degradation(word.class) || rarog_class_is_optimization(word.class)
		       ? add(subject, of[1], are_counts, &word)
		       : 0;
}

static int judge_all(const struct subject *subject, const struct rarog_costs costs[2])
{
	double most = 0;
	int r = 0;

	for (size_t i = 0; i < costs[1].list.n; i++)
		most = fmax(most, costs[1].list.v[i].total);
	for (size_t i = 0; r == 0 && i < costs[1].list.n; i++) {
		const struct rarog_costing *target = &costs[1].list.v[i],
					   *baseline = find_cost(&costs[0], target->mangled);

		if (baseline && fmax(target->total, baseline->total) >= LEAST * most)
			r = judge(subject, costs,
				  (const struct rarog_costing *[]){ baseline, target });
	}
	return r;
}

static bool is_sure(const struct rarog_verdict *verdict, size_t first)
{
	for (size_t i = first; i < verdict->changes.n; i++)
		if (rarog_class_is_certain(verdict->changes.v[i].class))
			return true;
	return false;
}

static int judge_member(struct rarog_check *member, struct rarog_verdict *verdict, size_t first)
{
	static const double limits[] = { [RAROG_RUNS_ALPHA] = ALPHA };
	double thresholds[RAROG_THRESHOLDS_MAX];
	struct rarog_judge of_times = {
		.comparison = &member->comparison,
		.limits = limits,
		.verdict = verdict,
	};
	int r;

	rarog_threshold_standards(&rarog_check_growth, thresholds);
	of_times.effect = (struct rarog_effect){ thresholds[0], thresholds[1] };
	member->comparison.sittings = &member->sittings;
	r = rarog_sittings_judge(&of_times, first);
	member->comparison.sittings = NULL;
	return r;
}

/* A curve is as sure as its points: one that was measured in two sittings may have bent it, unless
 * it is known how much these do. */
static int judge_sittings(const struct subject *subject, size_t first)
{
	const struct rarog_growth_family *family = subject->family;
	struct rarog_verdict *verdict = &subject->largest->verdict;
	int r = 0;

	for (size_t i = 0; r == 0 && i < family->members.n && is_sure(verdict, first); i++)
		r = judge_member(&subject->checks->list.v[family->members.v[i]], verdict, first);
	return r;
}

static int compare(const struct subject *subject)
{
	rarog_cleanup(rarog_costs_release) struct rarog_costs baseline = { 0 };
	rarog_cleanup(rarog_costs_release) struct rarog_costs target = { 0 };
	size_t before = subject->largest->verdict.changes.n;
	int r = rarog_growth_costs(subject->checks, subject->family, RAROG_BASELINE, NULL,
				   &baseline);

	if (r == 0 && baseline.list.n > 0)
		r = rarog_growth_costs(subject->checks, subject->family, RAROG_TARGET, baseline.y,
				       &target);
	if (r < 0 || target.list.n == 0)
		return r;
	struct rarog_costs costs[2] = { baseline, target };

	r = judge_all(subject, costs);
	if (r == 0 && baseline.unit != RAROG_UNIT_COUNT)
		r = judge_sittings(subject, before);
	if (r == 0 && subject->largest->verdict.changes.n > before)
		rarog_verdict_finish(&subject->largest->verdict);
	return r;
}

int rarog_growth_over_runs(struct rarog_checks *checks, size_t first)
{
	rarog_cleanup(rarog_growth_families_release) struct rarog_growth_families families = { 0 };
	int r = rarog_growth_families(checks, first, &families);

	for (size_t i = 0; r == 0 && i < families.list.n; i++) {
		const struct rarog_growth_family *family = &families.list.v[i];

		r = compare(&(struct subject){ checks, family, &checks->list.v[family->largest] });
	}
	return r;
}
