/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/table.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "run/scratch.h"
#include "store/keep.h"

#define UNSET UINT64_MAX

struct args {
	bool dry_run, now, sizes, json;
	long keep, then_keep, then_every;
	uint64_t full_ns, pending_ns, max_size, max_builds, grace_ns;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG('n', "dry-run", struct args, dry_run, "say what would be removed"),
	RAROG_OPT_FLAG(0, "sizes", struct args, sizes,
		       "only say how much space each part of the "
		       "store takes"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the same facts as JSON"),
	RAROG_OPT_GROUP("What may go (default: what the settings gc.* say)"),
	RAROG_OPT_INT(0, "keep", struct args, keep, "N", 0, 1000000,
		      "keep the newest N profiles of each version, job and machine class; 0: all"),
	RAROG_OPT_DURATION(0, "full", struct args, full_ns, "TIME",
			   "thin out versions older than TIME (720h) …"),
	RAROG_OPT_INT(0, "then-keep", struct args, then_keep, "N", 0, 1000000,
		      "… to N profiles of each group …"),
	RAROG_OPT_INT(0, "then-every", struct args, then_every, "N", 1, 1000000,
		      "… and to each N-th version"),
	RAROG_OPT_DURATION(0, "pending", struct args, pending_ns, "TIME",
			   "remove pending profiles older than TIME"),
	RAROG_OPT_SIZE(0, "max-size", struct args, max_size, "SIZE",
		       "then remove the oldest profiles until all fit into SIZE"),
	RAROG_OPT_SIZE(0, "max-builds", struct args, max_builds, "SIZE",
		       "remove the builds that were used longest ago until all fit into SIZE"),
	RAROG_OPT_DURATION(
		0, "grace", struct args, grace_ns, "TIME",
		"remove files that nothing refers to and that are older than TIME (336h)"),
	RAROG_OPT_FLAG(0, "now", struct args, now,
		       "remove them at once, however old: only while nothing is being collected"),
	RAROG_OPT_END,
};

static uint64_t duration(const struct rarog_settings *settings, uint64_t given, const char *key)
{
	return given != UNSET ? given : rarog_settings_duration(settings, key);
}

static uint64_t size(const struct rarog_settings *settings, uint64_t given, const char *key)
{
	return given != UNSET ? given : rarog_settings_size(settings, key);
}

static uint32_t number(const struct rarog_settings *settings, long given, const char *key)
{
	return (uint32_t)(given >= 0 ? given : rarog_settings_int(settings, key));
}

static struct rarog_retention retention_of(const struct args *args,
					   const struct rarog_settings *settings)
{
	return (struct rarog_retention){
		.no_grace = args->now,
		.grace_ns = duration(settings, args->grace_ns, "gc.grace"),
		.per_group = number(settings, args->keep, "gc.keep"),
		.full_ns = duration(settings, args->full_ns, "gc.full"),
		.then_per_group = number(settings, args->then_keep, "gc.then-keep"),
		.then_every = number(settings, args->then_every, "gc.then-every"),
		.pending_ns = duration(settings, args->pending_ns, "gc.pending"),
		.max_bytes = size(settings, args->max_size, "gc.max-size"),
		.max_build_bytes = size(settings, args->max_builds, "gc.max-builds"),
		.dry_run = args->dry_run,
	};
}

/* --- sizes --- */

struct row {
	const char *what, *key;
	uint64_t n, bytes;
};

static int print_sizes(const struct rarog_context *context, struct rarog_store *store,
		       const struct args *args)
{
	static const struct rarog_column columns[] = {
		{ .title = "what" },
		{ .title = "number", .is_right = true },
		{ .title = "size", .is_right = true },
	};
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	struct rarog_sizes s = { 0 };
	struct rarog_json json;
	int r = table ? rarog_store_sizes(store, true, &s) : rarog_oom();
	const struct row rows[] = {
		{ "profiles", "profiles", s.profiles, s.profile_bytes },
		{ "models, verdicts", "derived", s.derived, s.derived_bytes },
		{ "referred to by nothing", "loose", s.loose, s.loose_bytes },
		{ "pending", "pending", s.pending, s.pending_bytes },
		{ "builds", "builds", s.builds, s.build_bytes },
		{ "quarantined", "quarantined", s.quarantined, s.quarantined_bytes },
		{ "catalogue", "catalogue", 1, s.catalogue_bytes },
	};

	if (r < 0)
		return r;
	if (args->json) {
		rarog_json_start_object(&json, stdout);
	}
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(rows); i++) {
		if (args->json) {
			rarog_json_object(&json, rows[i].key);
			rarog_json_uint(&json, "number", rows[i].n);
			rarog_json_uint(&json, "bytes", rows[i].bytes);
			rarog_json_end_object(&json);
			continue;
		}
		r = rarog_table_add(table,
				    (struct rarog_cell[]){
					    { .text = rows[i].what },
					    { .text = rarog_format_count(rows[i].n).text },
					    { .text = rarog_format_bytes(rows[i].bytes).text },
				    });
	}
	if (args->json) {
		rarog_json_uint(&json, "disk_bytes", s.disk_bytes);
		return rarog_json_finish(&json);
	}
	rarog_table_print(table, stdout, 0, context->colour);
	printf("on disk: %s\n", rarog_format_bytes(s.disk_bytes).text);
	return r;
}

