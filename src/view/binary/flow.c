/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/binary/flow.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/str.h"
#include "base/table.h"
#include "view/binary/layers.h"

/* --- reading --- */

static long find_named(const struct rarog_binary *binary, const char *name)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);

	for (size_t i = 0; i < n; i++)
		if (rarog_function_is_named(&functions[i], name))
			return (long)i;
	return rarog_fail(-ENOENT, "%s: no function '%s'; see rarog probes --all %s",
			  rarog_binary_path(binary), name, rarog_binary_path(binary));
}

static int read_graph(struct rarog_flow_view *view, size_t number)
{
	rarog_cleanup(rarog_code_graphs_freep) struct rarog_code_graphs *graphs = NULL;
	rarog_cleanup(rarog_filled_words_release) struct rarog_filled_words words = { 0 };
	int r = rarog_code_graphs_new(view->binary, &graphs);

	if (r == 0)
		r = rarog_filled_words_read(view->binary, &words);
	if (r < 0)
		return r;
	r = rarog_code_graphs_read(graphs, number, false, &view->graph);
	if (r == -ENOTSUP)
		return rarog_fail(r, "%s: not all bytes of '%s' are instructions",
				  rarog_binary_path(view->binary), view->function->name);
	return r < 0 ? r
		     : rarog_flow_tables_follow(graphs, &words, number, &view->graph,
						&view->tables);
}

int rarog_flow_view_read(const char *path, const char *name, struct rarog_flow_view *ret_view)
{
	const struct rarog_function *functions;
	long number;
	int r;

	*ret_view = (struct rarog_flow_view){ 0 };
	r = rarog_binary_open(path, &ret_view->binary);
	if (r < 0)
		return r;
	number = find_named(ret_view->binary, name);
	if (number < 0)
		return (int)number;
	rarog_binary_functions(ret_view->binary, &functions);
	ret_view->function = &functions[number];
	return read_graph(ret_view, (size_t)number);
}

void rarog_flow_view_release(struct rarog_flow_view *view)
{
	rarog_code_graph_release(&view->graph);
	rarog_flow_tables_release(&view->tables);
	rarog_binary_free(view->binary);
}

/* --- what both show --- */

/* The last one, where jumps through unknown tables meet, is there only if there are any. */
static size_t blocks_shown(const struct rarog_code_graph *graph)
{
	for (size_t i = 0; i < graph->edges.n; i++)
		if (graph->edges.v[i].to == graph->blocks.n - 1)
			return graph->blocks.n;
	return graph->blocks.n - 1;
}

static int add_ways(const struct rarog_code_graph *graph, uint32_t block, struct rarog_str *text)
{
	int r = 0;

	rarog_str_clear(text);
	for (size_t i = 0; r == 0 && i < graph->edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &graph->edges.v[i];

		if (edge->from != block)
			continue;
		r = edge->to == RAROG_GRAPH_OUTSIDE
			    ? rarog_str_addf(text, "%sout", text->length ? " " : "")
			    : rarog_str_addf(text, "%s%" PRIu32, text->length ? " " : "", edge->to);
	}
	return r;
}

/* --- text --- */

static const struct rarog_column columns[] = {
	{ .title = "Block", .is_right = true },
	{ .title = "Address", .is_right = true },
	{ .title = "Bytes", .is_right = true },
	{ .title = "Instructions", .is_right = true },
	{ .title = "Goes on to" },
};

static int add_block(const struct rarog_flow_view *view, uint32_t i, struct rarog_table *table,
		     struct rarog_str *ways)
{
	const struct rarog_code_graph_block *block = &view->graph.blocks.v[i];
	char number[16], address[24], size[16], instructions[16];
	int r = add_ways(&view->graph, i, ways);
	const struct rarog_cell cells[] = {
		{ .text = number },
		{ .text = block->instructions ? address : "" },
		{ .text = block->instructions ? size : "" },
		{ .text = block->instructions ? instructions : "" },
		{ .text = ways->length ? rarog_str_text(ways) : "(ends)" },
	};

	snprintf(number, sizeof(number), "%" PRIu32, i);
	snprintf(address, sizeof(address), "%" PRIx64, block->address);
	snprintf(size, sizeof(size), "%" PRIu32, block->size);
	snprintf(instructions, sizeof(instructions), "%" PRIu32, block->instructions);
	return r < 0 ? r : rarog_table_add(table, cells);
}

static void print_tables(const struct rarog_flow_view *view, FILE *out)
{
	for (size_t i = 0; i < view->tables.list.n; i++) {
		const struct rarog_jump_table *table = &view->tables.list.v[i];

		fprintf(out,
			"%sThe jump at %" PRIx64 " has a table of %" PRIu32 " at %" PRIx64 "%s.\n",
			i == 0 ? "\n" : "", table->jump, table->entries, table->address,
			table->is_bounded ? "" : "; nothing says how long it is");
	}
	if (view->tables.n_unknown > 0)
		fprintf(out, "%s%" PRIu32 " other jumps lead where registers say.\n",
			view->tables.list.n == 0 ? "\n" : "", view->tables.n_unknown);
}

