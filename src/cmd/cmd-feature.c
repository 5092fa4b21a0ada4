/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "cmd/collect-features.h"
#include "cmd/commands.h"
#include "process/running.h"

struct args {
	struct rarog_collect_features_options what;
	bool json, all, is_brief;
};

static const struct rarog_option options[] = {
	RAROG_FEATURE_LOOK_OPTIONS(struct args, what),
	RAROG_OPT_STRINGS(0, "feature", struct args, what.features, "NAME",
			  "only regions of this feature; may be repeated"),
	RAROG_OPT_FLAG(0, "all", struct args, all,
		       "also regions that are a part of others, or too small"),
	RAROG_OPT_FLAG(0, "brief", struct args, is_brief, "without the reasons"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write JSON"),
	RAROG_OPT_END,
};

static const char *const code_words[] = {
	[RAROG_FEATURE_NO_CODE] = "no code of its own is left",
	[RAROG_FEATURE_NO_PLACE] = "not measured: no probe can stand where it begins or ends",
	[RAROG_FEATURE_ONCE] = "measured; it may be counted more than once",
	[RAROG_FEATURE_EXACT] = "measured",
};

static const char *const state_words[] = {
	[RAROG_FEATURE_KEPT] = "",
	[RAROG_FEATURE_MERGED] = "a part of a region of the same features",
	[RAROG_FEATURE_HIDDEN] = "hidden: too small, or a part of a condition",
};

/* --- lists of names --- */

static void print_names(const json_t *names)
{
	for (size_t i = 0; i < json_array_size(names); i++)
		printf("%s%s", i > 0 ? "," : "", json_string_value(json_array_get(names, i)));
}

static void write_names(struct rarog_json *json, const char *key, const json_t *names)
{
	rarog_json_array(json, key);
	for (size_t i = 0; i < json_array_size(names); i++)
		rarog_json_string(json, NULL, json_string_value(json_array_get(names, i)));
	rarog_json_end_array(json);
}

/* --- features --- */

static void print_features(const struct rarog_collect_features *f)
{
	for (size_t i = 0; i < f->analysis.features.n; i++) {
		const struct rarog_feature *feature = &f->analysis.features.v[i];
		size_t n = 0;

		for (size_t k = 0; k < f->analysis.regions.n; k++)
			for (size_t l = 0; l < json_array_size(f->analysis.regions.v[k].features);
			     l++)
				n += f->analysis.regions.v[k].state == RAROG_FEATURE_KEPT &&
				     strcmp(json_string_value(json_array_get(
						    f->analysis.regions.v[k].features, l)),
					    feature->name) == 0;
		printf("%s  %s  %zu region%s, read at %u place%s%s%s\n", feature->name,
		       *feature->where ? feature->where : "-", n, n == 1 ? "" : "s", feature->reads,
		       feature->reads == 1 ? "" : "s", *feature->note ? "; " : "", feature->note);
	}
}

static void write_features(struct rarog_json *json, const struct rarog_collect_features *f)
{
	rarog_json_array(json, "features");
	for (size_t i = 0; i < f->analysis.features.n; i++) {
		const struct rarog_feature *feature = &f->analysis.features.v[i];

		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", feature->name);
		rarog_json_string(json, "where", feature->where);
		rarog_json_uint(json, "reads", feature->reads);
		rarog_json_uint(json, "writes", feature->writes);
		rarog_json_string(json, "note", feature->note);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

/* --- regions --- */

static bool is_shown(const struct args *args, const struct rarog_feature_region *region)
{
	if (!args->all && region->state != RAROG_FEATURE_KEPT)
		return false;
	for (size_t i = 0; i < json_array_size(region->features); i++)
		for (size_t k = 0; k < args->what.features.n; k++)
			if (strcmp(json_string_value(json_array_get(region->features, i)),
				   args->what.features.v[k]) == 0)
				return true;
	return args->what.features.n == 0;
}

static void print_region(const struct args *args, const struct rarog_collect_features *f, size_t i)
{
	const struct rarog_feature_region *region = &f->analysis.regions.v[i];

	printf("%s:%d-%d  ", region->file, region->line, region->last_line);
	print_names(region->features);
	if (json_array_size(region->with) > json_array_size(region->features)) {
		printf(" (with ");
		print_names(region->with);
		printf(")");
	}
	printf("  %s in %s  %s\n", region->kind, region->function,
	       region->state == RAROG_FEATURE_KEPT ? code_words[f->placed.states[i]]
						   : state_words[region->state]);
	for (size_t k = 0; !args->is_brief && k < json_array_size(region->reason); k++)
		printf("    %s\n", json_string_value(json_array_get(region->reason, k)));
}

static void print_regions(const struct args *args, const struct rarog_collect_features *f)
{
	size_t n[3] = { 0 };

	for (size_t i = 0; i < f->analysis.regions.n; i++) {
		n[f->analysis.regions.v[i].state]++;
		if (is_shown(args, &f->analysis.regions.v[i]))
			print_region(args, f, i);
	}
	printf("%zu regions; %zu more are parts of them, %zu are hidden\n", n[RAROG_FEATURE_KEPT],
	       n[RAROG_FEATURE_MERGED], n[RAROG_FEATURE_HIDDEN]);
}

static void write_region(struct rarog_json *json, const struct rarog_collect_features *f, size_t i)
{
	static const char *const states[] = { "kept", "merged", "hidden" };
	static const char *const codes[] = { "no_code", "no_place", "inexact_count", "measured" };
	const struct rarog_feature_region *region = &f->analysis.regions.v[i];

	rarog_json_object(json, NULL);
	rarog_json_string(json, "name", region->label);
	rarog_json_string(json, "kind", region->kind);
	rarog_json_string(json, "function", region->function);
	rarog_json_string(json, "file", region->file);
	rarog_json_uint(json, "line", (uint64_t)region->line);
	rarog_json_uint(json, "last_line", (uint64_t)region->last_line);
	write_names(json, "features", region->features);
	write_names(json, "with", region->with);
	rarog_json_string(json, "state", states[region->state]);
	rarog_json_string(json, "code", codes[f->placed.states[i]]);
	rarog_json_uint(json, "copies", f->placed.n_copies[i]);
	write_names(json, "reason", region->reason);
	rarog_json_end_object(json);
}

static void write_regions(const struct args *args, struct rarog_json *json,
			  const struct rarog_collect_features *f)
{
	rarog_json_array(json, "regions");
	for (size_t i = 0; i < f->analysis.regions.n; i++)
		if (is_shown(args, &f->analysis.regions.v[i]))
			write_region(json, f, i);
	rarog_json_end_array(json);
}

/* --- the command --- */

static int print(const struct args *args, const struct rarog_collect_features *f, bool has_regions)
{
	if (!args->json) {
		if (has_regions)
			print_regions(args, f);
		else
			print_features(f);
		return 0;
	}
	struct rarog_json json;

	rarog_json_start_object(&json, stdout);
	write_features(&json, f);
	if (has_regions)
		write_regions(args, &json, f);
	return rarog_json_finish(&json);
}

static int look(const struct args *args, const char *program, bool has_regions)
{
	rarog_cleanup(rarog_collect_features_release) struct rarog_collect_features f = { 0 };
	char path[PATH_MAX];
	int r = rarog_program_find(program, path);

	if (r < 0)
		return rarog_fail(r, "%s: %s", program, strerror(-r));
	r = rarog_collect_features_find(&args->what, path, &f);
	if (r < 0)
		return r;
	rarog_collect_features_say(&f, program);
	return print(args, &f, has_regions);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args), r = first;

	(void)context;
	if (first >= 0 && argc - first == 2 && strcmp(argv[first], "list") == 0)
		r = look(&args, argv[first + 1], false);
	else if (first >= 0 && argc - first == 2 && strcmp(argv[first], "regions") == 0)
		r = look(&args, argv[first + 1], true);
	else if (first >= 0)
		r = rarog_usage_error(rarog_fail(-EINVAL, "rarog feature list PROG, or regions "
							  "PROG"));
	else
		rarog_usage_error(r);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_feature = {
	.name = "feature",
	.summary = "which code runs because of which option",
	.usage = "list|regions [OPTION…] PROG",
	.description =
		"A feature is an option of a program that its user sees. The source names the "
		"variables that keep them: RAROG_FEATURE_VARIABLE(Name) of rarog.h in a "
		"declaration; or a model file does (--model). PROG is to be compiled and linked "
		"with rarog cc --features, which puts nothing into its code.\n\n"
		"rarog feature list PROG names the features. rarog feature regions PROG names the "
		"code that runs, or not, because of them, with the reason: from the variable to "
		"the decision. rarog collect features -- PROG measures these regions.",
	.examples = "rarog cc --features -O2 -o prog prog.c\n"
		    "rarog feature list ./prog\n"
		    "rarog feature regions --feature=Level ./prog\n"
		    "rarog feature regions --model features.yml --json ./prog\n",
	.options = options,
	.run = run,
};
