/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/optimize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "optimize/code-changes.h"
#include "optimize/marks.h"

const char *const rarog_opt_cache_names[] = { "on", "off", "reset", NULL };

/* --- what is on --- */

static int switch_all(struct rarog_optimizer *o, const struct rarog_strings *names,
		      const char *option, bool on)
{
	for (size_t i = 0; i < names->n; i++) {
		int technique = rarog_technique_find(names->v[i]);

		if (technique < 0)
			return rarog_fail_prefix(-EINVAL, "--%s %s", option, names->v[i]);
		o->is_on[technique] = on;
	}
	return 0;
}

static int check_contradiction(const struct rarog_optimize_options *options)
{
	for (size_t i = 0; i < options->on.n; i++)
		for (size_t k = 0; k < options->off.n; k++)
			if (strcmp(options->on.v[i], options->off.v[k]) == 0)
				return rarog_fail(-EINVAL,
						  "--on %s and --off %s exclude each other",
						  options->on.v[i], options->off.v[k]);
	return 0;
}

int rarog_optimizer_init(const struct rarog_optimize_options *options,
			 const struct rarog_optimizer_sources *sources,
			 struct rarog_optimizer *ret_optimizer)
{
	struct rarog_optimizer *o = ret_optimizer;
	int r = check_contradiction(options);

	*o = (struct rarog_optimizer){ .pipeline = (enum rarog_pipeline)options->pipeline,
				       .parameters = rarog_parameters_default(),
				       .sources = *sources };
	for (int i = 0; i < RAROG_TECHNIQUES; i++)
		o->is_on[i] = rarog_techniques[i].traits & 1u << o->pipeline;
	if (r == 0)
		r = switch_all(o, &options->on, "on", true);
	if (r == 0)
		r = switch_all(o, &options->off, "off", false);
	for (size_t i = 0; r == 0 && i < options->parameters.n; i++)
		r = rarog_parameters_set(&o->parameters, options->parameters.v[i]);
	if (r == 0 && !rarog_optimizer_is_on(o) && (options->parameters.n > 0 || options->explain))
		r = rarog_fail(-EINVAL, "--opt and --explain are for techniques; switch one on: "
					"--pipeline=basic, --on=cg-shaping");
	return r;
}

int rarog_optimize_windows(const struct rarog_optimize_options *options, size_t n, char text[n])
{
	const struct rarog_optimizer_sources none = { 0 };
	rarog_cleanup(rarog_optimizer_release) struct rarog_optimizer o = { 0 };
	int r = rarog_optimizer_init(options, &none, &o);
	double hz = o.parameters.number[RAROG_PARAMETER_TIMED_SAMPLE_FREQ];

	if (r < 0 || !o.is_on[RAROG_TECHNIQUE_TIMED_SAMPLING])
		return r;
	if (hz < 1 || hz > 10000)
		return rarog_fail(-EINVAL, "--opt timed-sample-freq: expected 1 … 10000 a second");
	snprintf(text, n, "%.0fns/%.0fns", 1e9 / hz, 2e9 / hz);
	return 1;
}

struct rarog_probing rarog_optimizer_probing(const struct rarog_optimizer *o)
{
	const struct rarog_graph_size unknown = { 0 };
	struct rarog_parameters p = o->parameters;

	if (!o->is_on[RAROG_TECHNIQUE_DYNAMIC_PROBING])
		return (struct rarog_probing){ 0 };
	rarog_parameters_predict(&p, o->pipeline, &unknown);
	return (struct rarog_probing){
		.threshold = (uint64_t)p.number[RAROG_PARAMETER_PROBING_THRESHOLD],
		.reattaches = p.number[RAROG_PARAMETER_PROBING_REATTACH] > 0,
	};
}

bool rarog_optimizer_is_on(const struct rarog_optimizer *optimizer)
{
	for (int i = 0; i < RAROG_TECHNIQUES; i++)
		if (optimizer->is_on[i])
			return true;
	return false;
}

bool rarog_optimizer_needs(const struct rarog_optimizer *optimizer, unsigned what)
{
	for (int i = 0; i < RAROG_TECHNIQUES; i++)
		if (optimizer->is_on[i] && rarog_techniques[i].traits & what)
			return true;
	return false;
}

static void account_release(struct rarog_account *account)
{
	for (size_t i = 0; i < account->v.n; i++)
		free(account->v.v[i].function);
	rarog_vec_release(&account->v);
	free(account->path);
}

