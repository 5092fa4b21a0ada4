/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/progress.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "store/keep.h"

struct args {
	bool repair, rebuild, quick, all, json;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG(0, "repair", struct args, repair,
		       "move damaged profiles to quarantine, and correct rows by the profiles' "
		       "headers"),
	RAROG_OPT_FLAG(0, "rebuild", struct args, rebuild,
		       "make a new catalogue from the profiles' headers"),
	RAROG_OPT_FLAG(0, "quick", struct args, quick, "do not read the profiles"),
	RAROG_OPT_FLAG('a', "all", struct args, all,
		       "name also things that are no faults: objects that nothing refers to, stray "
		       "files"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the same facts as JSON"),
	RAROG_OPT_END,
};

/* In the order of enum rarog_finding_kind. */
static const char *const kinds[] = { "catalogue",  "schema",   "missing",      "damaged",
				     "unreadable", "mismatch", "unreferenced", "stray" };

struct state {
	const struct args *args;
	struct rarog_json *json;
	struct rarog_progress progress;
	bool is_quiet, can_repair; /* --repair would help */
};

static void write_finding(struct rarog_json *json, const struct rarog_keep_finding *finding)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "kind", kinds[finding->kind]);
	rarog_json_bool(json, "fault", finding->is_fault);
	rarog_json_string(json, "thing", finding->thing);
	rarog_json_string(json, "message", finding->message);
	rarog_json_bool(json, "repaired", finding->is_repaired);
	rarog_json_string(json, "repair", finding->repair);
	rarog_json_end_object(json);
}

/* What is wrong; the message may name the thing again, and a remedy that was just used. */
static void print_finding(const struct rarog_keep_finding *finding)
{
	const char *message = finding->message, *colon = strstr(message, ": "), *remedy = NULL;
	const char *again = strstr(message, finding->thing);

	if (colon && again && again < colon)
		message = colon + strlen(": ");
	if (finding->is_repaired)
		remedy = strstr(message, "; rarog fsck");
	printf("%s %s: %.*s%s%s\n", kinds[finding->kind], finding->thing,
	       remedy ? (int)(remedy - message) : (int)strlen(message), message,
	       finding->is_repaired && finding->repair ? "; " : "",
	       finding->is_repaired && finding->repair ? finding->repair : "");
}

static int report(const struct rarog_keep_finding *finding, void *user)
{
	struct state *state = user;

	state->can_repair |= finding->is_fault && !finding->is_repaired &&
			     finding->kind != RAROG_FINDING_CATALOGUE;
	if (state->json)
		write_finding(state->json, finding);
	else if (finding->is_fault || state->args->all)
		print_finding(finding);
	return 0;
}

static void show_progress(uint64_t done, uint64_t all, void *user)
{
	struct state *state = user;

	if (!state->progress.what)
		rarog_progress_start(&state->progress, "reading", NULL, all, state->is_quiet);
	rarog_progress_update(&state->progress, done);
}

static int finish(const struct rarog_context *context, struct state *state,
		  const struct rarog_fsck_result *result)
{
	uint64_t left = result->faults - result->repaired;
	int status = left > 0 ? RAROG_EXIT_FAILURE : RAROG_EXIT_OK;
	int r;

	if (state->json) {
		rarog_json_end_array(state->json);
		rarog_json_uint(state->json, "objects", result->objects);
		rarog_json_uint(state->json, "records", result->records);
		rarog_json_uint(state->json, "bytes", result->bytes);
		rarog_json_uint(state->json, "faults", result->faults);
		rarog_json_uint(state->json, "repaired", result->repaired);
		r = rarog_json_finish(state->json);
		return r < 0 ? r : status;
	}
	if (!context->quiet)
		printf("%s profiles, %s objects, %s: %s fault%s%s%s\n",
		       rarog_format_count(result->records).text,
		       rarog_format_count(result->objects).text,
		       rarog_format_bytes(result->bytes).text,
		       rarog_format_count(result->faults).text, rarog_plural(result->faults),
		       result->repaired > 0 ? ", repaired: " : "",
		       result->repaired > 0 ? rarog_format_count(result->repaired).text : "");
	if (state->can_repair && !state->args->repair && !context->quiet)
		puts("rarog fsck --repair puts aside what is damaged; the rest works on");
	return status;
}

static int fsck(const struct rarog_context *context, const struct args *args)
{
	rarog_cleanup(rarog_vcs_freep) struct rarog_vcs *vcs = NULL;
	struct rarog_fsck_result result = { 0 };
	struct rarog_json json = { 0 };
	struct state state = { .args = args,
			       .json = args->json ? &json : NULL,
			       .is_quiet = context->quiet };
	const struct rarog_fsck how = {
		.repair = args->repair,
		.rebuild = args->rebuild,
		.quick = args->quick,
		.report = report,
		.progress = show_progress,
		.user = &state,
	};
	int r = rarog_vcs_open(NULL, -1, &vcs);

	if (r == 0 && access(rarog_vcs_store_path(vcs), F_OK) < 0)
		r = rarog_fail(-ENOENT, "%s: there is no store; run rarog init",
			       rarog_vcs_store_path(vcs));
	if (r < 0)
		return r;
	if (args->json) {
		rarog_json_start_object(&json, stdout);
		rarog_json_array(&json, "findings");
	}
	r = rarog_store_fsck(rarog_vcs_store_path(vcs), &how, &result);
	if (state.progress.what)
		rarog_progress_finish(&state.progress);
	return r < 0 ? r : finish(context, &state, &result);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args);

	if (first < 0)
		return rarog_usage_error(first);
	if (first < argc)
		return rarog_usage_error(rarog_fail(-EINVAL, "fsck takes no operands"));
	return fsck(context, &args);
}

const struct rarog_command rarog_cmd_fsck = {
	.name = "fsck",
	.summary = "see whether the store is sound, and repair it",
	.usage = "[OPTION…]",
	.description =
		"Reads the catalogue and every profile and names what is wrong: a profile that is "
		"missing or whose bytes have changed, a row that contradicts the profile's header, "
		"a table that is not as it must be. It works on stores that no other command can "
		"open.\n"
		"\n"
		"With --repair, damaged profiles move to quarantine/ and their rows are marked; "
		"--rebuild makes a new catalogue from the headers of the profiles, and takes over "
		"tags and verdicts from the old one as far as it can be read.\n"
		"\n"
		"Exit status: 0 nothing is wrong (any more), 3 something is.",
	.examples = "rarog fsck\n"
		    "rarog fsck --repair\n"
		    "rarog fsck --rebuild",
	.options = options,
	.run = run,
};
