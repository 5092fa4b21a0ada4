/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/feature-diff.h"
#include "cmd/feature-guess.h"
#include "cmd/feature-influence.h"
#include "cmd/feature-plan.h"
#include "feature/list.h"
#include "feature/regions.h"
#include "process/running.h"

struct args {
	struct rarog_feature_options what;
	struct rarog_feature_influence_options influence;
	int plan;
	long count, seed;
	bool json, all, is_brief;
	const char *write;
};

static const struct rarog_option options[] = {
	RAROG_FEATURE_LOOK_OPTIONS(struct args, what),
	RAROG_FEATURE_CHOICE_OPTION(struct args, what),
	RAROG_OPT_FLAG(0, "all", struct args, all,
		       "list also regions that are a part of others, or too small"),
	RAROG_OPT_FLAG(0, "brief", struct args, is_brief, "leave out the reasons"),
	RAROG_OPT_STRING(0, "write", struct args, write, "FILE",
			 "regions: write them as a list for rarog cc --rarog-regions, which "
			 "compiles them in"),
	RAROG_OPT_GROUP("What options cost (influence, predict)"),
	RAROG_OPT_STRING(
		0, "of", struct args, influence.of, "AMOUNT",
		"wall (the default), user, system, max-rss, instructions (of rarog collect "
		"blocks: without noise), a region or function, or features that are open together "
		"(A,B)"),
	RAROG_OPT_STRING(0, "job", struct args, influence.job, "NAME", "only runs of this job"),
	RAROG_OPT_STRING(0, "collector", struct args, influence.collector, "NAME",
			 "only runs of this collector"),
	RAROG_OPTION_CHOICE(struct args, influence.predicted,
			    "predict: the value of the option; may be repeated"),
	RAROG_OPT_GROUP("Which configurations to measure (plan)"),
	RAROG_OPT_CHOICE(0, "plan", struct args, plan, "NAME", rarog_sampling_names,
			 "feature-wise: each option by itself; pair-wise: each two together as "
			 "well; random: at random; regions: all combinations of the options that "
			 "meet in a region of PROG; all: every combination; pairs: each two values "
			 "in few configurations"),
	RAROG_OPT_INT(0, "count", struct args, count, "N", 1, 100000,
		      "propose N configurations in a random plan (default: 30), or add random ones "
		      "to another plan until there are N"),
	RAROG_OPT_INT(0, "seed", struct args, seed, "N", 0, 2147483647,
		      "seed of random choices (default: 1)"),
	RAROG_OPT_GROUP("Output"),
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

static void print_features(const struct rarog_feature_regions *f)
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

static void write_features(struct rarog_json *json, const struct rarog_feature_regions *f)
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

static void print_trap(const struct rarog_feature_region *region)
{
	if (region->may_be_left)
		printf("    no way but an exception or longjmp() leads out of it from %s: else it "
		       "lasts until the program ends\n",
		       region->trap);
	else
		printf("    no way leads out of it from %s: there it lasts until the program "
		       "ends\n",
		       region->trap);
}

static void print_region(const struct args *args, const struct rarog_feature_regions *f, size_t i)
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
	if (!args->is_brief && *region->trap)
		print_trap(region);
	if (!args->is_brief && region->is_in_coroutine)
		printf("    in a coroutine: it may end where that waits, and begin anew where it "
		       "goes "
		       "on\n");
	for (size_t k = 0; !args->is_brief && k < json_array_size(region->reason); k++)
		printf("    %s\n", json_string_value(json_array_get(region->reason, k)));
}

static void print_regions(const struct args *args, const struct rarog_feature_regions *f)
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

static void write_region(struct rarog_json *json, const struct rarog_feature_regions *f, size_t i)
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
	rarog_json_string(json, "no_way_out", *region->trap ? region->trap : NULL);
	rarog_json_bool(json, "unless_thrown", region->may_be_left);
	rarog_json_bool(json, "coroutine", region->is_in_coroutine);
	rarog_json_uint(json, "copies", f->placed.n_copies[i]);
	write_names(json, "reason", region->reason);
	rarog_json_end_object(json);
}

static void write_regions(const struct args *args, struct rarog_json *json,
			  const struct rarog_feature_regions *f)
{
	rarog_json_array(json, "regions");
	for (size_t i = 0; i < f->analysis.regions.n; i++)
		if (is_shown(args, &f->analysis.regions.v[i]))
			write_region(json, f, i);
	rarog_json_end_array(json);
}

/* --- the command --- */

static int print(const struct args *args, const struct rarog_feature_regions *f, bool has_regions)
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
	rarog_cleanup(rarog_feature_regions_release) struct rarog_feature_regions f = { 0 };
	char path[PATH_MAX];
	int r = rarog_program_find(program, path);

	if (r < 0)
		return rarog_fail(r, "%s: %s", program, strerror(-r));
	r = rarog_feature_regions_find(&args->what, RAROG_FEATURE_BY_JUMPS, path, &f);
	if (r < 0)
		return r;
	rarog_feature_regions_say(&f, program);
	if (args->write)
		return rarog_feature_list_write(&f.analysis, &args->what.features, args->write);
	return print(args, &f, has_regions);
}

