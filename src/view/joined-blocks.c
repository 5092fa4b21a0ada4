/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/joined-blocks.h"

#include <stdlib.h>

#include "base/error.h"
#include "check/block-match.h"

void rarog_joined_sides_release(struct rarog_joined_sides *sides)
{
	for (size_t side = 0; side < 2; side++) {
		rarog_tally_release(&sides->tallies[side]);
		free(sides->of[side]);
	}
	free(sides->is_several);
}

void rarog_joined_graph_release(struct rarog_joined_graph *graph)
{
	rarog_vec_release(&graph->nodes);
	rarog_vec_release(&graph->ways);
	free(graph->node_of[0]);
	free(graph->node_of[1]);
}

/* --- functions --- */

static int index_side(struct rarog_joined_sides *sides, size_t side)
{
	const struct rarog_tally *tally = &sides->tallies[side];
	const uint32_t *row_of = sides->comparison->row_of[side][0];

	sides->of[side] = calloc(sides->comparison->n + 1, sizeof(*sides->of[side]));
	if (!sides->of[side])
		return rarog_oom();
	for (size_t i = 0; i < tally->n; i++) {
		uint32_t row = row_of[tally->functions[i].location];

		if (row == RAROG_NONE)
			continue;
		sides->is_several[row] |= sides->of[side][row] != NULL;
		sides->of[side][row] = &tally->functions[i];
	}
	return 0;
}

int rarog_joined_sides_read(const struct rarog_comparison *comparison,
			    struct rarog_joined_sides *sides)
{
	int r = 0;

	sides->comparison = comparison;
	sides->is_several = calloc(comparison->n + 1, sizeof(*sides->is_several));
	if (!sides->is_several)
		return rarog_oom();
	for (size_t side = 0; r == 0 && side < 2; side++) {
		r = rarog_tally_read(comparison->sides[side].runs.v[0].profile,
				     &sides->tallies[side]);
		if (r == 0)
			r = index_side(sides, side);
	}
	return r;
}

bool rarog_joined_has_run(const struct rarog_joined_sides *sides, size_t row)
{
	bool has_run = false;

	for (size_t side = 0; side < 2; side++)
		has_run |= sides->of[side][row] && sides->of[side][row]->n_executed > 0;
	return has_run && !sides->is_several[row];
}

/* --- blocks --- */

static uint32_t blocks_of(const struct rarog_joined_graph *graph, size_t side)
{
	return graph->of[side] ? graph->of[side]->n : 0;
}

static int add_node(struct rarog_joined_graph *graph, uint32_t before, uint32_t now)
{
	if (before != RAROG_NONE)
		graph->node_of[0][before] = (uint32_t)graph->nodes.n;
	if (now != RAROG_NONE)
		graph->node_of[1][now] = (uint32_t)graph->nodes.n;
	return rarog_vec_push(&graph->nodes, (struct rarog_joined_block){ { before, now } }) == 0
		       ? 0
		       : rarog_oom();
}

/* @former: by block of the target; matches never cross (block-match.h). */
static int add_nodes(struct rarog_joined_graph *graph, const uint32_t *former)
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

static int match(const struct rarog_joined_graph *graph, const struct rarog_row *row,
		 uint32_t *former)
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

static int join_blocks(struct rarog_joined_graph *graph, const struct rarog_row *row)
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
	const struct rarog_joined_way *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int add_ways(struct rarog_joined_graph *graph, size_t side)
{
	const struct rarog_tally_function *of = graph->of[side];

	for (uint32_t i = 0; of && i < of->n_edges; i++) {
		const struct rarog_edge_count *edge =
			&graph->tallies[side]->edges[of->first_edge + i];
		struct rarog_joined_way way = {
			.from = graph->node_of[side][edge->from - of->first],
			.to = graph->node_of[side][edge->to - of->first]
		};

		way.count[side] = edge->count;
		way.is_there[side] = true;
		way.is_unknown[side] = edge->is_unknown;
		if (rarog_vec_push(&graph->ways, way) < 0)
			return rarog_oom();
	}
	return 0;
}

/* Those of both versions, and several of one, become one. */
static void join_ways(struct rarog_joined_graph *graph)
{
	struct rarog_joined_way *v = graph->ways.v;
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

const struct rarog_block_count *rarog_joined_block_of(const struct rarog_joined_graph *graph,
						      size_t node, size_t side)
{
	uint32_t number = graph->nodes.v[node].block[side];

	return number == RAROG_NONE
		       ? NULL
		       : &graph->tallies[side]->blocks[graph->of[side]->first + number];
}

int rarog_joined_graph_make(const struct rarog_joined_sides *sides, size_t row,
			    struct rarog_joined_graph *graph)
{
	int r;

	for (size_t side = 0; side < 2; side++) {
		graph->tallies[side] = &sides->tallies[side];
		graph->of[side] = sides->of[side][row];
	}
	r = join_blocks(graph, &sides->comparison->rows[row]);
	for (size_t side = 0; r == 0 && side < 2; side++)
		r = add_ways(graph, side);
	if (r == 0)
		join_ways(graph);
	return r;
}
