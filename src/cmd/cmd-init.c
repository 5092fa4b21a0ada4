/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "cmd/build-system.h"
#include "cmd/commands.h"
#include "cmd/project.h"

struct args {
	bool settings;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG(0, "settings", struct args, settings,
		       "write .rarog.yml if there is none (default; --no-settings)"),
	RAROG_OPT_END,
};

/* In git if there is a repository, else plain. */
static int find_or_make(const char *directory, struct rarog_vcs **ret_vcs)
{
	int r = rarog_vcs_open(directory, -1, ret_vcs);

	if (r != -ENOENT)
		return r;
	rarog_error_clear();
	r = rarog_vcs_create_plain(directory);
	return r < 0 ? r : rarog_vcs_open(directory, RAROG_VCS_PLAIN, ret_vcs);
}

/* Return: 1 written, 0 there is one or nowhere to put it. */
static int write_settings(const char *root, const struct rarog_build_system *system)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	rarog_cleanup(rarog_freep) char *path = rarog_settings_file(root, RAROG_SCOPE_REPOSITORY);
	struct stat status;
	int r;

	if (!path)
		return rarog_oom();
	if (lstat(path, &status) == 0)
		return 0;
	r = rarog_settings_suggest(system, &text);
	if (r == 0)
		r = rarog_new_file_open(path, &file);
	if (r < 0)
		return r;
	if (rarog_write_all(file.fd, text.length, text.text) < 0)
		return rarog_fail_errno("%s: cannot write", path);
	r = rarog_new_file_commit(&file);
	return r < 0 ? r : 1;
}

static void say(const struct rarog_vcs *vcs, bool is_new, int written,
		const struct rarog_build_system *system)
{
	printf("%s %s\n",
	       is_new ? "made the store" : "the store was there:", rarog_vcs_store_path(vcs));
	if (rarog_vcs_kind(vcs) == RAROG_VCS_PLAIN)
		puts("no git here: a version is a label that you give (rarog collect --label "
		     "NAME)");
	if (written > 0)
		printf("wrote " RAROG_SETTINGS_FILE " (%s)%s\n",
		       system ? system->name : "no build system that rarog knows",
		       rarog_vcs_kind(vcs) == RAROG_VCS_GIT ? "; commit it with the code" : "");
	puts("next: rarog collect -- ./prog");
}

static int init(const struct rarog_context *context, const char *directory, const struct args *args)
{
	rarog_cleanup(rarog_vcs_freep) struct rarog_vcs *vcs = NULL;
	rarog_cleanup(rarog_store_freep) struct rarog_store *store = NULL;
	const struct rarog_store_options create = { .create = true };
	const struct rarog_build_system *system = NULL;
	rarog_cleanup(rarog_freep) char *catalogue = NULL;
	int r, written = 0;
	bool is_new;

	r = rarog_mkdirs(directory, 0777);
	if (r == 0)
		r = find_or_make(directory, &vcs);
	if (r < 0)
		return r;
	catalogue = rarog_asprintf("%s/catalog.db", rarog_vcs_store_path(vcs));
	if (!catalogue)
		return rarog_oom();
	is_new = access(catalogue, F_OK) < 0;
	r = rarog_store_open(rarog_vcs_store_path(vcs), &create, &store);
	if (r == 0 && args->settings && rarog_vcs_root(vcs)) {
		system = rarog_build_system_find(rarog_vcs_root(vcs));
		r = written = write_settings(rarog_vcs_root(vcs), system);
	}
	if (r < 0)
		return r;
	if (!context->quiet)
		say(vcs, is_new, written, system);
	return RAROG_EXIT_OK;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .settings = true };
	int first = rarog_options_parse(options, argc, argv, false, &args);

	if (first < 0)
		return rarog_usage_error(first);
	if (argc - first > 1)
		return rarog_usage_error(rarog_fail(-EINVAL, "one directory at a time"));
	return init(context, first < argc ? argv[first] : ".", &args);
}

const struct rarog_command rarog_cmd_init = {
	.name = "init",
	.summary = "make the store in which a project's profiles are kept",
	.usage = "[--no-settings] [DIRECTORY]",
	.description =
		"Makes the store of the git repository that DIRECTORY (default: the current one) "
		"is in. The store is the directory rarog in git's common directory, where git "
		"clean does not reach it and all work trees share it. rarog init asks nothing; a "
		"second run changes nothing.\n"
		"\n"
		"Outside of git the store is DIRECTORY/.rarog, and versions are labels that you "
		"give.\n"
		"\n"
		"If there is no .rarog.yml, rarog init writes one that fits the build system of "
		"the tree (meson, cmake, autotools, make, ninja). Settings belong to the code and "
		"are committed with it.",
	.examples = "rarog init && rarog collect -- ./prog && rarog show",
	.options = options,
	.run = run,
};
