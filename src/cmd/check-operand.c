/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check-operand.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

static bool is_folder(const char *text)
{
	struct stat status;

	return stat(text, &status) == 0 && S_ISDIR(status.st_mode);
}

static int add_target(const struct rarog_project *project, const struct rarog_target *target,
		      struct rarog_run_set *run_set)
{
	const struct rarog_scope scope = rarog_project_scope(project);
	struct rarog_profile *profile;
	int r = rarog_target_open(&scope, target, &profile);

	if (r < 0)
		return r;
	return rarog_run_set_add(
		run_set, profile,
		target->kind == RAROG_TARGET_PROFILE ? &target->records.rows.v[0].object : NULL);
}

static void choose(const struct rarog_project *project, struct rarog_run_set *run_set)
{
	run_set->options = project->options;
	run_set->jobs = project->jobs;
}

/* Of which there is none, after "profile". */
static const char *which_profile(const struct rarog_project *project)
{
	if (project->jobs && project->jobs->n > 0)
		return " of this job";
	return project->options && *project->options ? " with these options" : "";
}

int rarog_run_set_of_version(const struct rarog_project *project, const char *name,
			     const struct rarog_commit *commit, struct rarog_run_set *ret_run_set)
{
	int r = rarog_run_set_init(ret_run_set, name, commit->name);

	choose(project, ret_run_set);
	if (r == 0)
		r = rarog_run_set_add_version(ret_run_set, project->store);
	if (r == 0 && ret_run_set->runs.n == 0)
		return ret_run_set->left_out
			       ? rarog_fail(
					 -ENOENT,
					 "%s has only profiles of changes that are in no commit, "
					 "or damaged ones; rarog run --commit %s makes some",
					 name, name)
			       : rarog_fail(-ENOENT,
					    "%s has no profile%s; rarog run --commit %s makes some",
					    name, which_profile(project), name);
	return r;
}

/* All that was named may have been measured with other options. */
static int check_any(const struct rarog_project *project, const char *text,
		     const struct rarog_run_set *run_set)
{
	if (run_set->runs.n > 0)
		return 0;
	return rarog_fail(-ENOENT, "%s: no profile%s of the program", text, which_profile(project));
}

int rarog_run_set_of(const struct rarog_project *project, const char *text,
		     struct rarog_run_set *ret_run_set)
{
	const struct rarog_scope scope = rarog_project_scope(project);
	rarog_cleanup(rarog_targets_release) struct rarog_targets targets = { 0 };
	unsigned accept = RAROG_TARGET_ANY_PROFILE;
	int r;

	if (strchr(text, '/') && is_folder(text)) {
		r = rarog_run_set_init(ret_run_set, text, NULL);
		choose(project, ret_run_set);
		if (r == 0)
			r = rarog_run_set_add_folder(ret_run_set, text);
		return r < 0 ? r : check_any(project, text, ret_run_set);
	}
	if (project->store)
		accept |= RAROG_TARGET_VERSION;
	r = rarog_targets_find(&scope, text, accept, &targets);
	if (r == -ENOENT && is_folder(text))
		return rarog_fail(r,
				  "'%s' names no profile or version; write '%s/' for the "
				  "profiles in this directory",
				  text, text);
	if (r < 0)
		return r;
	if (targets.list.v[0].kind == RAROG_TARGET_VERSION)
		return rarog_run_set_of_version(project, text, &targets.list.v[0].commit,
						ret_run_set);
	r = rarog_run_set_init(ret_run_set, text, NULL);
	choose(project, ret_run_set);
	for (size_t i = 0; r == 0 && i < targets.list.n; i++)
		r = add_target(project, &targets.list.v[i], ret_run_set);
	return r < 0 ? r : check_any(project, text, ret_run_set);
}