/* --- removing --- */

static int say(const struct rarog_context *context, const struct args *args,
	       const struct rarog_gc_result *result)
{
	struct rarog_json json;

	if (args->json) {
		rarog_json_start_object(&json, stdout);
		rarog_json_bool(&json, "dry_run", args->dry_run);
		rarog_json_uint(&json, "profiles", result->records);
		rarog_json_uint(&json, "objects", result->objects);
		rarog_json_uint(&json, "derived", result->derived);
		rarog_json_uint(&json, "files", result->files);
		rarog_json_uint(&json, "bytes", result->bytes);
		return rarog_json_finish(&json);
	}
	if (!context->quiet || args->dry_run)
		printf("%s %s profiles, %s objects, %s models and verdicts, %s other files: %s\n",
		       args->dry_run ? "would remove" : "removed",
		       rarog_format_count(result->records).text,
		       rarog_format_count(result->objects).text,
		       rarog_format_count(result->derived).text,
		       rarog_format_count(result->files).text,
		       rarog_format_bytes(result->bytes).text);
	return RAROG_EXIT_OK;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	struct args args = {
		.keep = -1,
		.then_keep = -1,
		.then_every = -1,
		.full_ns = UNSET,
		.pending_ns = UNSET,
		.max_size = UNSET,
		.max_builds = UNSET,
		.grace_ns = UNSET,
	};
	struct rarog_retention retention;
	struct rarog_gc_result result = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args), r;

	if (first < 0)
		return rarog_usage_error(first);
	if (first < argc)
		return rarog_usage_error(rarog_fail(-EINVAL, "gc takes no operands"));
	r = rarog_project_open(context, RAROG_NEED_STORE, &project);
	if (r == 0 && args.sizes)
		return print_sizes(context, project.store, &args);
	if (r < 0)
		return r;
	retention = retention_of(&args, project.settings);
	if (!args.dry_run && !rarog_store_is_read_only(project.store))
		r = rarog_scratch_clean(&(struct rarog_repository){ project.vcs, project.store });
	if (r < 0)
		return r;
	r = rarog_store_gc(project.store, &retention, &result);
	return r < 0 ? r : say(context, &args, &result);
}

const struct rarog_command rarog_cmd_gc = {
	.name = "gc",
	.summary = "remove what the store need not keep",
	.usage = "[OPTION…]",
	.description =
		"Removes profiles by the rules of the settings gc.* or of the options, then the "
		"files that nothing refers to any more and that are two weeks old. Without rules "
		"no profile is removed. Files that a killed rarog run left behind are removed at "
		"once. A profile that carries a tag, or belongs to a version that carries one, is "
		"never removed. Collecting may go on meanwhile.",
	.examples = "rarog gc --dry-run --keep 10 --max-size 20G\n"
		    "rarog gc --full 2160h --then-keep 1 --then-every 10\n"
		    "rarog gc --sizes",
	.options = options,
	.run = run,
};