void rarog_optimizer_release(struct rarog_optimizer *optimizer)
{
	for (size_t i = 0; i < optimizer->files.n; i++)
		account_release(&optimizer->files.v[i]);
	rarog_vec_release(&optimizer->files);
}

/* --- deciding --- */

static bool is_less_work(const struct rarog_decision *a, const struct rarog_decision *b)
{
	if (a->action != b->action)
		return a->action < b->action; /* pruned, sample, record */
	return a->n != b->n ? a->n > b->n : a->technique < b->technique;
}

int rarog_optimize_decide(struct rarog_deciding *d, size_t n,
			  const enum rarog_technique_number order[n],
			  struct rarog_decision ret_joined[])
{
	int r = 0;

	for (uint32_t i = 0; i < d->subject->graph->callees.n; i++)
		ret_joined[i] = (struct rarog_decision){ .node = i, .action = RAROG_ACTION_RECORD };
	for (size_t i = 0; r == 0 && i < n; i++)
		r = rarog_techniques[order[i]].decide(d);
	for (size_t i = 0; i < d->v.n; i++) {
		const struct rarog_decision *said = &d->v.v[i];

		if (is_less_work(said, &ret_joined[said->node]))
			ret_joined[said->node] = *said;
	}
	return r;
}

static size_t list_on(const struct rarog_optimizer *o, enum rarog_technique_number order[])
{
	size_t n = 0;

	for (int i = 0; i < RAROG_TECHNIQUES; i++)
		if (o->is_on[i] && rarog_techniques[i].decide)
			order[n++] = (enum rarog_technique_number)i;
	return n;
}

/* --- places and functions of the graph --- */

static bool is_kept(const struct rarog_plan_place *place)
{
	return place->is_root || place->has_values;
}

static bool is_changed(const struct rarog_deciding *d, uint32_t node)
{
	return d->changes && rarog_diff_is_kept(d->subject, d->parameters, node, d->changes[node]);
}

static void protect_changed(const struct rarog_deciding *d, bool is_protected[])
{
	for (uint32_t i = 0; i < d->subject->graph->callees.n; i++)
		is_protected[i] |= is_changed(d, i);
}

/* While the program runs only what is known not to be worth it is switched off. */
static bool stays(const struct rarog_deciding *d, long node)
{
	return node < 0 || d->is_protected[node] || is_changed(d, (uint32_t)node);
}

static void protect(const struct rarog_subject *s, const struct rarog_place_set *set,
		    bool is_protected[])
{
	for (size_t i = 0; i < set->v.n; i++) {
		long node = set->v.v[i].kind == RAROG_AT_FUNCTION && is_kept(&set->v.v[i])
				    ? rarog_call_graph_at(s->graph, set->v.v[i].address)
				    : -ENOENT;

		if (node >= 0)
			is_protected[node] = true;
	}
	for (uint32_t i = 0; i < s->graph->callees.n; i++)
		if (s->graph->callees.v[i].roots & RAROG_ROOT_MAIN)
			is_protected[i] = true;
}

static int note(struct rarog_account *account, const char *name,
		const struct rarog_decision *decision)
{
	struct rarog_account_row row = { strdup(name), *decision };

	if (!row.function)
		return rarog_oom();
	if (rarog_vec_push(&account->v, row) == 0)
		return 0;
	free(row.function);
	return rarog_oom();
}

/* A rate that somebody gave stays; where calls are only counted there is nothing to sample. */
static bool change(struct rarog_plan_place *place, const struct rarog_decision *decision)
{
	if (decision->action == RAROG_ACTION_RECORD)
		return false;
	if (decision->action == RAROG_ACTION_SAMPLE && place->action != RAROG_ACTION_RECORD)
		return false;
	place->action = decision->action;
	place->n = decision->n;
	place->reason = rarog_techniques[decision->technique].name;
	return true;
}

static int change_places(struct rarog_place_set *set, const struct rarog_deciding *d,
			 const struct rarog_decision joined[], struct rarog_account *account)
{
	const struct rarog_call_graph *graph = d->subject->graph;
	int r = 0;

	for (size_t i = 0; r == 0 && i < set->v.n; i++) {
		struct rarog_plan_place *place = &set->v.v[i];
		long node;

		if (place->kind != RAROG_AT_FUNCTION || !rarog_place_is_measured(place))
			continue;
		account->asked++;
		node = rarog_call_graph_at(graph, place->address);
		place->stays = stays(d, node);
		if (node < 0 || !change(place, &joined[node]))
			continue;
		account->pruned += place->action == RAROG_ACTION_PRUNED;
		account->sampled += place->action == RAROG_ACTION_SAMPLE;
		r = note(account, graph->callees.v[node].name, &joined[node]);
	}
	return r;
}

