/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control flow of both versions of a function as one graph, by the first run of each: a block
 * of it is one of the baseline, one of the target, or both; likewise a way. Blocks stand in the
 * order of the target, those that are gone where they were.
 */
#include <stdlib.h>

#include "base/error.h"
#include "check/block-match.h"
#include "view/html/columns.h"
#include "view/html/pair-data.h"

#define MOST_BLOCKS 400000 /* of all graphs of a comparison */

struct writing {
	const struct rarog_comparison *c;
	struct rarog_json *json;
	struct rarog_tally tallies[2];
	const struct rarog_tally_function **of[2]; /* by row; NULL: none, or several */
	bool *is_several;                          /* by row: in either version */
	bool *is_done;                             /* by row */
	size_t *first_line[2];                     /* of the tally's, by block, and their end */
	size_t n_blocks;                           /* that were written */
	size_t left_out;                           /* functions for which there was no room */
};

struct node {
	uint32_t
		block[2]; /* counted from the function's first; RAROG_NONE: this version has none */
};

struct way {
	uint32_t from, to; /* nodes */
	uint64_t count[2];
	bool is_there[2], is_unknown[2];
};

struct graph {
	const struct rarog_tally *tallies[2];
	const size_t *first_line[2];
	const struct rarog_tally_function *of[2]; /* NULL: this version has none */
	RAROG_VEC(struct node) nodes;
	RAROG_VEC(struct way) ways;
	uint32_t *node_of[2]; /* by block */
};

static void writing_release(struct writing *w)
{
	for (size_t side = 0; side < 2; side++) {
		rarog_tally_release(&w->tallies[side]);
		free(w->of[side]);
		free(w->first_line[side]);
	}
	free(w->is_several);
	free(w->is_done);
}

static void graph_release(struct graph *graph)
{
	rarog_vec_release(&graph->nodes);
	rarog_vec_release(&graph->ways);
	free(graph->node_of[0]);
	free(graph->node_of[1]);
}

/* --- functions --- */

static int index_side(struct writing *w, size_t side)
{
	const struct rarog_tally *tally = &w->tallies[side];
	const uint32_t *row_of = w->c->row_of[side][0];

	w->of[side] = calloc(w->c->n + 1, sizeof(*w->of[side]));
	if (!w->of[side])
		return rarog_oom();
	for (size_t i = 0; i < tally->n; i++) {
		uint32_t row = row_of[tally->functions[i].location];

		if (row == RAROG_NONE)
			continue;
		w->is_several[row] |= w->of[side][row] != NULL;
		w->of[side][row] = &tally->functions[i];
	}
	return 0;
}

/* They stand in the order of their blocks. */
static int index_lines(struct writing *w, size_t side)
{
	const struct rarog_tally *tally = &w->tallies[side];
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
	int r = 0;

	w->is_several = calloc(w->c->n + 1, sizeof(*w->is_several));
	w->is_done = calloc(w->c->n + 1, sizeof(*w->is_done));
	if (!w->is_several || !w->is_done)
		return rarog_oom();
	for (size_t side = 0; r == 0 && side < 2; side++) {
		r = rarog_tally_read(w->c->sides[side].runs.v[0].profile, &w->tallies[side]);
		if (r == 0)
			r = index_side(w, side);
		if (r == 0)
			r = index_lines(w, side);
	}
	return r;
}

/* --- blocks --- */

static uint32_t blocks_of(const struct graph *graph, size_t side)
{
	return graph->of[side] ? graph->of[side]->n : 0;
}

static int add_node(struct graph *graph, uint32_t before, uint32_t now)
{
	if (before != RAROG_NONE)
		graph->node_of[0][before] = (uint32_t)graph->nodes.n;
	if (now != RAROG_NONE)
		graph->node_of[1][now] = (uint32_t)graph->nodes.n;
	return rarog_vec_push(&graph->nodes, (struct node){ { before, now } }) == 0 ? 0
										    : rarog_oom();
}

/* @former: by block of the target; matches never cross (block-match.h). */
static int add_nodes(struct graph *graph, const uint32_t *former)
{
	uint32_t at = 0;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < blocks_of(graph, 1); i++) {
		for (; r == 0 && former[i] != RAROG_NONE && at < former[i]; at++)
			r = add_node(graph, at, RAROG_NONE);
		if (r == 0)
			r = add_node(graph, former[i], i);
		at += former[i] != RAROG_NONE;
	}
	for (; r == 0 && at < blocks_of(graph, 0); at++)
		r = add_node(graph, at, RAROG_NONE);
	return r;
}

static int match(const struct graph *graph, const struct rarog_row *row, uint32_t *former)
{
	const uint32_t lines[2] = { row->form[0].line, row->form[1].line };
	struct rarog_block_pairs pairs;
	int r;

	for (uint32_t i = 0; i < blocks_of(graph, 1); i++)
		former[i] = RAROG_NONE;
	if (!graph->of[0] || !graph->of[1])
		return 0;
	r = rarog_blocks_match(graph->tallies, graph->of, lines, &pairs);
	for (size_t i = 0; r == 0 && i < pairs.list.n; i++)
		if (pairs.list.v[i].block[1] != RAROG_NONE)
			former[pairs.list.v[i].block[1]] = pairs.list.v[i].block[0];
	if (r == 0)
		rarog_block_pairs_release(&pairs);
	return r;
}

