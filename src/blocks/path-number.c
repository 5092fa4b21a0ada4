/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is left without the ways back is acyclic. From the ends on: a block has as many paths as all
 * it leads to; the value of a way is how many paths the ways before it have. So the values along a
 * path sum up to a number that no other path has.
 *
 * Where there are too many, ways with the most paths after them are cut, too: they count as one
 * path, and those after it are numbered once instead of for each way that leads there.
 */
#include "blocks/path-number.h"

#include <errno.h>
#include <stdlib.h>

/* A way back leads to a block that is still open. */
enum state { UNSEEN, OPEN, DONE };

struct search {
	struct rarog_path_numbers *numbers;
	uint8_t *states; /* enum state */
	uint32_t *next;  /* way to look at */
	uint32_t *path;  /* open blocks */
	uint32_t *order; /* what a block leads to stands before it, but for ways back */
	bool *is_back;   /* of each way */
	size_t n_path, n_order;
};

static void open_block(struct search *s, uint32_t block)
{
	s->states[block] = OPEN;
	s->next[block] = s->numbers->first_way[block];
	s->path[s->n_path++] = block;
}

static void visit(struct search *s)
{
	open_block(s, 0);
	while (s->n_path > 0) {
		uint32_t block = s->path[s->n_path - 1], way = s->next[block];

		if (way == s->numbers->first_way[block + 1]) {
			s->states[block] = DONE;
			s->order[s->n_order++] = block;
			s->n_path--;
			continue;
		}
		s->next[block]++;
		s->is_back[way] = s->states[s->numbers->ways[way].to] == OPEN;
		if (s->states[s->numbers->ways[way].to] == UNSEEN)
			open_block(s, s->numbers->ways[way].to);
	}
}

/* --- numbers --- */

/* Enough for every limit, and no sum of as many ways as there can be overflows. */
#define MANY (UINT64_C(1) << 32)

static uint64_t paths_of(const struct rarog_path_numbers *numbers, const struct rarog_path_way *way)
{
	return way->is_cut ? 1 : numbers->n_paths[way->to];
}

/* Gives the ways of @block their values; returns the sum. */
static uint64_t sum_ways(struct rarog_path_numbers *numbers, uint32_t block)
{
	uint32_t first = numbers->first_way[block], end = numbers->first_way[block + 1];
	uint64_t sum = 0;

	for (uint32_t i = first; i < end; i++) {
		numbers->ways[i].value = sum;
		sum += paths_of(numbers, &numbers->ways[i]);
	}
	return first == end ? 1 : sum;
}

/* Cut the way with the most paths; false if all have one. */
static bool cut_one(struct rarog_path_numbers *numbers, uint32_t block)
{
	struct rarog_path_way *largest = NULL;

	for (uint32_t i = numbers->first_way[block]; i < numbers->first_way[block + 1]; i++) {
		struct rarog_path_way *way = &numbers->ways[i];

		if (paths_of(numbers, way) > (largest ? paths_of(numbers, largest) : 1))
			largest = way;
	}
	if (largest)
		largest->is_cut = true;
	return largest;
}

/* In the order of the blocks, the function's entry first. */
static void number_begins(struct search *s)
{
	struct rarog_path_numbers *numbers = s->numbers;

	for (size_t i = 0; i < numbers->n_blocks; i++)
		numbers->begins[i] = RAROG_PATH_NOWHERE;
	numbers->begins[0] = 0;
	for (size_t i = 0; i < s->n_order; i++)
		for (uint32_t k = numbers->first_way[s->order[i]];
		     k < numbers->first_way[s->order[i] + 1]; k++)
			if (numbers->ways[k].is_cut)
				numbers->begins[numbers->ways[k].to] = 0;
	numbers->n = 0;
	for (size_t i = 0; i < numbers->n_blocks; i++) {
		if (numbers->begins[i] == RAROG_PATH_NOWHERE)
			continue;
		numbers->begins[i] = numbers->n;
		numbers->n += numbers->n_paths[i];
	}
}

/* With at most @level paths from each block on, as far as cutting can do that. */
static void number_all(struct search *s, uint64_t level)
{
	struct rarog_path_numbers *numbers = s->numbers;

	for (uint32_t i = 0; i < numbers->first_way[numbers->n_blocks]; i++)
		numbers->ways[i].is_cut = s->is_back[i];
	for (size_t i = 0; i < s->n_order; i++) {
		uint32_t block = s->order[i];
		uint64_t sum = sum_ways(numbers, block);

		while (sum > level && cut_one(numbers, block))
			sum = sum_ways(numbers, block);
		numbers->n_paths[block] = sum;
	}
	number_begins(s);
}

