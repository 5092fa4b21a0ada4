/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/error.h"
#include "view/html/columns.h"
#include "view/html/pair-data.h"
#include "view/joined-blocks.h"

#define MOST_BLOCKS 400000 /* of all graphs of a comparison */

struct writing {
	const struct rarog_comparison *c;
	struct rarog_json *json;
	struct rarog_joined_sides sides;
	bool *is_done;         /* by row */
	size_t *first_line[2]; /* of the tally's, by block, and their end */
	size_t n_blocks;       /* that were written */
	size_t left_out;       /* functions for which there was no room */
};

static void writing_release(struct writing *w)
{
	rarog_joined_sides_release(&w->sides);
	free(w->first_line[0]);
	free(w->first_line[1]);
	free(w->is_done);
}

/* They stand in the order of their blocks. */
static int index_lines(struct writing *w, size_t side)
{
	const struct rarog_tally *tally = &w->sides.tallies[side];
	size_t at = 0, *first = calloc(tally->n_blocks + 1, sizeof(*first));

	w->first_line[side] = first;
	if (!first)
		return rarog_oom();
	for (size_t block = 0; block <= tally->n_blocks; block++) {
		while (at < tally->n_lines && tally->lines[at].block < block)
			at++;
		first[block] = at;
	}
	return 0;
}

static int read_sides(struct writing *w)
{
	int r = rarog_joined_sides_read(w->c, &w->sides);

	w->is_done = calloc(w->c->n + 1, sizeof(*w->is_done));
	if (r == 0 && !w->is_done)
		r = rarog_oom();
	for (size_t side = 0; r == 0 && side < 2; side++)
		r = index_lines(w, side);
	return r;
}

/* --- writing --- */

/* Its number, size, count, line and column; number -1: this version has none. */
static void write_side(struct rarog_json *json, const struct rarog_joined_graph *graph, size_t node,
		       size_t side)
{
	const struct rarog_block_count *block = rarog_joined_block_of(graph, node, side);

	rarog_html_index(json, graph->nodes.v[node].block[side]);
	rarog_json_uint(json, NULL, block ? block->instructions : 0);
	rarog_json_uint(json, NULL, block ? block->count : 0);
	rarog_json_uint(json, NULL, block ? block->line : 0);
	rarog_json_uint(json, NULL, block ? block->column : 0);
}

static void write_node(struct rarog_json *json, const struct rarog_joined_graph *graph, size_t node)
{
	rarog_json_array(json, NULL);
	for (size_t side = 0; side < 2; side++)
		write_side(json, graph, node, side);
	rarog_json_end_array(json);
}

/* Both ends, count before and now; -1: that version has none, null: not known. */
static void write_way(struct rarog_json *json, const struct rarog_joined_way *way)
{
	rarog_json_array(json, NULL);
	rarog_json_uint(json, NULL, way->from);
	rarog_json_uint(json, NULL, way->to);
	for (size_t side = 0; side < 2; side++) {
		if (!way->is_there[side])
			rarog_json_int(json, NULL, -1);
		else if (way->is_unknown[side])
			rarog_json_null(json, NULL);
		else
			rarog_json_uint(json, NULL, way->count[side]);
	}
	rarog_json_end_array(json);
}

/* Node, side (0 before, 1 now), and what lines the block has besides the one it begins on. */
static void write_lines(const struct writing *w, const struct rarog_joined_graph *graph,
			size_t node, size_t side)
{
	const uint32_t number = graph->nodes.v[node].block[side];
	struct rarog_json *json = w->json;

	if (number == RAROG_NONE)
		return;
	size_t block = (size_t)graph->of[side]->first + number;
	size_t first = w->first_line[side][block], end = w->first_line[side][block + 1];

	if (first == end)
		return;
	rarog_json_array(json, NULL);
	rarog_json_uint(json, NULL, node);
	rarog_json_uint(json, NULL, side);
	for (size_t i = first; i < end; i++)
		rarog_json_uint(json, NULL, graph->tallies[side]->lines[i].line);
	rarog_json_end_array(json);
}

static void write_graph(const struct writing *w, const struct rarog_joined_graph *graph, size_t row)
{
	struct rarog_json *json = w->json;

	rarog_json_object(json, NULL);
	rarog_json_uint(json, "row", row);
	RAROG_COLUMN(json, "blocks", graph->nodes.n, i, write_node(json, graph, i));
	RAROG_COLUMN(json, "lines", graph->nodes.n * 2, i, write_lines(w, graph, i / 2, i % 2));
	RAROG_COLUMN(json, "ways", graph->ways.n, i, write_way(json, &graph->ways.v[i]));
	rarog_json_end_object(json);
}

static uint32_t blocks_of(const struct writing *w, size_t row, size_t side)
{
	return w->sides.of[side][row] ? w->sides.of[side][row]->n : 0;
}

static int write_joined(struct writing *w, size_t row)
{
	rarog_cleanup(rarog_joined_graph_release) struct rarog_joined_graph graph = { 0 };
	int r;

	if ((size_t)blocks_of(w, row, 0) + blocks_of(w, row, 1) > MOST_BLOCKS - w->n_blocks) {
		w->left_out++;
		return 0;
	}
	r = rarog_joined_graph_make(&w->sides, row, &graph);
	if (r < 0)
		return r;
	w->n_blocks += graph.nodes.n;
	write_graph(w, &graph, row);
	return 0;
}

/* Of functions that ran in either version. Rows of several functions have no one graph. */
static int write_row(struct writing *w, size_t row)
{
	if (w->is_done[row])
		return 0;
	w->is_done[row] = true;
	return rarog_joined_has_run(&w->sides, row) ? write_joined(w, row) : 0;
}

/* What changed first, as rarog check has it: if there is not room for all, it is not these that
 * are left out. */
static int write_rows(struct writing *w, const struct rarog_verdict *verdict)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < verdict->changes.n; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];

		if (change->metric == &rarog_metric_instructions && change->row < w->c->n)
			r = write_row(w, change->row);
	}
	for (size_t row = 0; r == 0 && row < w->c->n; row++)
		r = write_row(w, row);
	return r;
}

int rarog_pair_blocks_write(const struct rarog_check *check, struct rarog_json *json)
{
	const struct rarog_comparison *c = &check->comparison;
	rarog_cleanup(writing_release) struct writing w = { .c = c, .json = json };
	int r = 0;

	rarog_json_array(json, "graphs");
	if (c->has_blocks)
		r = read_sides(&w);
	if (r == 0 && c->has_blocks)
		r = write_rows(&w, &check->verdict);
	if (r < 0)
		return r;
	rarog_json_end_array(json);
	rarog_json_uint(json, "graphs_left_out", w.left_out);
	return 0;
}
