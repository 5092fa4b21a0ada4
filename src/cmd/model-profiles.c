/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/model-profiles.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cmd/command.h"

struct gathering {
	const struct rarog_project *project;
	const struct rarog_model_operands *choice;
	struct rarog_model_profiles *profiles;
	const struct rarog_record *like; /* only of its state, job, collector, engine; NULL: any */
};

void rarog_model_profiles_release(struct rarog_model_profiles *profiles)
{
	for (size_t i = 0; i < profiles->list.n; i++)
		rarog_profile_free(profiles->list.v[i]);
	rarog_vec_release(&profiles->list);
	rarog_vec_release(&profiles->objects);
}

static int add_profile(struct rarog_model_profiles *profiles, struct rarog_profile *take_profile)
{
	if (rarog_vec_push(&profiles->list, take_profile) == 0)
		return 0;
	rarog_profile_free(take_profile);
	return rarog_oom();
}

static int add_object(const struct gathering *g, const struct rarog_hash *object)
{
	struct rarog_profile *profile;
	int r = rarog_record_open(g->project->store, object, &profile);

	if (r == 0)
		r = add_profile(g->profiles, profile);
	if (r == 0 && rarog_vec_push(&g->profiles->objects, *object) < 0)
		r = rarog_oom();
	return r;
}

/* --- by version --- */

static bool is_same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool has_x_options(const struct rarog_model_operands *choice)
{
	return choice->is_any_x || choice->n_x_options > 0;
}

static bool may_workloads_differ(const struct rarog_model_operands *choice)
{
	return !has_x_options(choice) || choice->is_workload_x || choice->is_measured_x;
}

/* @configuration without what is x; NULL: no memory */
static char *without_x(const struct rarog_model_operands *choice, const char *configuration)
{
	char *rest =
		choice->is_any_x ? strdup("") : rarog_configuration_without(configuration, NULL);

	for (size_t i = 0; rest && i < choice->n_x_options; i++) {
		char *less = rarog_configuration_without(rest, choice->x_options[i]);

		free(rest);
		rest = less;
	}
	return rest;
}

/* Are they of one configuration, but for what is x, and then of one workload? */
static int is_set_alike(const struct rarog_model_operands *choice, const char *configuration,
			const char *other, const char *workload, const char *other_workload)
{
	rarog_cleanup(rarog_freep) char *a = without_x(choice, configuration);
	rarog_cleanup(rarog_freep) char *b = without_x(choice, other);

	if (!a || !b)
		return rarog_oom();
	return strcmp(a, b) == 0 &&
	       (may_workloads_differ(choice) || is_same(workload, other_workload));
}

static bool is_chosen(const struct gathering *g, const struct rarog_record *record)
{
	const struct rarog_record *like = g->like;

	if (record->flags & (RAROG_RECORD_PARTIAL | RAROG_RECORD_DAMAGED))
		return false;
	if (g->choice->job && !is_same(record->job_name, g->choice->job))
		return false;
	if (g->choice->collector && !is_same(record->collector, g->choice->collector))
		return false;
	return !like ||
	       (is_same(record->diff, like->diff) && is_same(record->job_name, like->job_name) &&
		is_same(record->command, like->command) &&
		(g->choice->is_measured_x || is_same(record->arguments, like->arguments)) &&
		is_same(record->collector, like->collector) &&
		is_same(record->engine, like->engine) &&
		is_same(record->parameters, like->parameters) &&
		is_set_alike(g->choice, record->configuration, like->configuration,
			     record->workload, like->workload) != 0);
}

static int add_records(const struct gathering *g, const struct rarog_record_filter *filter)
{
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	int r = rarog_records_read(g->project->store, filter, &records);

	for (size_t i = 0; r == 0 && i < records.rows.n; i++)
		if (is_chosen(g, &records.rows.v[i]))
			r = add_object(g, &records.rows.v[i].object);
	return r;
}

static int add_version(const struct gathering *g, const char *version)
{
	return add_records(g, &(struct rarog_record_filter){ .version = version,
							     .options = g->project->options,
							     .clean_only = true });
}

static int visit_commit(const struct rarog_commit *commit, void *user)
{
	return add_version(user, commit->name);
}

static int add_range(struct gathering *g, const char *text)
{
	const char *const from[] = { text };
	const struct rarog_walk walk = { .n_from = 1, .from = from };

	return rarog_vcs_walk(g->project->vcs, &walk, visit_commit, g);
}

/* --- by name --- */

static int add_target(const struct gathering *g, const struct rarog_target *target)
{
	const struct rarog_scope scope = rarog_project_scope(g->project);
	struct rarog_profile *profile;
	int r;

	if (target->kind == RAROG_TARGET_VERSION)
		return add_version(g, target->commit.name);
	g->profiles->has_named = true;
	if (target->kind == RAROG_TARGET_PROFILE)
		return add_object(g, &target->records.rows.v[0].object);
	r = rarog_target_open(&scope, target, &profile);
	return r < 0 ? r : add_profile(g->profiles, profile);
}