/* A region has two places, and one name. */
static bool is_noted(const struct rarog_account *account, const char *name)
{
	return account->v.n > 0 && strcmp(account->v.v[account->v.n - 1].function, name) == 0;
}

static int change_marks(const struct rarog_optimizer *o, const struct rarog_deciding *d,
			struct rarog_place_set *set, struct rarog_account *account)
{
	const struct rarog_mark_rules rules = {
		.parameters = d->parameters,
		.statistics = d->statistics,
		.prunes = o->is_on[RAROG_TECHNIQUE_DYNAMIC_BASELINE],
		.samples = o->is_on[RAROG_TECHNIQUE_DYNAMIC_SAMPLING],
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < set->v.n; i++) {
		struct rarog_decision decision;

		if (rarog_optimize_mark(&set->v.v[i], &rules, &decision) &&
		    change(&set->v.v[i], &decision) && !is_noted(account, set->v.v[i].mark))
			r = note(account, set->v.v[i].mark, &decision);
	}
	return r;
}

static int by_technique(const void *left, const void *right)
{
	const struct rarog_decision *a = &((const struct rarog_account_row *)left)->decision;
	const struct rarog_decision *b = &((const struct rarog_account_row *)right)->decision;

	if (a->technique != b->technique)
		return a->technique - b->technique;
	return (a->node > b->node) - (a->node < b->node);
}

/* --- one file --- */

static int judge_places(const struct rarog_optimizer *o, struct rarog_deciding *d,
			struct rarog_place_set *set, struct rarog_account *account)
{
	enum rarog_technique_number order[RAROG_TECHNIQUES];
	size_t n_order = list_on(o, order), n = d->subject->graph->callees.n + 1;
	rarog_cleanup(rarog_freep) bool *is_protected = calloc(n, sizeof(*is_protected));
	rarog_cleanup(rarog_freep) struct rarog_decision *joined = calloc(n, sizeof(*joined));
	int r = is_protected && joined ? 0 : rarog_oom();

	if (r < 0)
		return r;
	protect(d->subject, set, is_protected);
	if (o->is_on[RAROG_TECHNIQUE_DIFF_TRACING])
		protect_changed(d, is_protected);
	d->is_protected = is_protected;
	d->is_alone = n_order == 1;
	r = rarog_optimize_decide(d, n_order, order, joined);
	if (r == 0)
		r = change_places(set, d, joined, account);
	if (r == 0)
		r = change_marks(o, d, set, account);
	rarog_vec_release(&d->v);
	if (account->v.n > 1)
		qsort(account->v.v, account->v.n, sizeof(*account->v.v), by_technique);
	memcpy(account->aside, d->aside, sizeof(account->aside));
	return r;
}

/* Of a file of which nothing is known nothing is left out, now or while the program runs. */
static void keep_all(struct rarog_place_set *set)
{
	for (size_t i = 0; i < set->v.n; i++)
		set->v.v[i].stays |= set->v.v[i].kind == RAROG_AT_FUNCTION;
}

static int judge_graph(const struct rarog_optimizer *o, const struct rarog_call_graph *graph,
		       const struct rarog_statistics *statistics,
		       const struct rarog_code_changes *changes, struct rarog_place_set *set,
		       struct rarog_account *account)
{
	rarog_cleanup(rarog_subject_release) struct rarog_subject subject = { 0 };
	struct rarog_parameters parameters = o->parameters;
	struct rarog_deciding d = { .subject = &subject,
				    .parameters = &parameters,
				    .statistics = statistics,
				    .changes = changes->since_version,
				    .since_run = changes->since_run };
	double rule = parameters.number[RAROG_PARAMETER_CG_LEVELS];
	int r = rarog_subject_make(graph, (enum rarog_level_rule)rule, &subject);

