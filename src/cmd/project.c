/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/project.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "cmd/option-choice.h"
#include "store/template.h"

void rarog_project_release(struct rarog_project *project)
{
	rarog_store_free(project->store);
	rarog_settings_free(project->settings);
	rarog_vcs_free(project->vcs);
	*project = (struct rarog_project){ 0 };
}

/* What need not be there is not missed; if it is there and unusable, that is worth a line. */
static int forgive(int r, enum rarog_need need)
{
	if (r == 0 || need == RAROG_NEED_STORE)
		return r;
	if (r != -ENOENT && r != -ENOEXEC)
		rarog_warn("%s; going on without it", rarog_error_message());
	rarog_error_clear();
	return 0;
}

int rarog_project_open(const struct rarog_context *context, enum rarog_need need,
		       struct rarog_project *ret_project)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	int r = forgive(rarog_vcs_open(NULL, -1, &project.vcs), need);

	if (r == 0)
		r = rarog_settings_open_of(project.vcs, context->settings, &project.settings);
	if (r == 0 && need != RAROG_NEED_SETTINGS && project.vcs)
		r = forgive(
			rarog_store_open(rarog_vcs_store_path(project.vcs), NULL, &project.store),
			need);
	if (r < 0)
		return r;
	*ret_project = rarog_take_struct(project);
	return 0;
}

struct rarog_scope rarog_project_scope(const struct rarog_project *project)
{
	return (struct rarog_scope){
		.store = project->store,
		.vcs = project->vcs,
		.options = project->options,
		.order = (enum rarog_record_order)rarog_settings_choice(project->settings,
									"status.sort"),
	};
}

/* --- operands --- */

void rarog_operand_release(struct rarog_operand *operand)
{
	free(operand->path);
	free(operand->name);
	rarog_project_release(&operand->project);
	*operand = (struct rarog_operand){ 0 };
}

static int stored_profile(const struct rarog_record *record, struct rarog_operand *operand)
{
	operand->is_stored = true;
	operand->object = record->object;
	return rarog_record_path(operand->project.store, &record->object, &operand->path);
}

static int newest_profile(struct rarog_operand *operand)
{
	const struct rarog_project *project = &operand->project;
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	const struct rarog_record_filter filter = { .options = project->options,
						    .order = RAROG_ORDER_NEWEST,
						    .limit = 1 };
	int r;

	if (!project->store)
		return rarog_usage_error(rarog_fail(
			-EINVAL,
			"which profile? give its file, or run rarog init to have them kept"));
	r = rarog_records_read(project->store, &filter, &records);
	if (r == 0 && records.rows.n == 0)
		r = rarog_fail(-ENOENT, "there is no profile %s; rarog collect -- PROG makes one",
			       project->options && *project->options ? "with these options"
								     : "yet");
	return r < 0 ? r : stored_profile(&records.rows.v[0], operand);
}

static int named_profile(const char *text, struct rarog_operand *operand)
{
	const struct rarog_project *project = &operand->project;
	rarog_cleanup(rarog_target_release) struct rarog_target target = { 0 };
	const struct rarog_scope scope = rarog_project_scope(project);
	int r = rarog_target_find(&scope, text, RAROG_TARGET_ANY_PROFILE, &target);

	if (r < 0)
		return r;
	operand->path = rarog_take(target.path);
	operand->is_stored = target.kind == RAROG_TARGET_PROFILE;
	if (operand->is_stored)
		operand->object = target.records.rows.v[0].object;
	return 0;
}

static int template_name(const struct rarog_project *project, const char *path, char **ret_name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	const char *format = rarog_settings_text(project->settings, "profile.name");
	int r = rarog_facts_read(path, &facts);

	if (r == 0)
		r = rarog_template_file(format, &facts, 0, &name);
	if (r < 0)
		return r;
	*ret_name = rarog_str_take(&name);
	return *ret_name ? 0 : rarog_oom();
}

/* What was named exactly may have been measured otherwise. */
static int check_choice(const struct rarog_option_choice *choice, const char *name,
			const char *path)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	int r = choice && choice->options.list.n > 0 ? rarog_facts_read(path, &facts) : 0;

	if (r < 0 || !facts.header)
		return r;
	return rarog_option_choice_fits(choice, name, &facts.job);
}

/* Needs no project; opening it says if it is missing. */
static int find_file(const char *text, const struct rarog_option_choice *choice,
		     struct rarog_operand *ret_operand)
{
	ret_operand->path = strdup(text);
	ret_operand->name = strdup(text);
	if (!ret_operand->path || !ret_operand->name)
		return rarog_oom();
	return check_choice(choice, text, text);
}

int rarog_operand_find(const struct rarog_context *context, const char *text,
		       const struct rarog_option_choice *choice, struct rarog_operand *ret_operand)
{
	rarog_cleanup(rarog_operand_release) struct rarog_operand operand = { 0 };
	int r;

	if (text && rarog_names_file(text))
		return find_file(text, choice, ret_operand);
	r = rarog_project_open(context, RAROG_NEED_STORE_IF_ANY, &operand.project);
	if (r == 0 && choice)
		r = rarog_option_choice_apply(choice, &operand.project);
	if (r < 0)
		return r;
	r = text ? named_profile(text, &operand) : newest_profile(&operand);
	if (r == 0)
		r = check_choice(choice, text ? text : operand.path, operand.path);
	if (r == 0 && text && access(text, F_OK) == 0 && strcmp(operand.path, text) == 0)
		operand.name = strdup(text); /* some file: what is wrong with it is said later */
	else if (r == 0)
		r = template_name(&operand.project, operand.path, &operand.name);
	if (r < 0)
		return r;
	*ret_operand = rarog_take_struct(operand);
	return 0;
}

int rarog_operand_output(const struct rarog_operand *operand, const char *given, char **ret_output)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	int r = 0;

	if (!rarog_template_is_one(given)) {
		*ret_output = strdup(given);
		return *ret_output ? 0 : rarog_oom();
	}
	r = rarog_template_check(given);
	if (r < 0)
		return rarog_usage_error(r);
	r = rarog_facts_read(operand->path, &facts);
	return r < 0 ? r : rarog_template_path(given, &facts, ret_output);
}
