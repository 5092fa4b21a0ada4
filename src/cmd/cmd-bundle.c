/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/selection.h"
#include "store/bundle.h"

static const struct rarog_option options[] = {
	RAROG_OPT_END,
};

static int create(const struct rarog_context *context, const char *file, size_t n, char **operands)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	rarog_cleanup(rarog_selection_release) struct rarog_selection selection = { 0 };
	struct rarog_bundle_result result = { 0 };
	int r = rarog_project_open(context, RAROG_NEED_STORE, &project);

	if (r == 0)
		r = rarog_selection_rows(&project, n, operands, &selection);
	if (r == 0 && selection.ids.n == 0)
		r = rarog_fail(-ENOENT, "there are no profiles to put into %s", file);
	if (r == 0)
		r = rarog_bundle_create(project.store, project.vcs, file, selection.ids.n,
					selection.ids.v, &result);
	if (r < 0)
		return r;
	if (!context->quiet)
		fprintf(stderr, "rarog: %s has %s profile%s, %s\n", file,
			rarog_format_count(result.parcels).text, rarog_plural(result.parcels),
			rarog_format_bytes(result.bytes).text);
	return RAROG_EXIT_OK;
}

static void show_progress(uint64_t done, uint64_t all, void *user)
{
	struct rarog_progress *progress = user;

	progress->total = all;
	rarog_progress_update(progress, done);
}

static int import(const struct rarog_context *context, const char *file, size_t n, char **operands)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	struct rarog_progress progress;
	struct rarog_bundle_result result = { 0 };
	int r = rarog_project_open(context, RAROG_NEED_STORE, &project);

	(void)operands;
	if (n > 0)
		return rarog_usage_error(rarog_fail(-EINVAL, "one bundle at a time"));
	if (r < 0)
		return r;
	rarog_progress_start(&progress, "importing", "profiles", 0, context->quiet);
	r = rarog_bundle_import(project.store, file, show_progress, &progress, &result);
	rarog_progress_finish(&progress);
	if (!context->quiet && (r == 0 || result.added + result.known > 0))
		fprintf(stderr, "rarog: added %s profile%s, %s; %s were there\n",
			rarog_format_count(result.added).text, rarog_plural(result.added),
			rarog_format_bytes(result.bytes).text,
			rarog_format_count(result.known).text);
	if (r == 0 && result.damaged > 0)
		r = rarog_fail(-EBADMSG, "%s: %s profile%s damaged, the others were added", file,
			       rarog_format_count(result.damaged).text,
			       result.damaged == 1 ? " is" : "s are");
	return r < 0 ? r : RAROG_EXIT_OK;
}

static const struct {
	const char *name;
	int (*run)(const struct rarog_context *context, const char *file, size_t n,
		   char **operands);
} verbs[] = { { "create", create }, { "import", import } };

static int run(const struct rarog_context *context, int argc, char **argv)
{
	int first = rarog_options_parse(options, argc, argv, false, NULL);

	if (first < 0)
		return rarog_usage_error(first);
	if (argc - first < 2)
		return rarog_usage_error(rarog_fail(
			-EINVAL, "rarog bundle create FILE or rarog bundle import FILE"));
	for (size_t i = 0; i < RAROG_COUNT(verbs); i++)
		if (strcmp(argv[first], verbs[i].name) == 0)
			return verbs[i].run(context, argv[first + 1], (size_t)(argc - first - 2),
					    argv + first + 2);
	return rarog_usage_error(
		rarog_fail(-EINVAL, "bundle cannot '%s'; it can create and import", argv[first]));
}

const struct rarog_command rarog_cmd_bundle = {
	.name = "bundle",
	.summary = "carry profiles as one file to another store",
	.usage = "create FILE [RANGE|REV|PROFILE…] | import FILE",
	.description =
		"create writes profiles, with their versions, labels and tags, into one file: all "
		"profiles of the store, or those that ranges, revisions and profiles name. import "
		"adds them, unchanged, to the store of another clone.\n"
		"\n"
		"Everything has a checksum. If a bundle was cut off or damaged, the profiles that "
		"are whole are imported, and the status is 3; importing the whole file later adds "
		"the rest. Profiles that are there already are not added twice.",
	.examples = "rarog bundle create profiles.bundle main~20..main\n"
		    "rarog bundle import profiles.bundle",
	.options = options,
	.run = run,
};
