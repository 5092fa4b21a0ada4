/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "view/names.h"

struct args {
	const char *version, *label;
	bool force, keep;
};

static const struct rarog_option options[] = {
	RAROG_OPT_STRING('m', "version", struct args, version, "REV",
			 "profiles belong to REV (default: the version that their header names, "
			 "else HEAD)"),
	RAROG_OPT_FLAG('f', "force", struct args, force,
		       "add them even if their header names another version than REV"),
	RAROG_OPT_STRING(0, "label", struct args, label, "NAME",
			 "give the profiles this label; without git, it is the version that they "
			 "belong to"),
	RAROG_OPT_FLAG('k', "keep", struct args, keep,
		       "keep pending profiles also as pending; other files are never removed"),
	RAROG_OPT_END,
};

/* The version that a profile gets: --version, what its header says, HEAD. Its facts, if this clone
 * has it, are for log. */
static int find_version(const struct rarog_project *project, const struct args *args,
			const struct rarog_facts *facts, struct rarog_commit *ret_commit)
{
	const char *wanted = args->version ? args->version : facts->version;
	int r = rarog_vcs_resolve(project->vcs, wanted ? wanted : "HEAD", ret_commit);

	if (r < 0 && !args->version && (r == -ENOENT || r == -ENODATA)) {
		rarog_error_clear(); /* another clone's commit, or none yet */
		return 0;
	}
	return r < 0 ? r : 1;
}

static int add_one(const struct rarog_project *project, const struct args *args, const char *path,
		   struct rarog_str *said)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	struct rarog_record_options how = { .force = args->force, .label = args->label };
	struct rarog_hash object;
	int64_t id;
	int r = rarog_facts_read(path, &facts);

	if (r == 0)
		r = find_version(project, args, &facts, &commit);
	if (r < 0)
		return r;
	if (r > 0)
		how.commit = &commit;
	if (r > 0 && (args->version || !facts.version)) {
		how.version = commit.name;
		how.tree = commit.tree;
	}
	r = rarog_record_add(project->store, path, &how, &id, &object);
	if (r < 0)
		return r;
	return rarog_str_addf(
		       said, "%s %s%s%s%s\n", rarog_short_object(&object).text,
		       how.version || facts.version ? "of " : "of no version",
		       rarog_short_name(project->vcs, how.version ? how.version : facts.version)
			       .text,
		       r > 0 ? "" : ", was there", "") < 0
		       ? rarog_oom()
		       : 0;
}

static int add_listed(const struct rarog_project *project, const struct args *args,
		      const struct rarog_targets *targets, struct rarog_str *said)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < targets->list.n; i++)
		r = add_one(project, args, targets->list.v[i].path, said);
	return r;
}

/* All of them, or none: what is pending goes only after that. */
static int add_all(const struct rarog_project *project, const struct args *args,
		   const struct rarog_targets *targets, struct rarog_str *said)
{
	int r = rarog_store_begin(project->store);

	if (r < 0)
		return r;
	r = add_listed(project, args, targets, said);
	if (r < 0) {
		rarog_store_rollback(project->store);
		return r;
	}
	r = rarog_store_commit(project->store);
	for (size_t i = 0; r == 0 && !args->keep && i < targets->list.n; i++)
		if (targets->list.v[i].kind == RAROG_TARGET_PENDING)
			unlink(targets->list.v[i].path);
	return r;
}

/* Without git a label is a version, the newest from now on. */
static int use_label(const struct rarog_project *project, struct args *args)
{
	if (!args->label || args->version || rarog_vcs_kind(project->vcs) != RAROG_VCS_PLAIN)
		return 0;
	args->version = args->label;
	return rarog_vcs_label(project->vcs, args->label, NULL);
}

static int add(const struct rarog_context *context, struct args *args, int n, char *const names[])
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	rarog_cleanup(rarog_targets_release) struct rarog_targets targets = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str said = { 0 };
	struct rarog_scope scope;
	int r = rarog_project_open(context, RAROG_NEED_STORE, &project);

	if (r < 0)
		return r;
	scope = rarog_project_scope(&project);
	for (int i = 0; r == 0 && i < n; i++)
		r = rarog_targets_find(&scope, names[i], RAROG_TARGET_FILE | RAROG_TARGET_PENDING,
				       &targets);
	if (r == 0)
		r = use_label(&project, args);
	if (r == 0)
		r = add_all(&project, args, &targets, &said);
	if (r == 0 && !context->quiet)
		fputs(rarog_str_text(&said), stdout);
	return r;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args);

	if (first < 0)
		return rarog_usage_error(first);
	if (first == argc)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "which profiles? rarog add FILE… or 0@p"));
	return add(context, &args, argc - first, argv + first);
}

const struct rarog_command rarog_cmd_add = {
	.name = "add",
	.summary = "put profiles from elsewhere into the store",
	.usage = "[OPTION…] FILE… | N@p | N@p-M@p",
	.description =
		"Puts profile files, or pending profiles, into the project's store: all of them "
		"or, if one cannot be added, none. A profile belongs to the version that its "
		"header names; if it names none, it belongs to HEAD. The same profile under the "
		"same version is kept once. Profiles that collect makes in a project with a store "
		"are there already.",
	.examples = "rarog add measured-elsewhere/*.rarog\n"
		    "rarog add --version v1.2 --force old.rarog\n"
		    "rarog add 0@p-3@p",
	.options = options,
	.run = run,
};
