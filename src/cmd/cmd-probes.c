/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a binary can be traced, what not and why, without running it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/libraries.h"
#include "cmd/commands.h"
#include "view/probes/list.h"

#define DEFAULT_CALL_NS 25 /* measured on the development machine; doc/design/inline.md */

struct arguments {
	struct rarog_strings func, exclude;
	uint64_t call_ns;
	bool all, libs, args, json, csv;
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("What is listed"),
	RAROG_OPT_STRINGS('f', "func", struct arguments, func, "PATTERN",
			  "list only functions and USDT probes that match: a name, a glob or "
			  "/regex/; also functions that cannot be traced, with the reason"),
	RAROG_OPT_STRINGS('x', "exclude", struct arguments, exclude, "PATTERN",
			  "no functions that match"),
	RAROG_OPT_FLAG(
		'a', "all", struct arguments, all,
		"list also functions that cannot be traced and those that exist only inlined"),
	RAROG_OPT_FLAG('l', "libs", struct arguments, libs,
		       "also the shared libraries that the program starts with"),
	RAROG_OPT_FLAG(
		0, "args", struct arguments, args,
		"list which arguments and results rarog collect can capture with calls, which it "
		"cannot, and why"),
	RAROG_OPT_GROUP("Output"),
	RAROG_OPT_DURATION(0, "call-cost", struct arguments, call_ns, "TIME",
			   "predict with this cost of tracing a call (default: 25ns)"),
	RAROG_OPT_FLAG(0, "json", struct arguments, json, "write JSON"),
	RAROG_OPT_FLAG(0, "csv", struct arguments, csv, "write the table as CSV"),
	RAROG_OPT_END,
};

/* What is shown of each binary, and how. */
struct output {
	const struct arguments *arguments;
	const struct rarog_probe_view *view;
};

/* The binaries that are asked about: the first operand and, with --libs, what it is linked with. */
static int find_binaries(const struct arguments *arguments, const char *path,
			 struct rarog_libraries *paths)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	rarog_cleanup(rarog_freep) char *first = strdup(path);
	int r = first ? rarog_vec_push(paths, first) : rarog_oom();

	if (r < 0)
		return r;
	first = NULL; /* in the list now */
	if (!arguments->libs)
		return 0;
	r = rarog_binary_open(path, &binary);
	return r < 0 ? r : rarog_libraries_find(binary, paths);
}

static int show_binary(const struct output *o, const char *path, struct rarog_match *match,
		       struct rarog_json *json)
{
	rarog_cleanup(rarog_probe_list_release) struct rarog_probe_list list = { 0 };
	int r = rarog_probe_list_read(path, match, &list);

	if (r < 0)
		return r;
	list.with_arguments = o->arguments->args;
	if (!json)
		return rarog_probe_list_print(o->view, &list, stdout);
	rarog_probe_list_json(json, &list);
	return 0;
}

static int show_all(const struct output *o, const struct rarog_libraries *paths,
		    struct rarog_match *match, struct rarog_json *json)
{
	int r = 0;

	for (size_t i = 0; i < paths->n && r == 0; i++) {
		if (i > 0 && !json && !o->arguments->csv)
			putchar('\n');
		r = show_binary(o, paths->v[i], match, json);
	}
	const char *unused = r == 0 ? rarog_match_unused(match) : NULL;

	if (unused)
		return rarog_fail(-ENOENT, "no function of %s matches '%s'; see rarog probes --all",
				  paths->v[0], unused);
	return r;
}

static int show_json(const struct output *o, const struct rarog_libraries *paths,
		     struct rarog_match *match)
{
	struct rarog_json json;

	rarog_json_start_object(&json, stdout);
	rarog_json_uint(&json, "call_cost_ns", o->arguments->call_ns);
	rarog_json_array(&json, "binaries");
	int r = show_all(o, paths, match, &json);

	if (r < 0)
		return r;
	return rarog_json_finish(&json);
}

static int read_patterns(const struct arguments *arguments, struct rarog_match *match)
{
	int r = 0;

	for (size_t i = 0; i < arguments->func.n && r == 0; i++)
		r = rarog_match_include(match, arguments->func.v[i]);
	for (size_t i = 0; i < arguments->exclude.n && r == 0; i++)
		r = rarog_match_exclude(match, arguments->exclude.v[i]);
	return r == -EINVAL ? rarog_usage_error(r) : r;
}

static int show(const struct rarog_context *context, const struct arguments *arguments,
		const char *path)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(rarog_libraries_release) struct rarog_libraries paths = { 0 };
	rarog_cleanup(rarog_freep) char *directory = getcwd(NULL, 0);
	const struct rarog_probe_view view = {
		.directory = directory,
		.is_full = arguments->all || arguments->func.n > 0 || arguments->csv,
		.is_csv = arguments->csv,
		.call_ns = arguments->call_ns,
		.width = context->width,
		.colour = context->colour,
	};
	const struct output o = { arguments, &view };
	int r = read_patterns(arguments, &match);

	if (r == 0)
		r = find_binaries(arguments, path, &paths);
	if (r < 0)
		return r;
	return arguments->json ? show_json(&o, &paths, &match) : show_all(&o, &paths, &match, NULL);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct arguments arguments = { .call_ns = DEFAULT_CALL_NS };
	int first = rarog_options_parse(options, argc, argv, false, &arguments);
	int r = first < 0 ? rarog_usage_error(first) : 0;

	if (r == 0 && argc - first != 1)
		r = rarog_usage_error(
			rarog_fail(-EINVAL, "give one program or shared library to look at"));
	if (r == 0)
		r = show(context, &arguments, argv[first]);
	rarog_options_release(options, &arguments);
	return r;
}

const struct rarog_command rarog_cmd_probes = {
	.name = "probes",
	.summary = "list what can be traced in a binary, what cannot, and why",
	.usage = "[OPTION…] BINARY",
	.description =
		"Reads a program or shared library without running it and lists its functions with "
		"address, size and source line. A function can be traced if its entry can be "
		"replaced by a jump without changing what the program does; for other functions "
		"the reason is given. Functions that exist only inlined into others have no entry "
		"at all: they are listed with the place of their first call.",
	.examples = "  rarog probes ./prog\n"
		    "  rarog probes ./prog --func 'parse_*'    can these be traced? if not, why?\n"
		    "  rarog probes ./prog --args --func parse   what of its arguments?\n"
		    "  rarog probes ./prog --all --libs --json\n",
	.options = options,
	.run = run,
};
