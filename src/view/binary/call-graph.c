/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/binary/call-graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/table.h"

const char *rarog_call_cost(const struct rarog_callee *callee)
{
	if (callee->kind != RAROG_CALLEE_FUNCTION)
		return "";
	if (callee->flags & RAROG_CALLEE_CONSTANT)
		return "constant";
	return callee->flags & RAROG_CALLEE_VARYING ? "needs bounds" : "unknown";
}

/* --- all functions --- */

static const struct rarog_column all_columns[] = {
	{ .title = "Level", .is_right = true },
	{ .title = "Function", .is_elastic = true },
	{ .title = "Callers", .is_right = true },
	{ .title = "Callees", .is_right = true },
	{ .title = "Reaches", .is_right = true },
	{ .title = "Cost" },
	{ .title = "Begins as" },
};

static const char *level_text(uint32_t level, size_t n, char text[n])
{
	if (level == RAROG_LEVEL_NONE)
		return "-";
	snprintf(text, n, "%" PRIu32, level);
	return text;
}

static int roots_text(const struct rarog_callee *callee, struct rarog_str *text)
{
	int r = 0;

	rarog_str_clear(text);
	for (unsigned i = 0; r == 0 && i < RAROG_ROOTS; i++)
		if (callee->roots >> i & 1)
			r = rarog_str_addf(text, "%s%s", text->length ? ", " : "",
					   rarog_call_root_names[i]);
	return r;
}

static int add_function(const struct rarog_call_view *view, struct rarog_table *table, uint32_t i,
			struct rarog_str *roots)
{
	const struct rarog_call_facts *facts = view->facts;
	const struct rarog_callee *callee = &view->graph->callees.v[i];
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(callee->name);
	char level[16], callers[16], callees[16], reaches[16];
	int r = roots_text(callee, roots);
	const struct rarog_cell cells[] = {
		{ .text = level_text(facts->level[i], sizeof(level), level) },
		{ .text = demangled ? demangled : callee->name },
		{ .text = callers },
		{ .text = callees },
		{ .text = reaches },
		{ .text = rarog_call_cost(callee), .style = RAROG_STYLE_DIM },
		{ .text = rarog_str_text(roots), .style = RAROG_STYLE_DIM },
	};

	snprintf(callers, sizeof(callers), "%" PRIu32, facts->in.first[i + 1] - facts->in.first[i]);
	snprintf(callees, sizeof(callees), "%" PRIu32,
		 facts->out.first[i + 1] - facts->out.first[i]);
	snprintf(reaches, sizeof(reaches), "%" PRIu32, facts->reached[i]);
	return r < 0 ? r : rarog_table_add(table, cells);
}

struct placed {
	uint32_t level, callee;
	const char *name;
};

static int by_level(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order : (x->callee > y->callee) - (x->callee < y->callee);
}

static int add_all(const struct rarog_call_view *view, struct rarog_table *table)
{
	rarog_cleanup(rarog_str_release) struct rarog_str roots = { 0 };
	struct placed *placed = calloc(view->graph->callees.n + 1, sizeof(*placed));
	size_t n = 0;
	int r = 0;

	if (!placed)
		return rarog_oom();
	for (uint32_t i = 0; i < view->graph->callees.n; i++)
		if (view->graph->callees.v[i].kind == RAROG_CALLEE_FUNCTION)
			placed[n++] = (struct placed){ view->facts->level[i], i,
						       view->graph->callees.v[i].name };
	qsort(placed, n, sizeof(*placed), by_level);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_function(view, table, placed[i].callee, &roots);
	free(placed);
	return r;
}

static void print_summary(const struct rarog_call_view *view, FILE *out)
{
	const struct rarog_call_graph *graph = view->graph;
	size_t functions = 0, sure = 0, reached = 0;
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < graph->callees.n; i++) {
		bool is_function = graph->callees.v[i].kind == RAROG_CALLEE_FUNCTION;
		bool has_level = view->facts->level[i] != RAROG_LEVEL_NONE;

		functions += is_function;
		reached += is_function && has_level;
		if (has_level && view->facts->level[i] > deepest)
			deepest = view->facts->level[i];
	}
	for (size_t i = 0; i < graph->edges.n; i++)
		sure += graph->edges.v[i].is_sure;
	fprintf(out,
		"%s: %zu functions, %zu of them reached; %zu sure and %zu possible edges, "
		"%zu jump tables, levels 0 to %" PRIu32 "\n\n",
		graph->files.v[0].path, functions, reached, sure, graph->edges.n - sure,
		graph->tables.n, deepest);
}

