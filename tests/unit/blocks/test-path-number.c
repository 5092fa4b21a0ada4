/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random graphs, irreducible ones too, walked at random with a register as the compiled code has
 * it: the number at the end of each path is that of the blocks that were walked. How many paths
 * there are is counted one by one.
 */
#include <errno.h>
#include <string.h>

#include "unit.h"

#include "blocks/path-number.h"

enum { MAX_BLOCKS = 12, MAX_EDGES = 6 * MAX_BLOCKS + 1, STEPS = 200 };

struct world {
	uint64_t seed;
	struct rarog_flow flow;
	struct rarog_flow_edge edges[MAX_EDGES];
	struct rarog_path_numbers numbers;
	uint64_t ways[MAX_EDGES], blocks[MAX_BLOCKS], offsets[MAX_BLOCKS];
};

static uint32_t pick(struct world *w, uint32_t n)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 7;
	w->seed ^= w->seed << 17;
	return (uint32_t)(w->seed >> 20) % n;
}

static bool has_edge(const struct world *w, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < w->flow.n_edges; i++)
		if (w->edges[i].from == from && w->edges[i].to == to)
			return true;
	return false;
}

static void add_edge(struct world *w, uint32_t from, uint32_t to)
{
	if (!has_edge(w, from, to))
		w->edges[w->flow.n_edges++] = (struct rarog_flow_edge){ .from = from, .to = to };
}

static void make_world(struct world *w, uint64_t seed)
{
	*w = (struct world){ .seed = seed * 2654435761 + 88172645463325252 };
	w->flow.edges = w->edges;
	w->flow.n_blocks = 1 + pick(w, MAX_BLOCKS);
	for (uint32_t i = 0; i < w->flow.n_blocks; i++)
		add_edge(w, RAROG_FLOW_IN(i), RAROG_FLOW_OUT(i));
	add_edge(w, RAROG_FLOW_OUTSIDE, RAROG_FLOW_IN(0));
	for (uint32_t i = 0; i < w->flow.n_blocks; i++) {
		uint32_t n = pick(w, 4);

		for (uint32_t k = 0; k < n; k++)
			add_edge(w, RAROG_FLOW_OUT(i),
				 RAROG_FLOW_IN(pick(w, (uint32_t)w->flow.n_blocks)));
		if (n == 0 || pick(w, 4) == 0)
			add_edge(w, RAROG_FLOW_OUT(i), RAROG_FLOW_OUTSIDE);
	}
	for (size_t i = 0; i < MAX_EDGES; i++)
		w->ways[i] = pick(w, 100);
	for (size_t i = 0; i < MAX_BLOCKS; i++)
		w->blocks[i] = pick(w, 100);
}

/* One by one. */
static uint64_t count_paths(const struct rarog_path_numbers *p, uint32_t block)
{
	uint64_t n = p->first_way[block] == p->first_way[block + 1];

	for (uint32_t i = p->first_way[block]; i < p->first_way[block + 1]; i++)
		n += p->ways[i].is_cut ? 1 : count_paths(p, p->ways[i].to);
	return n;
}

static void check_number(struct world *w)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < w->flow.n_blocks; i++)
		if (w->numbers.begins[i] != RAROG_PATH_NOWHERE) {
			assert_int_equal(w->numbers.begins[i], n);
			n += count_paths(&w->numbers, i);
		}
	assert_int_equal(w->numbers.n, n);
}

/* Each number has other blocks: followed along them, the values give it again. */
static void check_all(struct world *w)
{
	const struct rarog_path_numbers *p = &w->numbers;
	uint32_t blocks[MAX_BLOCKS], next;

	for (uint64_t path = 0; path < p->n; path++) {
		size_t n = rarog_path_numbers_find(p, path, blocks, &next);
		uint64_t sum = p->begins[blocks[0]];

		for (size_t i = 0; i < n; i++) {
			uint32_t to = i + 1 < n ? blocks[i + 1] : next;
			uint32_t way = p->first_way[blocks[i]], end = p->first_way[blocks[i] + 1];

			assert_true(to != RAROG_PATH_END || way == end);
			while (way < end && p->ways[way].to != to)
				way++;
			assert_true(to == RAROG_PATH_END || way < end);
			if (way < end)
				assert_int_equal(p->ways[way].is_cut, i + 1 == n);
			sum += way < end ? p->ways[way].value : 0;
		}
		assert_int_equal(sum, path);
	}
}

struct walk {
	uint32_t blocks[MAX_BLOCKS];
	size_t n;
	uint64_t at; /* the register */
	bool has_ended;
};

static void begin(const struct world *w, struct walk *walk, uint32_t block)
{
	assert_true(w->numbers.begins[block] != RAROG_PATH_NOWHERE);
	walk->n = 0;
	walk->blocks[walk->n++] = block;
	walk->at = w->numbers.begins[block] - w->offsets[block];
}

