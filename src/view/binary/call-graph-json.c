/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json-writer.h"
#include "view/binary/call-graph.h"

static const char *const kinds[] = {
	[RAROG_CALLEE_FUNCTION] = "function",
	[RAROG_CALLEE_IMPORT] = "import",
	[RAROG_CALLEE_POINTER] = "pointer",
};

static const struct {
	uint8_t flag;
	const char *key;
} flags[] = {
	{ RAROG_CALLEE_TAKEN, "address_taken" }, { RAROG_CALLEE_EXPORTED, "exported" },
	{ RAROG_CALLEE_NEVER, "never_returns" }, { RAROG_CALLEE_RECURSIVE, "recursive" },
	{ RAROG_CALLEE_UNREAD, "unread" },
};

static void write_level(struct rarog_json *json, uint32_t level)
{
	if (level == RAROG_LEVEL_NONE)
		rarog_json_null(json, "level");
	else
		rarog_json_uint(json, "level", level);
}

static void write_roots(struct rarog_json *json, uint16_t roots)
{
	rarog_json_array(json, "roots");
	for (unsigned i = 0; i < RAROG_ROOTS; i++)
		if (roots >> i & 1)
			rarog_json_string(json, NULL, rarog_call_root_names[i]);
	rarog_json_end_array(json);
}

static void write_code(struct rarog_json *json, const struct rarog_callee *callee)
{
	if (callee->kind != RAROG_CALLEE_FUNCTION)
		return;
	rarog_json_uint(json, "file", callee->file);
	rarog_json_uint(json, "address", callee->address);
	rarog_json_uint(json, "size_bytes", callee->size);
	rarog_json_string(json, "cost", rarog_call_cost(callee));
	write_roots(json, callee->roots);
	for (size_t i = 0; i < RAROG_COUNT(flags); i++)
		rarog_json_bool(json, flags[i].key, callee->flags & flags[i].flag);
}

static void write_callee(struct rarog_json *json, const struct rarog_call_view *view, uint32_t i)
{
	const struct rarog_callee *callee = &view->graph->callees.v[i];
	const struct rarog_call_facts *facts = view->facts;

	rarog_json_object(json, NULL);
	rarog_json_uint(json, "id", i);
	rarog_json_string(json, "name", callee->name);
	rarog_json_string(json, "kind", kinds[callee->kind]);
	write_level(json, facts->level[i]);
	rarog_json_uint(json, "component", facts->components.of[i]);
	rarog_json_uint(json, "reaches", facts->reached[i]);
	rarog_json_bool(json, "bottom", facts->is_bottom[i]);
	rarog_json_bool(json, "top", facts->is_top[i]);
	write_code(json, callee);
	rarog_json_end_object(json);
}

static void write_edge(struct rarog_json *json, const struct rarog_call_view *view,
		       const struct rarog_call_edge *edge)
{
	rarog_json_object(json, NULL);
	rarog_json_uint(json, "caller", edge->from);
	rarog_json_uint(json, "callee", edge->to);
	rarog_json_string(json, "kind", rarog_call_kind_names[edge->kind]);
	rarog_json_string(json, "strength", edge->is_sure ? "sure" : "possible");
	rarog_json_array(json, "sites");
	for (uint32_t i = 0; i < edge->n_sites; i++)
		rarog_json_uint(json, NULL, view->graph->sites.v[edge->first_site + i]);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

static bool is_shown(const struct rarog_call_view *view, uint32_t callee)
{
	return !view->is_shown || view->is_shown[callee];
}

static void write_edges(struct rarog_json *json, const struct rarog_call_view *view)
{
	rarog_json_array(json, "edges");
	for (size_t i = 0; i < view->graph->edges.n; i++) {
		const struct rarog_call_edge *edge = &view->graph->edges.v[i];

		if ((edge->is_sure || !view->sure) && is_shown(view, edge->from) &&
		    is_shown(view, edge->to))
			write_edge(json, view, edge);
	}
	rarog_json_end_array(json);
}

static void write_tables(struct rarog_json *json, const struct rarog_call_view *view)
{
	rarog_json_array(json, "jump_tables");
	for (size_t i = 0; i < view->graph->tables.n; i++) {
		const struct rarog_call_table *table = &view->graph->tables.v[i];

		if (!is_shown(view, table->callee))
			continue;
		rarog_json_object(json, NULL);
		rarog_json_uint(json, "function", table->callee);
		rarog_json_uint(json, "jump", table->jump);
		rarog_json_uint(json, "address", table->address);
		rarog_json_uint(json, "entries", table->entries);
		rarog_json_uint(json, "entry_bytes", table->entry_bytes);
		rarog_json_bool(json, "bounded", table->is_bounded);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

int rarog_call_graph_json(const struct rarog_call_view *view, FILE *out)
{
	struct rarog_json json;

	rarog_json_start_object(&json, out);
	rarog_json_array(&json, "files");
	for (size_t i = 0; i < view->graph->files.n; i++) {
		rarog_json_object(&json, NULL);
		rarog_json_string(&json, "path", view->graph->files.v[i].path);
		rarog_json_string(&json, "build_id", view->graph->files.v[i].build_id);
		rarog_json_end_object(&json);
	}
	rarog_json_end_array(&json);
	rarog_json_array(&json, "functions");
	for (uint32_t i = 0; i < view->graph->callees.n; i++)
		if (is_shown(view, i))
			write_callee(&json, view, i);
	rarog_json_end_array(&json);
	write_edges(&json, view);
	write_tables(&json, view);
	return rarog_json_finish(&json);
}
