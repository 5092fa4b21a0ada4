/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where no block of a loop was left for the outside, or entered from there, both are the same:
 * entries, and rounds. Elsewhere what was left unseen is missing.
 */
#include "compare-trips.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "blocks/counter-file.h"
#include "blocks/trips.h"

struct graph {
	struct rarog_tally tally;
	struct rarog_tally_function function;
	struct rarog_block_count *blocks;
	struct rarog_edge_count *edges;
	int64_t *outside; /* of each block */
	struct rarog_loops loops;
};

static void release(struct graph *graph)
{
	free(graph->blocks);
	free(graph->edges);
	free(graph->outside);
	rarog_loops_release(&graph->loops);
}

static void fill(struct graph *g, const struct rarog_block_record *record,
		 const struct rarog_flow_count *counts)
{
	const struct rarog_flow *flow = &record->flow;

	for (size_t i = 0; i < flow->n_blocks; i++)
		g->blocks[i].count = (uint64_t)counts[i].count;
	for (size_t i = flow->n_blocks + 1; i < flow->n_edges; i++) {
		const struct rarog_flow_edge *edge = &flow->edges[i];
		uint32_t from = (edge->from - RAROG_FLOW_OUT(0)) / 2;

		if (edge->to == RAROG_FLOW_OUTSIDE)
			g->outside[from] += counts[i].is_known ? counts[i].count : 1;
		else
			g->edges[g->function.n_edges++] = (struct rarog_edge_count){
				.from = from,
				.to = (edge->to - RAROG_FLOW_IN(0)) / 2,
				.count = (uint64_t)counts[i].count,
				.is_unknown = !counts[i].is_known,
			};
	}
}

static int make(struct graph *g, const struct rarog_block_record *record,
		const struct rarog_flow_count *counts)
{
	g->blocks = calloc(record->flow.n_blocks + 1, sizeof(*g->blocks));
	g->edges = calloc(record->flow.n_edges + 1, sizeof(*g->edges));
	g->outside = calloc(record->flow.n_blocks + 1, sizeof(*g->outside));
	if (!g->blocks || !g->edges || !g->outside)
		return rarog_oom();
	fill(g, record, counts);
	g->function.n = (uint32_t)record->flow.n_blocks;
	g->function.calls = (uint64_t)counts[0].count;
	g->tally = (struct rarog_tally){ .n = 1,
					 .functions = &g->function,
					 .blocks = g->blocks,
					 .edges = g->edges,
					 .n_blocks = g->function.n,
					 .n_edges = g->function.n_edges };
	return rarog_loops_find(&g->tally, &g->function, &g->loops);
}

static bool is_inside(const struct graph *g, uint32_t block, uint32_t loop)
{
	uint32_t at = g->loops.innermost[block];

	while (at != RAROG_NONE && at != loop)
		at = g->loops.list.v[at].parent;
	return at == loop;
}

/* Was @loop left, or entered, where nothing sees it? */
static bool was_left(const struct graph *g, uint32_t loop)
{
	for (uint32_t i = 0; i < g->function.n; i++)
		if (g->outside[i] != 0 && is_inside(g, i, loop))
			return true;
	return false;
}

/* Does @rounds belong into @bucket? */
static bool is_of(uint64_t rounds, unsigned bucket)
{
	return rounds >> bucket == 1 ||
	       (bucket == RAROG_TRIPS_BUCKETS - 1 && rounds >> bucket != 0);
}

/* Do bars, least, most and sum fit to each other? */
static bool is_sound(const uint64_t *cells, uint64_t entries)
{
	uint64_t most = cells[RAROG_TRIPS_MOST] & ~RAROG_COUNTER_EXTREME, sum_least = 0;
	uint64_t least = ~cells[RAROG_TRIPS_LEAST];
	unsigned first = 0, last = RAROG_TRIPS_BUCKETS - 1;

	if (entries == 0)
		return cells[RAROG_TRIPS_SUM] == 0 && cells[RAROG_TRIPS_MOST] == 0;
	while (cells[RAROG_TRIPS_FIRST + first] == 0)
		first++;
	while (cells[RAROG_TRIPS_FIRST + last] == 0)
		last--;
	for (unsigned i = first; i <= last; i++)
		sum_least += cells[RAROG_TRIPS_FIRST + i] << i;
	return is_of(least, first) && is_of(most, last) && cells[RAROG_TRIPS_SUM] >= sum_least &&
	       cells[RAROG_TRIPS_SUM] >= least * entries &&
	       cells[RAROG_TRIPS_SUM] <= most * entries;
}

static const uint64_t *cells_of(const struct rarog_block_record *record, const uint64_t *counters,
				uint32_t header)
{
	for (uint32_t i = 0; i < record->n_loops; i++)
		if (record->loops[i] == header)
			return counters + record->n_counters + (size_t)i * RAROG_TRIPS_CELLS;
	return NULL;
}

static void compare_loop(const struct graph *g, const struct rarog_block_record *record,
			 uint32_t number, const uint64_t *cells, struct compared_trips *sums)
{
	const struct rarog_loop *loop = &g->loops.list.v[number];
	bool left = was_left(g, number), is_wrong;
	uint64_t entries = 0, rounds = cells[RAROG_TRIPS_SUM];

	for (unsigned i = 0; i < RAROG_TRIPS_BUCKETS; i++)
		entries += cells[RAROG_TRIPS_FIRST + i];
	is_wrong = !is_sound(cells, entries) || rounds > loop->iterations;
	if (!left)
		is_wrong |=
			rounds != loop->iterations || (loop->is_known && entries != loop->entries);
	sums->loops++;
	sums->left += left;
	sums->entries += entries;
	sums->rounds += rounds;
	if (is_wrong && sums->wrong++ < 20)
		printf("%s: loop at block %u: %" PRIu64 " entries of %" PRIu64 ", %" PRIu64
		       " rounds of %" PRIu64 "%s\n",
		       record->name, loop->header, entries, loop->entries, rounds, loop->iterations,
		       left ? ", was left" : "");
}

int compare_trips(const struct rarog_block_record *record, const struct rarog_flow_count *counts,
		  const uint64_t *counters, struct compared_trips *sums)
{
	rarog_cleanup(release) struct graph g = { 0 };
	int r = make(&g, record, counts);

	for (uint32_t i = 0; r == 0 && i < g.loops.list.n; i++) {
		const struct rarog_loop *loop = &g.loops.list.v[i];
		const uint64_t *cells = cells_of(record, counters, loop->header);

		/* LLVM's unreachable blocks are in no loop of its */
		if (!loop->is_irreducible && cells)
			compare_loop(&g, record, i, cells, sums);
		else if (!loop->is_irreducible && loop->entries > 0 && loop->is_known &&
			 !was_left(&g, i) && loop->iterations > 0 && sums->wrong++ < 20)
			printf("%s: loop at block %u: is not counted\n", record->name,
			       loop->header);
	}
	return r;
}
