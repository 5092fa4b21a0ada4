/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every block and edge ran as often as the paths that have it, unless the function was left in the
 * midst of one: then at least as often.
 */
#include "compare-paths.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "blocks/path-number.h"

struct sums {
	const struct rarog_block_record *record;
	struct rarog_path_numbers numbers;
	uint64_t *blocks, *ways; /* what the paths say */
	uint32_t *path;
};

static void release(struct sums *s)
{
	rarog_path_numbers_release(&s->numbers);
	free(s->blocks);
	free(s->ways);
	free(s->path);
}

static void add_way(struct sums *s, uint32_t from, uint32_t to, uint64_t count)
{
	for (uint32_t i = s->numbers.first_way[from]; i < s->numbers.first_way[from + 1]; i++)
		if (s->numbers.ways[i].to == to)
			s->ways[i] += count;
}

static void add_path(struct sums *s, uint64_t number, uint64_t count)
{
	uint32_t next;
	size_t n = rarog_path_numbers_find(&s->numbers, number, s->path, &next);

	for (size_t i = 0; i < n; i++) {
		s->blocks[s->path[i]] += count;
		add_way(s, s->path[i], i + 1 < n ? s->path[i + 1] : next, count);
	}
}

/* Was a block that leads somewhere left for the outside? */
static bool was_left(const struct sums *s, const struct rarog_flow_count *counts)
{
	const struct rarog_flow *flow = &s->record->flow;

	for (size_t i = flow->n_blocks + 1; i < flow->n_edges; i++) {
		uint32_t from = (flow->edges[i].from - RAROG_FLOW_OUT(0)) / 2;

		if (flow->edges[i].to == RAROG_FLOW_OUTSIDE &&
		    (!counts[i].is_known || counts[i].count != 0) &&
		    s->numbers.first_way[from] != s->numbers.first_way[from + 1])
			return true;
	}
	return false;
}

static bool is_wrong(uint64_t said, const struct rarog_flow_count *count, bool was_left)
{
	if (!count->is_known)
		return false;
	return was_left ? count->count < 0 || said > (uint64_t)count->count
			: said != (uint64_t)count->count;
}

static void compare(const struct sums *s, const struct rarog_flow_count *counts, bool left,
		    struct compared_paths *sums)
{
	const struct rarog_flow *flow = &s->record->flow;
	uint32_t way = 0;

	for (uint32_t i = 0; i < flow->n_blocks; i++) {
		sums->executions += s->blocks[i];
		if (is_wrong(s->blocks[i], &counts[i], left) && sums->wrong++ < 20)
			printf("%s: block %u: on paths %" PRIu64 " times, ran %" PRId64
			       " times%s\n",
			       s->record->name, i, s->blocks[i], counts[i].count,
			       left ? ", was left" : "");
	}
	for (size_t i = flow->n_blocks + 1; i < flow->n_edges; i++) {
		if (flow->edges[i].to == RAROG_FLOW_OUTSIDE)
			continue;
		if (is_wrong(s->ways[way], &counts[i], left) && sums->wrong++ < 20)
			printf("%s: way %u → %u: on paths %" PRIu64 " times, taken %" PRId64
			       " times%s\n",
			       s->record->name, (flow->edges[i].from - RAROG_FLOW_OUT(0)) / 2,
			       (flow->edges[i].to - RAROG_FLOW_IN(0)) / 2, s->ways[way],
			       counts[i].count, left ? ", was left" : "");
		way++;
	}
}

int compare_paths(const struct rarog_block_record *record, const struct rarog_flow_count *counts,
		  const uint64_t *counters, struct compared_paths *sums)
{
	rarog_cleanup(release) struct sums s = { .record = record };
	const uint64_t *cells = counters + rarog_record_paths(record) + 1;
	bool left;

	sums->without += record->n_paths == 0;
	if (record->n_paths == 0)
		return 0;
	s.blocks = calloc(record->flow.n_blocks + 1, sizeof(*s.blocks));
	s.ways = calloc(record->flow.n_edges + 1, sizeof(*s.ways));
	s.path = calloc(record->flow.n_blocks + 1, sizeof(*s.path));
	if (!s.blocks || !s.ways || !s.path ||
	    rarog_path_numbers_make(&record->flow, RAROG_PATHS_MOST, &s.numbers) < 0)
		return rarog_oom();
	for (uint64_t i = 0; i < record->n_paths; i++) {
		if (cells[i] > 0)
			add_path(&s, i, cells[i]);
		sums->taken += cells[i] > 0;
	}
	left = was_left(&s, counts);
	compare(&s, counts, left, sums);
	sums->wrong += s.numbers.n != record->n_paths;
	sums->functions++;
	sums->left += left;
	sums->paths += record->n_paths;
	return 0;
}