	if (r < 0)
		return r;
	if (subject.size.functions == 0) {
		rarog_warn("%s: nothing is known to begin there, so no technique leaves anything "
			   "out",
			   set->path);
		keep_all(set);
		return 0;
	}
	rarog_parameters_predict(&parameters, o->pipeline, &subject.size);
	return judge_places(o, &d, set, account);
}

static bool has_places(const struct rarog_place_set *set)
{
	for (size_t i = 0; i < set->v.n; i++)
		if (rarog_place_is_measured(&set->v.v[i]))
			return true;
	return false;
}

static int step_aside(struct rarog_place_set *set, int r)
{
	if (r == -ENOMEM)
		return r;
	keep_all(set);
	rarog_warn("no technique leaves out anything of %s: %s", set->path, rarog_error_message());
	rarog_error_clear();
	return 0;
}

static int find_statistics(const struct rarog_optimizer *o, const char *path,
			   struct rarog_statistics *statistics)
{
	int r = o->sources.statistics ? o->sources.statistics(o->sources.user, path, statistics)
				      : 0;

	if (r >= 0 || r == -ENOMEM)
		return r;
	rarog_warn("%s: what earlier runs said is not used: %s", path, rarog_error_message());
	rarog_error_clear();
	return 0;
}

/* Without them the other techniques go on. */
static int find_known_changes(const struct rarog_optimizer *o, const struct rarog_binary *binary,
			      const struct rarog_call_graph *graph, const char *path,
			      const struct rarog_statistics *statistics,
			      struct rarog_code_changes *changes)
{
	const struct rarog_code_changes_wanted wanted = {
		.from = &o->sources,
		.by_version = rarog_optimizer_needs(o, RAROG_NEEDS_VERSION),
		.by_run = rarog_optimizer_needs(o, RAROG_NEEDS_RUN),
		.binary = binary,
		.graph = graph,
		.path = path,
		.statistics = statistics,
	};
	int r = rarog_code_changes_find(&wanted, changes);

	if (r == 0 || r == -ENOMEM)
		return r;
	rarog_warn("%s: what has changed is not known: %s", path, rarog_error_message());
	rarog_error_clear();
	return 0;
}

static int judge_file(struct rarog_optimizer *o, struct rarog_binary *binary,
		      struct rarog_place_set *set, struct rarog_account *account)
{
	rarog_cleanup(rarog_code_changes_release) struct rarog_code_changes changes = { 0 };
	rarog_cleanup(rarog_call_graph_release) struct rarog_call_graph graph = { 0 };
	rarog_cleanup(rarog_statistics_release) struct rarog_statistics statistics = { 0 };
	uint64_t start_ns = rarog_now_ns();
	int r = o->sources.graph(o->sources.user, set->path, &graph);

	if (r < 0)
		return step_aside(set, r);
	r = find_statistics(o, set->path, &statistics);
	if (r < 0)
		return r;
	account->is_known = r > 0;
	r = find_known_changes(o, binary, &graph, set->path, account->is_known ? &statistics : NULL,
			       &changes);
	o->resources_ns += rarog_now_ns() - start_ns;
	return r < 0 ? r
		     : judge_graph(o, &graph, account->is_known ? &statistics : NULL, &changes, set,
				   account);
}

/* Of several runs the last one counts. */
static int keep_account(struct rarog_optimizer *o, struct rarog_account *take_account)
{
	for (size_t i = 0; i < o->files.n; i++) {
		if (strcmp(o->files.v[i].path, take_account->path) != 0)
			continue;
		account_release(&o->files.v[i]);
		o->files.v[i] = *take_account;
		return 0;
	}
	return rarog_vec_push(&o->files, *take_account) < 0 ? rarog_oom() : 0;
}

static int decide(void *user, struct rarog_binary *binary, struct rarog_place_set *set)
{
	struct rarog_optimizer *o = user;
	struct rarog_account account = { 0 };
	uint64_t start_ns = rarog_now_ns();
	int r;

	if (!has_places(set))
		return 0;
	account.path = strdup(set->path);
	r = account.path ? judge_file(o, binary, set, &account) : rarog_oom();
	if (r == 0)
		r = keep_account(o, &account);
	if (r < 0)
		account_release(&account);
	o->spent_ns += rarog_now_ns() - start_ns;
	return r;
}

struct rarog_place_judge rarog_optimizer_judge(struct rarog_optimizer *optimizer)
{
	return (struct rarog_place_judge){ rarog_optimizer_is_on(optimizer) ? decide : NULL,
					   optimizer };
}
