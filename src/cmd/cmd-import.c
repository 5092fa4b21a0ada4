/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles of other tools. Each becomes a profile file in the store's folder for unfinished things
 * and is then added like any other; many at once go in portions of one transaction each.
 */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "import/perun-folder.h"
#include "import/perun.h"

#define LIMIT   (1u << 30)
#define PORTION 64 /* profiles a transaction: a fraction of a second */

static const char *const units[] = { "ns", "us", "ms", "s", NULL };

struct args {
	const char *commit, *output, *label;
	int unit; /* index of units[], -1 */
};

static const struct rarog_option options[] = {
	RAROG_OPT_STRING('m', "version", struct args, commit, "REV",
			 "the profiles belong to REV, whatever they say themselves"),
	RAROG_OPT_STRING(0, "label", struct args, label, "TEXT",
			 "give the profiles this label; without git, it is the version"),
	RAROG_OPT_CHOICE(0, "unit", struct args, unit, NULL, units,
			 "the unit of amounts, whatever the profile declares"),
	RAROG_OPT_STRING('o', "output", struct args, output, "FILE",
			 "write one profile to FILE, and nothing to the store"),
	RAROG_OPT_END,
};

struct import {
	const struct rarog_context *context;
	const struct args *args;
	struct rarog_project project;
	struct rarog_commit commit; /* --commit */
	char *temporary;
	uint64_t added, known, without, failed, unfit, in_portion;
	bool is_open;
};

static void import_release(struct import *import)
{
	if (import->is_open)
		rarog_store_rollback(import->project.store);
	if (import->temporary)
		unlink(import->temporary);
	free(import->temporary);
	rarog_commit_release(&import->commit);
	rarog_project_release(&import->project);
}

/* --- which version --- */

/* The commit that the profile names, if this repository has it: 1, 0. */
static int find_origin(struct import *import, const char *origin, struct rarog_commit *ret_commit)
{
	struct rarog_vcs *vcs = import->project.vcs;
	size_t digits = origin ? strlen(origin) : 0;
	int r;

	if (import->commit.name)
		return rarog_commit_copy(&import->commit, ret_commit) < 0 ? -ENOMEM : 1;
	if (!vcs || digits < 40 || digits != rarog_vcs_hash_digits(vcs) ||
	    strspn(origin, "0123456789abcdef") != digits)
		return 0;
	r = rarog_vcs_resolve(vcs, origin, ret_commit);
	if (r < 0)
		rarog_error_clear();
	return r == 0;
}

/* Perun's names end in the time: …-2017-03-19-19-17-36.perf */
static uint64_t time_in_name(const char *path)
{
	static const size_t ending = sizeof("2017-03-19-19-17-36.perf") - 1;
	struct tm parts = { .tm_isdst = -1 };
	size_t length = strlen(path);
	const char *end = length > ending
				  ? strptime(path + length - ending, "%Y-%m-%d-%H-%M-%S", &parts)
				  : NULL;
	time_t seconds;

	if (!end || strcmp(end, ".perf") != 0)
		return 0;
	seconds = mktime(&parts);
	return seconds > 0 ? (uint64_t)seconds * 1000000000 : 0;
}

/* --- one profile --- */

static int end_portion(struct import *import)
{
	if (!import->is_open)
		return 0;
	import->is_open = false;
	import->in_portion = 0;
	return rarog_store_commit(import->project.store);
}

static int add(struct import *import, const struct rarog_commit *commit)
{
	const struct rarog_record_options how = {
		.version = commit ? commit->name : NULL,
		.tree = commit ? commit->tree : NULL,
		.commit = commit,
		.flags = RAROG_RECORD_IMPORTED,
		.label = import->args->label,
	};
	int r = 0;

	if (!import->is_open)
		r = rarog_store_begin(import->project.store);
	import->is_open = r == 0;
	if (r == 0)
		r = rarog_record_add(import->project.store, import->temporary, &how, NULL, NULL);
	if (r < 0)
		return r;
	import->added += r == 1;
	import->known += r == 0;
	import->without += !commit;
	return ++import->in_portion == PORTION ? end_portion(import) : 0;
}

struct source {
	const char *name, *commit;
	uint64_t time_ns;
	size_t n;
	const char *bytes;
};

