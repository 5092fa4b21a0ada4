/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "view/names.h"

struct args {
	const char *version;
	bool dry_run;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG('n', "dry-run", struct args, dry_run, "say what would be removed"),
	RAROG_OPT_STRING('m', "version", struct args, version, "REV",
			 "remove all profiles of REV, besides those named"),
	RAROG_OPT_END,
};

/* "HEAD" would name its newest profile: too easily meant otherwise to remove it. */
static int check_is_profile(const char *name, const struct rarog_target *target)
{
	if (!target->commit.name || (isdigit((unsigned char)*name) && strchr(name, '@')))
		return 0;
	return rarog_fail(-EINVAL,
			  "'%s' is a version; 0@%s is its first profile, --version %s all of them",
			  name, name, name);
}

static int find_targets(const struct rarog_project *project, int n, char *const names[],
			struct rarog_targets *targets)
{
	const struct rarog_scope scope = rarog_project_scope(project);
	int r = 0;

	for (int i = 0; r == 0 && i < n; i++) {
		size_t first = targets->list.n;

		r = rarog_targets_find(&scope, names[i],
				       RAROG_TARGET_PROFILE | RAROG_TARGET_PENDING, targets);
		if (r == 0)
			r = check_is_profile(names[i], &targets->list.v[first]);
	}
	return r;
}

/* --- removing --- */

static void say_row(const struct rarog_project *project, const struct args *args,
		    const struct rarog_record *row, struct rarog_str *said)
{
	rarog_str_addf(said, "%s %s of %s (%s, %s)\n", args->dry_run ? "would remove" : "removed",
		       rarog_short_object(&row->object).text,
		       row->version ? rarog_short_name(project->vcs, row->version).text
				    : "no version",
		       row->command ? row->command : "", rarog_format_bytes(row->bytes).text);
}

static int remove_row(const struct rarog_project *project, const struct args *args,
		      const struct rarog_record *row, struct rarog_str *said)
{
	int r = args->dry_run ? 1 : rarog_record_remove(project->store, row->id);

	if (r > 0)
		say_row(project, args, row, said);
	return r < 0 ? r : 0;
}

static int remove_pending(const struct args *args, const char *path, struct rarog_str *said)
{
	if (!args->dry_run && unlink(path) < 0 && errno != ENOENT)
		return rarog_fail_errno("%s: cannot remove", path);
	rarog_str_addf(said, "%s %s\n", args->dry_run ? "would remove" : "removed", path);
	return 0;
}

static int remove_version(const struct rarog_project *project, const struct args *args,
			  struct rarog_str *said)
{
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	rarog_cleanup(rarog_target_release) struct rarog_target target = { 0 };
	const struct rarog_scope scope = rarog_project_scope(project);
	struct rarog_record_filter filter = { 0 };
	int r;

	if (!args->version)
		return 0;
	r = rarog_target_find(&scope, args->version, RAROG_TARGET_VERSION, &target);
	filter.version = target.commit.name;
	if (r == 0)
		r = rarog_records_read(project->store, &filter, &records);
	for (size_t i = 0; r == 0 && i < records.rows.n; i++)
		r = remove_row(project, args, &records.rows.v[i], said);
	return r;
}

static int remove_all(const struct rarog_project *project, const struct args *args,
		      const struct rarog_targets *targets, struct rarog_str *said)
{
	rarog_cleanup(rarog_store_rollbackp) struct rarog_store *open = NULL;
	int r = args->dry_run ? 0 : rarog_store_begin(project->store);

	if (r == 0 && !args->dry_run)
		open = project->store;
	if (r == 0)
		r = remove_version(project, args, said);
	for (size_t i = 0; r == 0 && i < targets->list.n; i++)
		if (targets->list.v[i].kind == RAROG_TARGET_PROFILE)
			r = remove_row(project, args, &targets->list.v[i].records.rows.v[0], said);
	if (r < 0)
		return r;
	if (rarog_take(open))
		r = rarog_store_commit(project->store);
	for (size_t i = 0; r == 0 && i < targets->list.n; i++)
		if (targets->list.v[i].kind == RAROG_TARGET_PENDING)
			r = remove_pending(args, targets->list.v[i].path, said);
	return r;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	rarog_cleanup(rarog_targets_release) struct rarog_targets targets = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str said = { 0 };
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args), r;

	if (first < 0)
		return rarog_usage_error(first);
	if (first == argc && !args.version)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "which profiles? rarog rm 0@i, see rarog status"));
	r = rarog_project_open(context, RAROG_NEED_STORE, &project);
	if (r == 0)
		r = find_targets(&project, argc - first, argv + first, &targets);
	if (r == 0)
		r = remove_all(&project, &args, &targets, &said);
	if (r == 0 && (!context->quiet || args.dry_run))
		fputs(rarog_str_text(&said), stdout);
	return r;
}

const struct rarog_command rarog_cmd_rm = {
	.name = "rm",
	.summary = "take profiles out of the store",
	.usage = "[-n] PROFILE… | --version REV",
	.description =
		"Takes profiles (0@i, 0@i-3@i, 0@REV, a hash, a tag, 0@p) out of the catalogue: "
		"all of them or, if one is not there, none. It asks nothing. The file itself is "
		"removed by rarog gc, two weeks later at the earliest; pending profiles are "
		"removed at once.",
	.examples = "rarog rm -n 0@i-3@i\n"
		    "rarog rm 04ddfb36\n"
		    "rarog rm --version HEAD~3",
	.options = options,
	.run = run,
};
