/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a binary's machine code says about it without being run: which function calls which, and how
 * control goes through a function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/commands.h"
#include "cmd/project-graph.h"
#include "view/binary/call-graph.h"
#include "view/binary/flow.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_SVG };

static const char *const level_rules[] = { "longest", "estimated", NULL };

struct arguments {
	bool json, svg, libs, parts, sure;
	int levels; /* enum rarog_level_rule */
	long depth;
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("callgraph"),
	RAROG_OPT_FLAG('l', "libs", struct arguments, libs,
		       "also the shared libraries that the program starts with"),
	RAROG_OPT_FLAG(0, "sure", struct arguments, sure,
		       "only edges that are sure: without calls that pointers may make"),
	RAROG_OPT_FLAG(0, "parts", struct arguments, parts,
		       "show .cold parts and clones as functions of their own, not as parts of "
		       "their origin"),
	RAROG_OPT_CHOICE(0, "levels", struct arguments, levels, "RULE", level_rules,
			 "how levels are counted: longest path from where the program begins, with "
			 "each circle counted once; or estimated as Perun does (default: longest)"),
	RAROG_OPT_INT('d', "depth", struct arguments, depth, "N", 1, 1000,
		      "with FUNC and --svg or --json: functions up to N calls away from FUNC "
		      "(default: 2)"),
	RAROG_OPT_GROUP("Output"),
	RAROG_OPT_FLAG(0, "json", struct arguments, json, "write JSON"),
	RAROG_OPT_FLAG(0, "svg", struct arguments, svg, "write a picture"),
	RAROG_OPT_END,
};

static enum format format_of(const struct arguments *arguments)
{
	if (arguments->svg)
		return FORMAT_SVG;
	return arguments->json ? FORMAT_JSON : FORMAT_TEXT;
}

static int read_graph(const struct rarog_context *context, const struct arguments *arguments,
		      const char *path, struct rarog_call_graph *ret_graph)
{
	const struct rarog_call_wanted wanted = {
		.path = path,
		.libs = arguments->libs,
		.options = { .keep_parts = arguments->parts },
	};

	return rarog_call_graph_kept(context, &wanted, ret_graph);
}

/* By name; the first of several, in the order of addresses. */
static int find_function(const struct rarog_call_graph *graph, const char *name, long *ret_function)
{
	for (uint32_t i = 0; i < graph->callees.n; i++) {
		if (strcmp(graph->callees.v[i].name, name) == 0) {
			*ret_function = i;
			return 0;
		}
	}
	return rarog_fail(-ENOENT, "%s: no function '%s'; see rarog binary callgraph %s",
			  graph->files.v[0].path, name, graph->files.v[0].path);
}

/* --- callgraph --- */

/* Marks what is one step further away; what pointers lead to is not near. */
static void spread(const struct rarog_call_graph *graph, bool sure, bool near[])
{
	uint32_t pointer = rarog_call_graph_pointer(graph);
	bool *is_new = calloc(graph->callees.n, sizeof(*is_new));

	for (size_t i = 0; is_new && i < graph->edges.n; i++) {
		const struct rarog_call_edge *edge = &graph->edges.v[i];

		if (sure && !edge->is_sure)
			continue;
		is_new[edge->to] |= near[edge->from] && edge->from != pointer;
		is_new[edge->from] |= near[edge->to] && edge->to != pointer;
	}
	for (size_t i = 0; is_new && i < graph->callees.n; i++)
		near[i] |= is_new[i];
	free(is_new);
}

static int show_graph(const struct rarog_call_view *view, enum format format)
{
	static int (*const writers[])(const struct rarog_call_view *, FILE *) = {
		[FORMAT_TEXT] = rarog_call_graph_print,
		[FORMAT_JSON] = rarog_call_graph_json,
		[FORMAT_SVG] = rarog_call_graph_svg,
	};

	return writers[format](view, stdout);
}

static int show_near(const struct arguments *arguments, struct rarog_call_view *view)
{
	bool *near = calloc(view->graph->callees.n, sizeof(*near));
	int r;

	if (!near)
		return rarog_oom();
	near[view->function] = true;
	for (long i = 0; i < arguments->depth; i++)
		spread(view->graph, arguments->sure, near);
	view->is_shown = near;
	r = show_graph(view, format_of(arguments));
	free(near);
	return r;
}