int rarog_flow_print(const struct rarog_flow_view *view, FILE *out)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	rarog_cleanup(rarog_str_release) struct rarog_str ways = { 0 };
	size_t n = blocks_shown(&view->graph);
	int r = table ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < n; i++)
		r = add_block(view, i, table, &ways);
	if (r < 0)
		return r == -ENOMEM ? rarog_oom() : r;
	fprintf(out, "%s: %zu blocks\n\n", view->function->name, n);
	rarog_table_print(table, out, view->width, view->colour);
	print_tables(view, out);
	return 0;
}

/* --- JSON --- */

static void write_end(struct rarog_json *json, const char *key, uint32_t block)
{
	if (block == RAROG_GRAPH_OUTSIDE)
		rarog_json_null(json, key);
	else
		rarog_json_uint(json, key, block);
}

static void write_blocks(struct rarog_json *json, const struct rarog_flow_view *view)
{
	rarog_json_array(json, "blocks");
	for (size_t i = 0; i < blocks_shown(&view->graph); i++) {
		const struct rarog_code_graph_block *block = &view->graph.blocks.v[i];

		rarog_json_object(json, NULL);
		rarog_json_uint(json, "id", i);
		rarog_json_uint(json, "address", block->address);
		rarog_json_uint(json, "size_bytes", block->size);
		rarog_json_uint(json, "instructions", block->instructions);
		rarog_json_bool(json, "ends", block->is_end);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	rarog_json_array(json, "edges");
	for (size_t i = 0; i < view->graph.edges.n; i++) {
		rarog_json_object(json, NULL);
		write_end(json, "from", view->graph.edges.v[i].from);
		write_end(json, "to", view->graph.edges.v[i].to);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static void write_tables(struct rarog_json *json, const struct rarog_flow_view *view)
{
	rarog_json_array(json, "jump_tables");
	for (size_t i = 0; i < view->tables.list.n; i++) {
		const struct rarog_jump_table *table = &view->tables.list.v[i];

		rarog_json_object(json, NULL);
		rarog_json_uint(json, "jump", table->jump);
		rarog_json_uint(json, "address", table->address);
		rarog_json_uint(json, "entries", table->entries);
		rarog_json_uint(json, "entry_bytes", table->entry_bytes);
		rarog_json_bool(json, "bounded", table->is_bounded);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

int rarog_flow_json(const struct rarog_flow_view *view, FILE *out)
{
	struct rarog_json json;

	rarog_json_start_object(&json, out);
	rarog_json_string(&json, "path", rarog_binary_path(view->binary));
	rarog_json_string(&json, "function", view->function->name);
	rarog_json_uint(&json, "address", view->function->address);
	write_blocks(&json, view);
	write_tables(&json, view);
	return rarog_json_finish(&json);
}

/* --- SVG --- */

struct picture {
	struct rarog_layered_node *nodes;
	struct rarog_layered_edge *edges;
	char (*texts)[48];
	size_t n_nodes, n_edges;
};

static void add_blocks(const struct rarog_flow_view *view, struct picture *p)
{
	for (size_t i = 0; i < blocks_shown(&view->graph); i++) {
		const struct rarog_code_graph_block *block = &view->graph.blocks.v[i];

		if (block->instructions)
			snprintf(p->texts[i], sizeof(p->texts[i]), "%zu  %" PRIx64 "  %" PRIu32, i,
				 block->address, block->instructions);
		else
			snprintf(p->texts[i], sizeof(p->texts[i]), "%zu  jumps", i);
		p->nodes[p->n_nodes++] =
			(struct rarog_layered_node){ .text = p->texts[i], .is_marked = i == 0 };
	}
	for (size_t i = 0; i < view->graph.edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &view->graph.edges.v[i];

		if (edge->from < p->n_nodes && edge->to < p->n_nodes)
			p->edges[p->n_edges++] =
				(struct rarog_layered_edge){ edge->from, edge->to, false };
	}
}

int rarog_flow_svg(const struct rarog_flow_view *view, FILE *out)
{
	size_t n = view->graph.blocks.n;
	struct picture p = {
		.nodes = calloc(n + 1, sizeof(*p.nodes)),
		.edges = calloc(view->graph.edges.n + 1, sizeof(*p.edges)),
		.texts = calloc(n + 1, sizeof(*p.texts)),
	};
	int r = -ENOMEM;

	if (p.nodes && p.edges && p.texts) {
		add_blocks(view, &p);
		r = rarog_layers_assign(p.n_nodes, p.nodes, p.n_edges, p.edges);
	}
	if (r == 0)
		r = rarog_layers_draw(out, view->function->name, p.n_nodes, p.nodes, p.n_edges,
				      p.edges);
	free(p.nodes);
	free(p.edges);
	free(p.texts);
	return r < 0 ? rarog_oom() : 0;
}
