/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/commands.h"

void rarog_selection_release(struct rarog_selection *selection)
{
	for (size_t i = 0; i < selection->versions.n; i++)
		free(selection->versions.v[i]);
	rarog_vec_release(&selection->versions);
	rarog_vec_release(&selection->ids);
}

static int add_version(struct rarog_selection *selection, const char *name)
{
	char *copy = strdup(name);

	if (copy && rarog_vec_push(&selection->versions, copy) == 0)
		return 0;
	free(copy);
	return rarog_oom();
}

static int visit_commit(const struct rarog_commit *commit, void *user)
{
	return add_version(user, commit->name);
}

static int add_id(const struct rarog_record *record, void *user)
{
	struct rarog_selection *selection = user;

	return rarog_vec_push(&selection->ids, record->id) < 0 ? rarog_oom() : 0;
}

static bool is_range(const char *text)
{
	return strstr(text, "..") || *text == '^' || strcmp(text, "--all") == 0;
}

static int add_range(const struct rarog_project *project, const char *text,
		     struct rarog_selection *selection)
{
	const char *const from[] = { text };
	const struct rarog_walk walk = { .n_from = 1, .from = from };

	return rarog_vcs_walk(project->vcs, &walk, visit_commit, selection);
}

static int add_target(const struct rarog_target *target, struct rarog_selection *selection)
{
	if (target->kind == RAROG_TARGET_VERSION)
		return add_version(selection, target->commit.name);
	return add_id(&target->records.rows.v[0], selection);
}

static int add_operand(const struct rarog_project *project, const char *text,
		       struct rarog_selection *selection)
{
	struct rarog_scope scope = rarog_project_scope(project);
	struct rarog_targets targets = { 0 };
	int r;

	if (is_range(text))
		return add_range(project, text, selection);
	r = rarog_targets_find(&scope, text, RAROG_TARGET_PROFILE | RAROG_TARGET_VERSION, &targets);
	for (size_t i = 0; r == 0 && i < targets.list.n; i++)
		r = add_target(&targets.list.v[i], selection);
	rarog_targets_release(&targets);
	return r;
}

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void drop_doubles(struct rarog_selection *selection)
{
	size_t kept = 0;

	if (selection->ids.n == 0)
		return;
	qsort(selection->ids.v, selection->ids.n, sizeof(int64_t), by_id);
	for (size_t i = 0; i < selection->ids.n; i++)
		if (i == 0 || selection->ids.v[i] != selection->ids.v[i - 1])
			selection->ids.v[kept++] = selection->ids.v[i];
	selection->ids.n = kept;
}

int rarog_selection_rows(const struct rarog_project *project, size_t n, char *const operands[n],
			 struct rarog_selection *ret_selection)
{
	static const struct rarog_record_filter everything;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_operand(project, operands[i], ret_selection);
	for (size_t i = 0; r == 0 && i < ret_selection->versions.n; i++)
		r = rarog_record_each(
			project->store,
			&(struct rarog_record_filter){ .version = ret_selection->versions.v[i] },
			add_id, ret_selection);
	if (r == 0 && n == 0)
		r = rarog_record_each(project->store, &everything, add_id, ret_selection);
	drop_doubles(ret_selection);
	return r;
}

int rarog_selection_versions(const struct rarog_project *project, size_t n, char *const operands[n],
			     struct rarog_selection *ret_selection)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };

		if (is_range(operands[i])) {
			r = add_range(project, operands[i], ret_selection);
			continue;
		}
		r = rarog_vcs_resolve(project->vcs, operands[i], &commit);
		if (r == 0)
			r = add_version(ret_selection, commit.name);
	}
	return r;
}

const struct rarog_option rarog_no_options[] = { RAROG_OPT_END };

int rarog_exchange_run(const struct rarog_context *context, int argc, char **argv, bool is_push,
		       int (*exchange)(const struct rarog_context *context,
				       struct rarog_project *project,
				       struct rarog_exchange *exchange, size_t n, char **names))
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	rarog_cleanup(rarog_exchange_freep) struct rarog_exchange *with = NULL;
	int first = rarog_options_parse(rarog_no_options, argc, argv, false, NULL);
	size_t n = first < 0 ? 0 : (size_t)(argc - first);
	int r;

	if (first < 0)
		return rarog_usage_error(first);
	r = rarog_project_open(context, RAROG_NEED_STORE, &project);
	if (r == 0)
		r = rarog_exchange_open(project.store, project.vcs, n > 0 ? argv[first] : NULL,
					is_push, &with);
	return r < 0 ? r : exchange(context, &project, with, n > 0 ? n - 1 : 0, argv + first + 1);
}