static int join_blocks(struct graph *graph, const struct rarog_row *row)
{
	rarog_cleanup(rarog_freep) uint32_t *former =
		calloc((size_t)blocks_of(graph, 1) + 1, sizeof(*former));
	int r = former ? 0 : rarog_oom();

	for (size_t side = 0; r == 0 && side < 2; side++) {
		graph->node_of[side] =
			calloc((size_t)blocks_of(graph, side) + 1, sizeof(*graph->node_of[side]));
		r = graph->node_of[side] ? 0 : rarog_oom();
	}
	if (r == 0)
		r = match(graph, row, former);
	return r < 0 ? r : add_nodes(graph, former);
}

/* --- ways --- */

static int by_ends(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int add_ways(struct graph *graph, size_t side)
{
	const struct rarog_tally_function *of = graph->of[side];

	for (uint32_t i = 0; of && i < of->n_edges; i++) {
		const struct rarog_edge_count *edge =
			&graph->tallies[side]->edges[of->first_edge + i];
		struct way way = { .from = graph->node_of[side][edge->from - of->first],
				   .to = graph->node_of[side][edge->to - of->first] };

		way.count[side] = edge->count;
		way.is_there[side] = true;
		way.is_unknown[side] = edge->is_unknown;
		if (rarog_vec_push(&graph->ways, way) < 0)
			return rarog_oom();
	}
	return 0;
}

/* Those of both versions, and several of one, become one. */
static void join_ways(struct graph *graph)
{
	struct way *v = graph->ways.v;
	size_t kept = 0;

	if (graph->ways.n > 1)
		qsort(v, graph->ways.n, sizeof(*v), by_ends);
	for (size_t i = 0; i < graph->ways.n; i++) {
		if (kept == 0 || by_ends(&v[kept - 1], &v[i]) != 0) {
			v[kept++] = v[i];
			continue;
		}
		for (size_t side = 0; side < 2; side++) {
			v[kept - 1].count[side] += v[i].count[side];
			v[kept - 1].is_there[side] |= v[i].is_there[side];
			v[kept - 1].is_unknown[side] |= v[i].is_unknown[side];
		}
	}
	graph->ways.n = kept;
}

/* --- writing --- */

/* Its number, size, count, line and column; number -1: this version has none. */
static void write_side(struct rarog_json *json, const struct graph *graph, size_t side,
		       uint32_t number)
{
	const struct rarog_block_count *block =
		number == RAROG_NONE
			? NULL
			: &graph->tallies[side]->blocks[graph->of[side]->first + number];

	rarog_html_index(json, number);
	rarog_json_uint(json, NULL, block ? block->instructions : 0);
	rarog_json_uint(json, NULL, block ? block->count : 0);
	rarog_json_uint(json, NULL, block ? block->line : 0);
	rarog_json_uint(json, NULL, block ? block->column : 0);
}

static void write_node(struct rarog_json *json, const struct graph *graph, const struct node *node)
{
	rarog_json_array(json, NULL);
	for (size_t side = 0; side < 2; side++)
		write_side(json, graph, side, node->block[side]);
	rarog_json_end_array(json);
}

/* Both ends, count before and now; -1: that version has none, null: not known. */
static void write_way(struct rarog_json *json, const struct way *way)
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
static void write_lines(struct rarog_json *json, const struct graph *graph, size_t node,
			size_t side)
{
	const uint32_t number = graph->nodes.v[node].block[side];

	if (number == RAROG_NONE)
		return;
	size_t block = (size_t)graph->of[side]->first + number;
	size_t first = graph->first_line[side][block], end = graph->first_line[side][block + 1];

	if (first == end)
		return;
	rarog_json_array(json, NULL);
	rarog_json_uint(json, NULL, node);
	rarog_json_uint(json, NULL, side);
	for (size_t i = first; i < end; i++)
		rarog_json_uint(json, NULL, graph->tallies[side]->lines[i].line);
	rarog_json_end_array(json);
}

static void write_graph(struct rarog_json *json, const struct graph *graph, size_t row)
{
	rarog_json_object(json, NULL);
	rarog_json_uint(json, "row", row);
	RAROG_COLUMN(json, "blocks", graph->nodes.n, i,
		     write_node(json, graph, &graph->nodes.v[i]));
	RAROG_COLUMN(json, "lines", graph->nodes.n * 2, i, write_lines(json, graph, i / 2, i % 2));
	RAROG_COLUMN(json, "ways", graph->ways.n, i, write_way(json, &graph->ways.v[i]));
	rarog_json_end_object(json);
}

static int write_joined(struct writing *w, size_t row)
{
	rarog_cleanup(graph_release) struct graph graph = { 0 };
	int r;

	for (size_t side = 0; side < 2; side++) {
		graph.tallies[side] = &w->tallies[side];
		graph.of[side] = w->of[side][row];
		graph.first_line[side] = w->first_line[side];
	}
	if ((size_t)blocks_of(&graph, 0) + blocks_of(&graph, 1) > MOST_BLOCKS - w->n_blocks) {
		w->left_out++;
		return 0;
	}
	r = join_blocks(&graph, &w->c->rows[row]);
	for (size_t side = 0; r == 0 && side < 2; side++)
		r = add_ways(&graph, side);
	if (r < 0)
		return r;
	join_ways(&graph);
	w->n_blocks += graph.nodes.n;
	write_graph(w->json, &graph, row);
	return 0;
}

/* Of functions that ran in either version. Rows of several functions have no one graph. */
static int write_row(struct writing *w, size_t row)
{
	bool has_run = false;

	if (w->is_done[row])
		return 0;
	w->is_done[row] = true;
	for (size_t side = 0; side < 2; side++)
		has_run |= w->of[side][row] && w->of[side][row]->n_executed > 0;
	return has_run && !w->is_several[row] ? write_joined(w, row) : 0;
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