static int import_bytes(struct import *import, const struct source *source)
{
	rarog_cleanup(rarog_perun_freep) struct rarog_perun *perun = NULL;
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	struct rarog_perun_options how = { .started_ns = source->time_ns };
	struct rarog_perun_result result;
	int r = rarog_perun_parse(source->name, source->n, source->bytes, &perun);
	int has_commit =
		r < 0 ? r
		      : find_origin(import,
				    source->commit ? source->commit : rarog_perun_origin(perun),
				    &commit);

	if (has_commit < 0)
		return has_commit;
	if (has_commit) {
		how.commit = commit.name;
		how.tree = commit.tree;
	}
	if (import->args->unit >= 0)
		how.unit_ns = rarog_perun_unit(units[import->args->unit]);
	r = rarog_perun_write(perun, &how,
			      import->args->output ? import->args->output : import->temporary,
			      &result);
	if (r < 0)
		return r;
	import->unfit += result.unfit;
	import->added += import->args->output != NULL;
	return import->args->output ? 0 : add(import, has_commit ? &commit : NULL);
}

/* One that cannot be read does not stop the others. */
static int forgive(struct import *import, int r)
{
	if (r != -EINVAL && r != -EBADMSG && r != -EFBIG && r != -ENOENT)
		return r;
	rarog_warn("%s; left out", rarog_error_message());
	rarog_error_clear();
	import->failed++;
	return 0;
}

static int import_found(const struct rarog_perun_found *found, void *user)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	struct source source = { .name = found->name, .commit = found->commit };
	int r = rarog_perun_folder_read(found, &text, &source.n);

	source.bytes = text;
	source.time_ns =
		found->time ? (uint64_t)found->time * 1000000000 : time_in_name(found->name);
	if (r == 0)
		r = import_bytes(user, &source);
	return forgive(user, r);
}

static void note_problem(const char *message, void *user)
{
	struct import *import = user;

	rarog_warn("%s; left out", message);
	import->failed++;
}

static int import_file(struct import *import, const char *path)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct source source = { .name = path, .time_ns = time_in_name(path) };
	int r = rarog_stream_read(path, LIMIT, &bytes, &source.n);

	if (r < 0)
		return r;
	if (source.n >= 6 && memcmp(bytes, "\x89RAROG", 6) == 0)
		return rarog_fail(-EINVAL, "%s: is a profile of rarog already; rarog add keeps it",
				  path);
	source.bytes = bytes;
	return import_bytes(import, &source);
}

static bool is_profile_file(const char *name)
{
	static const char *const ends[] = { ".perf", ".perf.gz" };

	for (size_t i = 0; i < RAROG_COUNT(ends); i++)
		if (rarog_ends_with(name, ends[i]) && strlen(name) > strlen(ends[i]))
			return true;
	return false;
}

static void fts_closep(FTS **tree)
{
	if (*tree)
		fts_close(*tree);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* What is hidden (.git) has no profiles of the user's. Return: 1: it is none. */
static int import_entry(struct import *import, FTS *tree, FTSENT *entry)
{
	if (entry->fts_level > FTS_ROOTLEVEL && entry->fts_name[0] == '.')
		return fts_set(tree, entry, FTS_SKIP) < 0 ? rarog_fail_errno("fts_set") : 1;
	if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
		errno = entry->fts_errno;
		return forgive(import, rarog_fail_errno("%s", entry->fts_path));
	}
	if (entry->fts_info == FTS_F && is_profile_file(entry->fts_name))
		return forgive(import, import_file(import, entry->fts_path));
	return 1;
}

/* The profiles in a folder and those below, by name. Return: 1: there are none. */
static int import_files_of(struct import *import, const char *path)
{
	char *roots[] = { (char *)(uintptr_t)path, NULL };
	rarog_cleanup(fts_closep) FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	bool is_any = false;
	int r = 0;

	if (!tree)
		return rarog_fail_errno("%s", path);
	for (FTSENT *entry; r >= 0 && (entry = fts_read(tree));) {
		r = import_entry(import, tree, entry);
		is_any |= r == 0;
	}
	return r < 0 ? r : !is_any;
}

static bool has(const char *path, const char *below)
{
	rarog_cleanup(rarog_freep) char *inside = rarog_asprintf("%s/%s", path, below);

	return inside && access(inside, F_OK) == 0;
}

static bool is_repository(const char *path)
{
	return has(path, ".perun") || (has(path, "objects") && has(path, "jobs"));
}

static int import_path(struct import *import, const char *path)
{
	struct stat status;
	int r;

	if (stat(path, &status) < 0)
		return rarog_fail_errno("%s: cannot open", path);
	if (!S_ISDIR(status.st_mode))
		return import_file(import, path);
	if (import->args->output)
		return rarog_fail(-EINVAL,
				  "%s: a whole repository does not fit into one file; "
				  "leave -o out",
				  path);
	r = is_repository(path) ? 1 : import_files_of(import, path);
	if (r <= 0)
		return r;
	return rarog_perun_folder_each(path, import_found, note_problem, import);
}