static void end(const struct world *w, const struct walk *walk, uint64_t number, uint32_t to)
{
	uint32_t blocks[MAX_BLOCKS], next;

	assert_true(number < w->numbers.n);
	assert_int_equal(rarog_path_numbers_find(&w->numbers, number, blocks, &next), walk->n);
	assert_memory_equal(blocks, walk->blocks, walk->n * sizeof(*blocks));
	assert_int_equal(next, to);
}

static void step(struct world *w, struct walk *walk)
{
	const struct rarog_path_numbers *p = &w->numbers;
	uint32_t block = walk->blocks[walk->n - 1];
	uint32_t n = p->first_way[block + 1] - p->first_way[block];
	const struct rarog_path_way *way = p->ways + p->first_way[block] + (n ? pick(w, n) : 0);

	walk->has_ended = n == 0;
	if (n == 0) {
		end(w, walk, walk->at + w->offsets[block], RAROG_PATH_END);
	} else if (way->is_cut) {
		end(w, walk, walk->at + way->value + w->offsets[block], way->to);
		begin(w, walk, way->to);
	} else {
		walk->at += way->value + w->offsets[block] - w->offsets[way->to];
		assert_true(walk->n < MAX_BLOCKS);
		walk->blocks[walk->n++] = way->to;
	}
}

static void check_walks(struct world *w)
{
	struct walk walk;

	assert_int_equal(rarog_path_numbers_place(&w->numbers, w->ways, w->blocks, w->offsets), 0);
	for (int i = 0; i < 5; i++) {
		walk = (struct walk){ 0 };
		begin(w, &walk, 0);
		for (int k = 0; k < STEPS && !walk.has_ended; k++)
			step(w, &walk);
	}
}

TEST(walked_paths_have_their_numbers)
{
	static const uint64_t limits[] = { RAROG_PATHS_MOST, 50, 20, 5 };
	unsigned n_too_many = 0, n_cut = 0;

	for (uint64_t seed = 1; seed <= 20000; seed++) {
		struct world w;
		uint64_t most = limits[seed % 4];
		int r;

		make_world(&w, seed);
		r = rarog_path_numbers_make(&w.flow, most, &w.numbers);
		if (r < 0) {
			assert_int_equal(r, -E2BIG);
			assert_true(most < RAROG_PATHS_MOST && ++n_too_many);
			continue;
		}
		assert_true(w.numbers.n <= most);
		n_cut += most < 50;
		check_number(&w);
		check_all(&w);
		check_walks(&w);
		rarog_path_numbers_release(&w.numbers);
	}
	assert_true(n_too_many > 100 && n_cut > 1000);
}

/* What Kruskal leaves to be added is no more than what numbers alone do. */
TEST(little_is_added)
{
	uint64_t plain = 0, placed = 0;

	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct world w;
		const struct rarog_path_numbers *p = &w.numbers;

		make_world(&w, seed);
		assert_int_equal(rarog_path_numbers_make(&w.flow, RAROG_PATHS_MOST, &w.numbers), 0);
		assert_int_equal(rarog_path_numbers_place(p, w.ways, w.blocks, w.offsets), 0);
		for (uint32_t i = 0; i < p->n_blocks; i++)
			for (uint32_t k = p->first_way[i]; k < p->first_way[i + 1]; k++) {
				const struct rarog_path_way *way = &p->ways[k];

				if (way->is_cut || p->n_paths[i] == 0)
					continue;
				plain += way->value != 0;
				placed += way->value + w.offsets[i] != w.offsets[way->to];
			}
		rarog_path_numbers_release(&w.numbers);
	}
	assert_true(placed < plain);
}

/* A diamond after a diamond: the example of Ball and Larus has 6 paths. */
TEST(the_papers_example_has_six_paths)
{
	/* A → B C, B → C D, C → D, D → E F, E → F, F: the end */
	static const uint8_t ways[][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 1, 3 },
					   { 2, 3 }, { 3, 4 }, { 3, 5 }, { 4, 5 } };
	struct world w = { .flow = { .n_blocks = 6 } };

	w.flow.edges = w.edges;
	for (uint32_t i = 0; i < 6; i++)
		add_edge(&w, RAROG_FLOW_IN(i), RAROG_FLOW_OUT(i));
	add_edge(&w, RAROG_FLOW_OUTSIDE, RAROG_FLOW_IN(0));
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		add_edge(&w, RAROG_FLOW_OUT(ways[i][0]), RAROG_FLOW_IN(ways[i][1]));
	assert_int_equal(rarog_path_numbers_make(&w.flow, 6, &w.numbers), 0);
	assert_int_equal(w.numbers.n, 6);
	check_all(&w);
	rarog_path_numbers_release(&w.numbers);
}