static int print_all(const struct rarog_call_view *view, FILE *out)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(all_columns), all_columns);
	int r = table ? add_all(view, table) : -ENOMEM;

	if (r < 0)
		return r;
	print_summary(view, out);
	rarog_table_print(table, out, view->width, view->colour);
	return 0;
}

/* --- one function --- */

static const struct rarog_column edge_columns[] = {
	{ .title = "Function", .is_elastic = true },
	{ .title = "How" },
	{ .title = "Strength" },
	{ .title = "Called at" },
};

#define SITES_SHOWN 4

static int sites_text(const struct rarog_call_view *view, const struct rarog_call_edge *edge,
		      struct rarog_str *text)
{
	int r = 0;

	rarog_str_clear(text);
	for (uint32_t i = 0; r == 0 && i < edge->n_sites && i < SITES_SHOWN; i++)
		r = rarog_str_addf(text, "%s%" PRIx64, i ? " " : "",
				   view->graph->sites.v[edge->first_site + i]);
	if (r == 0 && edge->n_sites > SITES_SHOWN)
		r = rarog_str_addf(text, " and %" PRIu32 " more", edge->n_sites - SITES_SHOWN);
	return r;
}

static int add_edges(const struct rarog_call_view *view, bool callers, struct rarog_table *table)
{
	rarog_cleanup(rarog_str_release) struct rarog_str sites = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < view->graph->edges.n; i++) {
		const struct rarog_call_edge *edge = &view->graph->edges.v[i];
		uint32_t own = callers ? edge->to : edge->from;
		uint32_t other = callers ? edge->from : edge->to;

		if (own != (uint32_t)view->function || (view->sure && !edge->is_sure))
			continue;
		const char *name = view->graph->callees.v[other].name;
		rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(name);

		r = sites_text(view, edge, &sites);
		const struct rarog_cell cells[] = {
			{ .text = demangled ? demangled : name },
			{ .text = rarog_call_kind_names[edge->kind] },
			{ .text = edge->is_sure ? "sure" : "possible" },
			{ .text = rarog_str_text(&sites), .style = RAROG_STYLE_DIM },
		};
		if (r == 0)
			r = rarog_table_add(table, cells);
	}
	return r;
}

static int print_edges(const struct rarog_call_view *view, bool callers, FILE *out)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(edge_columns), edge_columns);
	int r = table ? add_edges(view, callers, table) : -ENOMEM;

	if (r < 0)
		return r;
	if (rarog_table_rows(table) == 0) {
		fprintf(out, "\n%s\n", callers ? "Nothing calls it." : "It calls nothing.");
		return 0;
	}
	fprintf(out, "\n%s\n", callers ? "Called by" : "Calls");
	rarog_table_print(table, out, view->width, view->colour);
	return 0;
}

static int print_one(const struct rarog_call_view *view, FILE *out)
{
	const struct rarog_callee *callee = &view->graph->callees.v[view->function];
	uint32_t i = (uint32_t)view->function;
	rarog_cleanup(rarog_str_release) struct rarog_str roots = { 0 };
	char level[16];
	int r = roots_text(callee, &roots);

	if (r < 0)
		return r;
	fprintf(out, "%s: level %s, reaches %" PRIu32 " functions%s%s%s%s\n", callee->name,
		level_text(view->facts->level[i], sizeof(level), level), view->facts->reached[i],
		callee->kind == RAROG_CALLEE_FUNCTION ? "; cost " : "", rarog_call_cost(callee),
		callee->roots ? "; begins as " : "", rarog_str_text(&roots));
	r = print_edges(view, true, out);
	return r < 0 ? r : print_edges(view, false, out);
}

int rarog_call_graph_print(const struct rarog_call_view *view, FILE *out)
{
	return view->function >= 0 ? print_one(view, out) : print_all(view, out);
}