static int run_callgraph(const struct rarog_context *context, const struct arguments *arguments,
			 const char *function, const char *path)
{
	rarog_cleanup(rarog_call_graph_release) struct rarog_call_graph graph = { 0 };
	rarog_cleanup(rarog_call_facts_release) struct rarog_call_facts facts = { 0 };
	struct rarog_call_view view = { .graph = &graph,
					.facts = &facts,
					.sure = arguments->sure,
					.function = -1,
					.width = context->width,
					.colour = context->colour };
	int r = read_graph(context, arguments, path, &graph);

	if (r == 0 && function)
		r = find_function(&graph, function, &view.function);
	if (r == 0)
		r = rarog_call_facts_find(&graph, arguments->sure,
					  (enum rarog_level_rule)arguments->levels, &facts);
	if (r < 0)
		return r;
	return function && format_of(arguments) != FORMAT_TEXT
		       ? show_near(arguments, &view)
		       : show_graph(&view, format_of(arguments));
}

/* --- cfg --- */

static int run_flow(const struct rarog_context *context, const struct arguments *arguments,
		    const char *function, const char *path)
{
	static int (*const writers[])(const struct rarog_flow_view *, FILE *) = {
		[FORMAT_TEXT] = rarog_flow_print,
		[FORMAT_JSON] = rarog_flow_json,
		[FORMAT_SVG] = rarog_flow_svg,
	};
	rarog_cleanup(rarog_flow_view_release) struct rarog_flow_view view = { 0 };
	int r;

	if (!function)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "give a function and one program or shared library"));
	r = rarog_flow_view_read(path, function, &view);
	view.width = context->width;
	view.colour = context->colour;
	return r < 0 ? r : writers[format_of(arguments)](&view, stdout);
}

/* --- the words --- */

static const struct {
	const char *name;
	int (*run)(const struct rarog_context *context, const struct arguments *arguments,
		   const char *function, const char *path);
} words[] = {
	{ "callgraph", run_callgraph },
	{ "cfg", run_flow },
};

static int run_word(const struct rarog_context *context, const struct arguments *arguments, int n,
		    char *const operands[])
{
	for (size_t i = 0; n > 0 && i < RAROG_COUNT(words); i++) {
		if (strcmp(operands[0], words[i].name) != 0)
			continue;
		if (n < 2 || n > 3)
			return rarog_usage_error(rarog_fail(
				-EINVAL,
				"give one program or shared library, before it a function"));
		return words[i].run(context, arguments, n == 3 ? operands[1] : NULL,
				    operands[n - 1]);
	}
	return rarog_usage_error(
		rarog_fail(-EINVAL, "say what to show of a binary: callgraph or cfg"));
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct arguments arguments = { .depth = 2 };
	int first = rarog_options_parse(options, argc, argv, false, &arguments);
	int r = first < 0 ? rarog_usage_error(first) : 0;

	if (r == 0 && arguments.json && arguments.svg)
		r = rarog_usage_error(rarog_fail(-EINVAL, "give one of --json and --svg"));
	if (r == 0)
		r = run_word(context, &arguments, argc - first, argv + first);
	rarog_options_release(options, &arguments);
	return r;
}

const struct rarog_command rarog_cmd_binary = {
	.name = "binary",
	.summary = "show which functions of a binary call which, and the blocks of a function",
	.usage = "callgraph [FUNC] BINARY\n       rarog binary [OPTION…] cfg FUNC BINARY",
	.description =
		"Reads the machine code of a program or shared library without running it.\n\n"
		"callgraph lists the functions with their levels. A level says how far the "
		"function is from where the program begins. With FUNC it says which functions call "
		"FUNC and which FUNC calls. An edge is sure if the code calls just that function; "
		"it is possible if a pointer may lead there, or if another file may put its own "
		"function in the place.\n\n"
		"cfg shows the basic blocks of FUNC and where each may go on. Jumps through tables "
		"lead where their entries lead.\n\n"
		"In a project the call graph of a binary is kept in the store.",
	.examples = "  rarog binary callgraph ./prog\n"
		    "  rarog binary callgraph parse ./prog     its callers and callees\n"
		    "  rarog binary callgraph --libs --json ./prog\n"
		    "  rarog binary callgraph --svg parse ./prog > near.svg\n"
		    "  rarog binary cfg --svg parse ./prog > blocks.svg\n",
	.options = options,
	.run = run,
};
