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
#include "base/str.h"
#include "check/describe.h"
#include "check/growth.h"
#include "check/judge.h"
#include "check/sittings.h"
#include "store/configuration.h"

#define LEAST   0.005 /* of the largest cost */
#define MEMBERS 3     /* x that a model needs */
#define ALPHA   0.01  /* of what sittings may do */

/* Checks that differ in x alone. */
struct family {
	char *x;   /* "workload", "option:NAME" */
	char *key; /* of all the rest */
	RAROG_VEC(struct rarog_check *) members;
	struct rarog_check *largest; /* of these, by x */
	double most;
};

struct families {
	RAROG_VEC(struct family) list;
};

static void families_release(struct families *families)
{
	for (size_t i = 0; i < families->list.n; i++) {
		struct family *family = &families->list.v[i];

		free(family->x);
		free(family->key);
		rarog_vec_release(&family->members);
	}
	rarog_vec_release(&families->list);
}

/* --- which checks belong together --- */

static struct family *find(const struct families *families, const char *x, const char *key)
{
	for (size_t i = 0; i < families->list.n; i++)
		if (strcmp(families->list.v[i].x, x) == 0 &&
		    strcmp(families->list.v[i].key, key) == 0)
			return &families->list.v[i];
	return NULL;
}

static struct family *find_or_add(struct families *families, const char *x, const char *key)
{
	struct family *family = find(families, x, key);
	struct family new = { .most = -INFINITY };

	if (family)
		return family;
	new.x = strdup(x);
	new.key = strdup(key);
	if (new.x &&new.key && rarog_vec_push(&families->list, new) == 0)
		return &families->list.v[families->list.n - 1];
	free(new.x);
	free(new.key);
	return NULL;
}

/* Takes @take_key; NULL: no memory. */
static int join(struct families *families, const char *x, char *take_key, double at,
		struct rarog_check *check)
{
	rarog_cleanup(rarog_freep) char *key = take_key;
	struct family *family = key ? find_or_add(families, x, key) : NULL;

	if (!family || rarog_vec_push(&family->members, check) < 0)
		return rarog_oom();
	if (at > family->most) {
		family->most = at;
		family->largest = check;
	}
	return 0;
}

/* Times of two machines are no points of one curve. NULL: no memory. */
static char *key_of(const struct rarog_facts *facts, const char *workload,
		    const char *configuration)
{
	const struct rarog_job *job = &facts->job;
	struct rarog_hash class;

	if (rarog_machine_class(&facts->machine, &class) < 0)
		return NULL;
	return rarog_asprintf("%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s", job->name, job->command,
			      job->arguments, job->collector, job->engine, job->parameters,
			      workload, configuration, rarog_hash_hex(&class).text);
}

static int join_by_option(struct families *families, const struct rarog_facts *facts,
			  const struct rarog_configuration *options, size_t i,
			  struct rarog_check *check)
{
	const char *name = options->list.v[i].name;
	rarog_cleanup(rarog_freep) char *x = NULL, *rest = NULL;
	double at;

	if (!rarog_configuration_number(options, name, &at))
		return 0;
	x = rarog_asprintf("%s%s", RAROG_COST_OPTION, name);
	rest = rarog_configuration_without(facts->job.configuration, name);
	return x && rest ? join(families, x, key_of(facts, facts->job.workload, rest), at, check)
			 : rarog_oom();
}

static int join_all(struct families *families, struct rarog_check *check)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration options = { 0 };
	const struct rarog_job *job = &facts.job;
	int r = rarog_facts_of(check->comparison.sides[RAROG_TARGET].runs.v[0].profile, &facts);

	if (r == 0 && job->has_number)
		r = join(families, RAROG_COST_WORKLOAD, key_of(&facts, "", job->configuration),
			 job->number, check);
	if (r == 0)
		r = rarog_configuration_parse(&options, job->configuration);
	for (size_t i = 0; r == 0 && i < options.list.n; i++)
		r = join_by_option(families, &facts, &options, i, check);
	return r;
}

/* --- what each function costs, by x --- */

/* 0, also if there is nothing to compare; then there are no costs. */
static int read_costs(const struct family *family, int side, const char *y,
		      struct rarog_costs *ret_costs)
{
	RAROG_VEC(struct rarog_profile *) profiles = { 0 };
	struct rarog_match all = { 0 };
	const struct rarog_cost_request request = { .x = family->x, .y = y, .functions = &all };
	int r = 0;