/* --- all of them --- */

/* Without git a label is a version, the newest from now on. */
static int use_label(struct import *import)
{
	struct rarog_vcs *vcs = import->project.vcs;
	const struct args *args = import->args;
	int r;

	if (!args->label || args->commit || !vcs || rarog_vcs_kind(vcs) != RAROG_VCS_PLAIN)
		return 0;
	r = rarog_vcs_label(vcs, args->label, NULL);
	return r < 0 ? r : rarog_vcs_resolve(vcs, args->label, &import->commit);
}

static int prepare(struct import *import)
{
	enum rarog_need need = import->args->output ? RAROG_NEED_SETTINGS : RAROG_NEED_STORE;
	rarog_cleanup(rarog_freep) char *folder = NULL;
	int r = rarog_project_open(import->context, need, &import->project);

	if (r == 0 && import->args->commit && !import->project.vcs)
		r = rarog_fail(-ENOENT, "--version %s: there is no repository here",
			       import->args->commit);
	if (r == 0 && import->args->commit)
		r = rarog_vcs_resolve(import->project.vcs, import->args->commit, &import->commit);
	if (r == 0 && !import->args->output)
		r = use_label(import);
	if (r == 0 && !import->args->output)
		r = rarog_store_place(import->project.store, RAROG_PLACE_TMP, &folder);
	if (r < 0 || import->args->output)
		return r;
	import->temporary = rarog_asprintf("%s/import-%ld.rarog", folder, (long)getpid());
	return import->temporary ? 0 : rarog_oom();
}

static void summarise(const struct import *import)
{
	if (import->context->quiet)
		return;
	fprintf(stderr, "rarog: imported %s profile%s", rarog_format_count(import->added).text,
		rarog_plural(import->added));
	if (import->known > 0)
		fprintf(stderr, ", %s were there", rarog_format_count(import->known).text);
	if (import->without > 0)
		fprintf(stderr, ", %s of commits that are not here (they belong to none)",
			rarog_format_count(import->without).text);
	if (import->unfit > 0)
		fprintf(stderr, ", %s amounts that cannot be summed up (they are in the note)",
			rarog_format_count(import->unfit).text);
	fputs("\n", stderr);
}

static int import_all(struct import *import, size_t n, char *const paths[n])
{
	int r = prepare(import);

	for (size_t i = 0; r == 0 && i < n; i++) {
		r = import_path(import, paths[i]);
		if (n > 1)
			r = forgive(import, r);
	}
	if (r == 0)
		r = end_portion(import);
	if (r < 0)
		return r;
	summarise(import);
	if (import->failed == 0)
		return RAROG_EXIT_OK;
	return rarog_fail(-EBADMSG, "%s could not be read; the others were imported",
			  rarog_format_count(import->failed).text);
}

static int import_run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .unit = -1 };
	int first = rarog_options_parse(options, argc, argv, false, &args);
	rarog_cleanup(import_release) struct import import = { .context = context, .args = &args };

	if (first < 0)
		return rarog_usage_error(first);
	if (first == argc)
		return rarog_usage_error(rarog_fail(
			-EINVAL, "what? give .perf files, a folder of them or a directory .perun"));
	if (args.output && argc - first > 1)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "-o takes one profile; there are %d", argc - first));
	return import_all(&import, (size_t)(argc - first), argv + first);
}

const struct rarog_command rarog_cmd_import = {
	.name = "import",
	.summary = "take over profiles of Perun",
	.usage = "[--version REV] [-o FILE] PATH…",
	.description =
		"Reads profiles of Perun: .perf files (JSON in any of its three forms, also gzip'd "
		"or an object of its repository), a folder of them and of folders, or a whole "
		"directory .perun, and keeps them in the store. A profile belongs to the commit "
		"that it names, if this repository has that commit, else to none; --version names "
		"another.\n"
		"\n"
		"Times become summaries, or single calls where the tracer kept them; bytes, "
		"samples "
		"and other amounts become quantities; traces become the call tree. The whole "
		"original stays in the profile: rarog export FILE --format original writes it "
		"again.\n"
		"\n"
		"A profile that cannot be read is named and left out; the others are imported, and "
		"the status is 3.",
	.examples = "rarog import .perun\n"
		    "rarog import --version v1.2 old/*.perf\n"
		    "rarog import -o prof.rarog prof.perf && rarog show prof.rarog",
	.options = options,
	.run = import_run,
};