static int search_and_number(struct search *s, uint64_t most)
{
	static const uint64_t levels[] = { MANY, 4096, 1024, 256, 64, 16, 4, 1 };

	visit(s);
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		number_all(s, levels[i]);
		if (s->numbers->n <= most)
			return 0;
	}
	return -E2BIG;
}

/* --- ways --- */

static uint32_t source(const struct rarog_flow_edge *edge)
{
	return (edge->from - RAROG_FLOW_OUT(0)) / 2;
}

/* Edges stand in the order of the block they come from. */
static void list_ways(const struct rarog_flow *flow, struct rarog_path_numbers *numbers)
{
	uint32_t n = 0, block = 0;

	for (size_t i = flow->n_blocks + 1; i < flow->n_edges; i++) {
		const struct rarog_flow_edge *edge = &flow->edges[i];

		while (block <= source(edge))
			numbers->first_way[block++] = n;
		if (edge->to != RAROG_FLOW_OUTSIDE)
			numbers->ways[n++].to = (edge->to - RAROG_FLOW_IN(0)) / 2;
	}
	while (block <= flow->n_blocks)
		numbers->first_way[block++] = n;
}

static int number_flow(const struct rarog_flow *flow, uint64_t most,
		       struct rarog_path_numbers *numbers)
{
	size_t n = flow->n_blocks;
	struct search s = {
		.numbers = numbers,
		.states = calloc(n, sizeof(*s.states)),
		.next = calloc(3 * n, sizeof(*s.next)),
		.is_back = calloc(flow->n_edges, sizeof(*s.is_back)),
	};
	int r = -ENOMEM;

	if (s.states && s.next && s.is_back) {
		s.path = s.next + n;
		s.order = s.path + n;
		list_ways(flow, numbers);
		r = search_and_number(&s, most);
	}
	free(s.states);
	free(s.next);
	free(s.is_back);
	return r;
}

int rarog_path_numbers_make(const struct rarog_flow *flow, uint64_t most,
			    struct rarog_path_numbers *ret_numbers)
{
	size_t n = flow->n_blocks;
	struct rarog_path_numbers numbers = {
		.n_blocks = n,
		.first_way = calloc(n + 1, sizeof(*numbers.first_way)),
		.ways = calloc(flow->n_edges, sizeof(*numbers.ways)),
		.begins = calloc(n, sizeof(*numbers.begins)),
		.n_paths = calloc(n, sizeof(*numbers.n_paths)),
	};
	int r = -ENOMEM;

	if (numbers.first_way && numbers.ways && numbers.begins && numbers.n_paths)
		r = number_flow(flow, most, &numbers);
	if (r < 0)
		rarog_path_numbers_release(&numbers);
	else
		*ret_numbers = numbers;
	return r;
}

void rarog_path_numbers_release(struct rarog_path_numbers *numbers)
{
	free(numbers->first_way);
	free(numbers->ways);
	free(numbers->begins);
	free(numbers->n_paths);
	*numbers = (struct rarog_path_numbers){ 0 };
}

/* --- back --- */

/* Of the blocks where paths begin, the last whose first is not after @path. */
static uint32_t find_begin(const struct rarog_path_numbers *numbers, uint64_t path)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < numbers->n_blocks; i++)
		if (numbers->begins[i] != RAROG_PATH_NOWHERE && numbers->begins[i] <= path)
			found = i;
	return found;
}

size_t rarog_path_numbers_find(const struct rarog_path_numbers *numbers, uint64_t path,
			       uint32_t *ret_blocks, uint32_t *ret_next)
{
	uint32_t block = find_begin(numbers, path);
	size_t n = 0;

	path -= numbers->begins[block];
	for (;;) {
		uint32_t first = numbers->first_way[block], way = numbers->first_way[block + 1];

		ret_blocks[n++] = block;
		*ret_next = RAROG_PATH_END;
		if (way == first)
			return n;
		while (numbers->ways[--way].value > path)
			;
		path -= numbers->ways[way].value;
		block = numbers->ways[way].to;
		if (numbers->ways[way].is_cut) {
			*ret_next = block;
			return n;
		}
	}
}