/* --- words --- */

struct call {
	const struct rarog_context *context;
	struct args *args;
	size_t n;
	char **operands;
};

static int want_program(const struct call *call)
{
	return call->n == 1 ? 0
			    : rarog_usage_error(rarog_fail(-EINVAL, "which program? one is to be "
								    "named"));
}

static int list(const struct call *call)
{
	int r = want_program(call);

	return r < 0 ? r : look(call->args, call->operands[0], false);
}

static int regions(const struct call *call)
{
	int r = want_program(call);

	return r < 0 ? r : look(call->args, call->operands[0], true);
}

static int influence(const struct call *call)
{
	return rarog_feature_influence(call->context, &call->args->influence, false, call->n,
				       call->operands);
}

static int predict(const struct call *call)
{
	return rarog_feature_influence(call->context, &call->args->influence, true, call->n,
				       call->operands);
}

static int guess(const struct call *call)
{
	char path[PATH_MAX];
	int r = want_program(call);

	if (r == 0 && rarog_program_find(call->operands[0], path) < 0)
		return rarog_fail(-ENOENT, "%s: not found", call->operands[0]);
	return r < 0 ? r : rarog_feature_guess(path, call->args->json);
}

static int diff(const struct call *call)
{
	if (call->n != 2)
		return rarog_usage_error(rarog_fail(-EINVAL, "diff: which two profiles or "
							     "versions? the older one first"));
	return rarog_feature_diff(call->context, call->operands[0], call->operands[1],
				  call->args->json);
}

static int plan(const struct call *call)
{
	const struct args *args = call->args;

	const struct rarog_sampling_request request = {
		.plan = (enum rarog_sampling_plan)args->plan,
		.n = (size_t)args->count,
		.seed = args->seed ? (uint64_t)args->seed : 1,
	};

	return rarog_feature_plan(&args->what, call->n > 0 ? call->operands[0] : NULL, &request,
				  args->json);
}

static const struct {
	const char *name;
	int (*run)(const struct call *call);
} words[] = {
	{ "list", list },       { "regions", regions }, { "influence", influence },
	{ "predict", predict }, { "plan", plan },       { "diff", diff },
	{ "guess", guess },
};

static int dispatch(const struct call *call, const char *word)
{
	for (size_t i = 0; i < RAROG_COUNT(words); i++)
		if (strcmp(words[i].name, word) == 0)
			return words[i].run(call);
	return rarog_usage_error(rarog_fail(-EINVAL,
					    "%s: there are guess, list, regions, "
					    "diff, plan, influence and predict",
					    word));
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args), r = first;

	args.influence.json = args.json;
	if (first < 0)
		rarog_usage_error(r);
	else if (first >= argc)
		r = rarog_usage_error(rarog_fail(-EINVAL, "rarog feature guess, list, regions, "
							  "diff, plan, influence or predict"));
	else
		r = dispatch(&(struct call){ .context = context,
					     .args = &args,
					     .n = (size_t)(argc - first - 1),
					     .operands = argv + first + 1 },
			     argv[first]);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_feature = {
	.name = "feature",
	.summary = "which code runs because of which option",
	.usage = "guess|list|regions|diff|plan|influence|predict [OPTION…] [PROG|PROFILE…]",
	.description =
		"A feature is an option of a program that its user sees. The source names the "
		"variables that keep features, by RAROG_FEATURE_VARIABLE(Name) of rarog.h in a "
		"declaration, or a model file does (--model): features: {Name: {variable: NAME}}. "
		"Compile and link PROG with rarog cc --features, which puts nothing into its "
		"code.\n\n"
		"rarog feature guess PROG prints a model file to begin with. It says which "
		"variables are written where getopt(), or the program itself, has found which "
		"option. Check it before you use it.\n\n"
		"rarog feature list PROG names the features. rarog feature regions PROG names the "
		"code that runs, or does not run, because of them, with the reason: the way from "
		"the variable to the decision. rarog collect features -- PROG measures these "
		"regions.\n\n"
		"rarog show --features says what features and interactions cost in one run. rarog "
		"feature diff OLDER NEWER says what they cost in two runs: of two configurations, "
		"or of two versions, whose lines may differ.\n\n"
		"rarog feature plan prints configurations that are worth measuring (--plan), and "
		"none that the model forbids. Measure them with rarog collect --option NAME=VALUE, "
		"or by a job with options. From the profiles of these runs rarog feature influence "
		"says what each option and each interaction costs, with 95 % intervals and the "
		"error with which each configuration is predicted from the others. rarog feature "
		"predict says what other options would take.",
	.examples = "rarog cc --features -O2 -o prog prog.c\n"
		    "rarog feature guess ./prog >features.yml\n"
		    "rarog feature list ./prog\n"
		    "rarog feature regions --feature=Level ./prog\n"
		    "rarog feature regions --model features.yml --json ./prog\n"
		    "rarog feature plan --model features.yml --plan pair-wise\n"
		    "rarog feature diff HEAD~1 HEAD\n"
		    "rarog feature influence --of user run-*.rarog\n"
		    "rarog feature predict --option level=7 --option fast=no HEAD\n",
	.options = options,
	.run = run,
};