	for (size_t i = 0; r == 0 && i < family->members.n; i++) {
		const struct rarog_side *of = &family->members.v[i]->comparison.sides[side];

		for (size_t k = 0; r == 0 && k < of->runs.n; k++)
			if (rarog_vec_push(&profiles, of->runs.v[k].profile) < 0)
				r = rarog_oom();
	}
	if (r == 0)
		r = rarog_costs_read(profiles.n, profiles.v, &request, ret_costs);
	rarog_vec_release(&profiles);
	if (r != -EINVAL && r != -ENODATA)
		return r;
	rarog_error_clear();
	return 0;
}

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

static int add(const struct family *family, const struct rarog_costing *cost, bool are_counts,
	       const struct rarog_model_word *word)
{
	static const struct rarog_metric count = { "growth", "instructions" };
	struct rarog_change change = RAROG_CHANGE_INIT;

	describe(&family->largest->comparison, cost, &change);
	change.class = word->class;
	change.metric = are_counts ? &count : &rarog_metric_growth;
	change.baseline = word->baseline;
	change.target = word->target;
	change.relative = word->relative;
	change.method = rarog_check_growth.name;
	change.reason = word->reason;
	change.parts = word->parts;
	change.n_parts = word->n_parts;
	return rarog_verdict_add(&family->largest->verdict, &change);
}

static int judge(const struct family *family, const struct rarog_costs costs[2],
		 const struct rarog_costing *const of[2])
{
	static const struct rarog_estimate_options options = { .fit.model.errors =
								       RAROG_ERRORS_AUTO };
	rarog_cleanup(rarog_estimate_release) struct rarog_modelled baseline = { 0 };
	rarog_cleanup(rarog_estimate_release) struct rarog_modelled target = { 0 };
	const char *option = rarog_cost_option(family->x);
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
		       ? add(family, of[1], are_counts, &word)
		       : 0;
}

static int judge_all(const struct family *family, const struct rarog_costs costs[2])
{
	double most = 0;
	int r = 0;

	for (size_t i = 0; i < costs[1].list.n; i++)
		most = fmax(most, costs[1].list.v[i].total);
	for (size_t i = 0; r == 0 && i < costs[1].list.n; i++) {
		const struct rarog_costing *target = &costs[1].list.v[i],
					   *baseline = find_cost(&costs[0], target->mangled);

		if (baseline && fmax(target->total, baseline->total) >= LEAST * most)
			r = judge(family, costs,
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
static int judge_sittings(const struct family *family, size_t first)
{
	struct rarog_verdict *verdict = &family->largest->verdict;
	int r = 0;

	for (size_t i = 0; r == 0 && i < family->members.n && is_sure(verdict, first); i++)
		r = judge_member(family->members.v[i], verdict, first);
	return r;
}

static int compare(const struct family *family)
{
	rarog_cleanup(rarog_costs_release) struct rarog_costs baseline = { 0 };
	rarog_cleanup(rarog_costs_release) struct rarog_costs target = { 0 };
	size_t before = family->largest->verdict.changes.n;
	int r = read_costs(family, RAROG_BASELINE, NULL, &baseline);

	if (r == 0 && baseline.list.n > 0)
		r = read_costs(family, RAROG_TARGET, baseline.y, &target);
	if (r < 0 || target.list.n == 0)
		return r;
	struct rarog_costs costs[2] = { baseline, target };

	r = judge_all(family, costs);
	if (r == 0 && baseline.unit != RAROG_UNIT_COUNT)
		r = judge_sittings(family, before);
	if (r == 0 && family->largest->verdict.changes.n > before)
		rarog_verdict_finish(&family->largest->verdict);
	return r;
}

int rarog_growth_over_runs(struct rarog_checks *checks, size_t first)
{
	rarog_cleanup(families_release) struct families families = { 0 };
	int r = 0;

	for (size_t i = first; r == 0 && i < checks->list.n; i++)
		if (checks->list.v[i].is_by_runs && !checks->list.v[i].verdict.is_same_program)
			r = join_all(&families, &checks->list.v[i]);
	for (size_t i = 0; r == 0 && i < families.list.n; i++)
		if (families.list.v[i].members.n >= MEMBERS)
			r = compare(&families.list.v[i]);
	return r;
}