/* A name that nothing has is a function's. */
static int add_operand(struct gathering *g, const char *text)
{
	rarog_cleanup(rarog_targets_release) struct rarog_targets targets = { 0 };
	const struct rarog_scope scope = rarog_project_scope(g->project);
	unsigned accept = RAROG_TARGET_ANY_PROFILE;
	int r;

	if (g->project->store)
		accept |= RAROG_TARGET_VERSION;
	if (g->project->store && strstr(text, "..") && !rarog_names_file(text))
		return add_range(g, text);
	r = rarog_targets_find(&scope, text, accept, &targets);
	if (r == -ENOENT && !g->profiles->func && !rarog_names_file(text)) {
		rarog_error_clear();
		g->profiles->func = text;
		return 0;
	}
	if (r == -ENOENT && g->profiles->func && !rarog_names_file(text))
		return rarog_fail(
			-ENOENT,
			"'%s' names no profile, tag or version, and '%s' is the function; "
			"--func takes several",
			text, g->profiles->func);
	for (size_t i = 0; r == 0 && i < targets.list.n; i++)
		r = add_target(g, &targets.list.v[i]);
	return r;
}

static int add_newest(struct gathering *g)
{
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	const struct rarog_record_filter filter = { .options = g->project->options,
						    .order = RAROG_ORDER_NEWEST };
	const struct rarog_record *newest = NULL;
	int r;

	if (!g->project->store)
		return rarog_usage_error(rarog_fail(
			-EINVAL,
			"which profile? give its file, or run rarog init to have them kept"));
	r = rarog_records_read(g->project->store, &filter, &records);
	for (size_t i = 0; r == 0 && !newest && i < records.rows.n; i++)
		if (is_chosen(g, &records.rows.v[i]))
			newest = &records.rows.v[i];
	if (r < 0)
		return r;
	if (!newest)
		return rarog_fail(-ENOENT, "there is no such profile yet; rarog run, or rarog "
					   "collect -- PROG, makes one");
	if (!newest->has_number && !has_x_options(g->choice) && !g->choice->is_measured_x)
		return add_object(g, &newest->object);
	g->like = newest;
	return add_records(
		g, &(struct rarog_record_filter){ .version = newest->version ? newest->version : "",
						  .options = g->project->options });
}

static int check_any(const struct rarog_model_profiles *profiles)
{
	if (profiles->list.n > 0)
		return 0;
	return rarog_fail(-ENOENT, "none of these versions has such a profile; rarog run --commit "
				   "makes some");
}

static int differ(const struct rarog_model_operands *choice, const struct rarog_job *a,
		  const struct rarog_job *b)
{
	rarog_cleanup(rarog_str_release) struct rarog_str x = { 0 }, y = { 0 };
	int r = rarog_configuration_words(a->configuration, " ", &x);

	if (r == 0)
		r = rarog_configuration_words(b->configuration, " ", &y);
	if (r < 0)
		return r;
	if (!may_workloads_differ(choice) && !is_same(a->workload, b->workload))
		return rarog_fail(-EINVAL,
				  "a model over option '%s' is of one workload, not of '%s' and "
				  "'%s'; name the profiles, or the job with --job",
				  choice->x_options[0], a->workload, b->workload);
	return rarog_fail(
		-EINVAL,
		"a model is of one configuration, not of%s and%s; choose with --option, or "
		"take one as x: --x option:NAME",
		x.length > 0 ? x.text : " none", y.length > 0 ? y.text : " none");
}

int rarog_model_profiles_check(const struct rarog_model_operands *choice,
			       const struct rarog_model_profiles *profiles)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts first = { 0 };
	int r = rarog_facts_of(profiles->list.v[0], &first);

	for (size_t i = 0; r == 0 && i < profiles->list.n; i++) {
		rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };

		r = rarog_facts_of(profiles->list.v[i], &facts);
		if (r == 0)
			r = rarog_option_choice_fits(choice->options,
						     rarog_profile_path(profiles->list.v[i]),
						     &facts.job);
		if (r < 0)
			return r;
		r = is_set_alike(choice, first.job.configuration, facts.job.configuration,
				 first.job.workload, facts.job.workload);
		r = r == 0 ? differ(choice, &first.job, &facts.job) : r < 0 ? r : 0;
	}
	return r;
}

int rarog_model_profiles_open(const struct rarog_project *project,
			      const struct rarog_model_operands *choice,
			      struct rarog_model_profiles *ret_profiles)
{
	rarog_cleanup(rarog_model_profiles_release) struct rarog_model_profiles profiles = { 0 };
	struct gathering g = { .project = project, .choice = choice, .profiles = &profiles };
	int r = 0;

	for (size_t i = 0; r == 0 && i < choice->n; i++)
		r = add_operand(&g, choice->operands[i]);
	if (r == 0 && choice->n == (profiles.func != NULL))
		r = add_newest(&g);
	if (r == 0)
		r = check_any(&profiles);
	if (r == 0)
		*ret_profiles = rarog_take_struct(profiles);
	return r;
}
