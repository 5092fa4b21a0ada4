/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random graphs, irreducible ones and such with blind edges among them, walked at random: what was
 * walked is the truth, the counters of the chosen edges are all that the solver sees.
 */
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "blocks/flow-patterns.h"
#include "blocks/flow.h"
#include "blocks/vector.h"

enum { MAX_BLOCKS = 14, MAX_EDGES = 80, MAX_STEPS = 400 };

struct world {
	struct rarog_flow flow;
	struct rarog_flow_edge edges[MAX_EDGES];
	int way_out[MAX_BLOCKS];    /* the edge to the outside, -1: none */
	bool may_leave[MAX_BLOCKS]; /* although it has successors */
	uint64_t truth[MAX_EDGES];
	uint64_t seed;
};

static uint32_t pick(struct world *w, uint32_t n)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 7;
	w->seed ^= w->seed << 17;
	return (uint32_t)(w->seed >> 20) % n;
}

static size_t add_edge(struct world *w, uint32_t from, uint32_t to, enum rarog_flow_state state)
{
	w->edges[w->flow.n_edges] = (struct rarog_flow_edge){
		.from = from, .to = to, .state = state, .weight = pick(w, 5), .is_split = pick(w, 2)
	};
	return w->flow.n_edges++;
}

static bool has_edge(const struct world *w, uint32_t from, uint32_t to)
{
	for (size_t i = w->flow.n_blocks; i < w->flow.n_edges; i++)
		if (w->edges[i].from == from && w->edges[i].to == to)
			return true;
	return false;
}

static void add_successors(struct world *w, uint32_t block, uint32_t blind_of_8)
{
	uint32_t n = pick(w, 4);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = RAROG_FLOW_IN(pick(w, (uint32_t)w->flow.n_blocks));

		if (!has_edge(w, RAROG_FLOW_OUT(block), to))
			add_edge(w, RAROG_FLOW_OUT(block), to,
				 pick(w, 8) < blind_of_8 ? RAROG_FLOW_BLIND : RAROG_FLOW_FREE);
	}
	w->may_leave[block] = n > 0 && pick(w, 4) == 0;
	w->way_out[block] = -1;
	if (n == 0 || w->may_leave[block])
		w->way_out[block] = (int)add_edge(w, RAROG_FLOW_OUT(block), RAROG_FLOW_OUTSIDE,
						  RAROG_FLOW_BLIND);
}

static void make_world(struct world *w, uint64_t seed)
{
	uint32_t blind_of_8;

	*w = (struct world){ .seed = seed * 0x9e3779b97f4a7c15 + 1 };
	w->flow.edges = w->edges;
	w->flow.n_blocks = 1 + pick(w, MAX_BLOCKS);
	blind_of_8 = pick(w, 2) ? 0 : pick(w, 8);
	for (uint32_t i = 0; i < w->flow.n_blocks; i++)
		add_edge(w, RAROG_FLOW_IN(i), RAROG_FLOW_OUT(i), RAROG_FLOW_FREE);
	add_edge(w, RAROG_FLOW_OUTSIDE, RAROG_FLOW_IN(0), RAROG_FLOW_BLIND);
	for (uint32_t i = 0; i < w->flow.n_blocks; i++)
		add_successors(w, i, blind_of_8);
}

/* One of the edges that leave @block for another, -1: none. */
static int next_edge(struct world *w, uint32_t block)
{
	int found = -1;
	uint32_t n = 0;

	for (size_t i = w->flow.n_blocks; i < w->flow.n_edges; i++)
		if (w->edges[i].from == RAROG_FLOW_OUT(block) &&
		    w->edges[i].to != RAROG_FLOW_OUTSIDE && pick(w, ++n) == 0)
			found = (int)i;
	return found;
}

/* From the top of @block, or from its middle, until the function is left. A walk that does not end
 * did not happen. */
static void walk(struct world *w, uint32_t block, bool is_midway)
{
	uint64_t before[MAX_EDGES];

	memcpy(before, w->truth, sizeof(before));
	if (is_midway)
		w->truth[w->way_out[block]]--;
	else
		w->truth[w->flow.n_blocks]++;
	for (int step = 0; step < MAX_STEPS; step++) {
		int edge = next_edge(w, block);

		w->truth[block] += !is_midway;
		is_midway = false;
		if (edge < 0 || (w->may_leave[block] && pick(w, 6) == 0)) {
			w->truth[w->way_out[block]]++;
			return;
		}
		w->truth[edge]++;
		block = (w->edges[edge].to - 1) / 2;
	}
	memcpy(w->truth, before, sizeof(before));
}

static void walk_often(struct world *w)
{
	uint32_t n = pick(w, 6);

	for (uint32_t i = 0; i < n; i++)
		walk(w, 0, false);
	for (uint32_t i = 0; i < w->flow.n_blocks; i++)
		if (w->may_leave[i] && pick(w, 8) == 0) /* setjmp, fork: left once, entered twice */
			walk(w, i, true);
}

/* Walked, and all found again from the counters that were placed. */
static void check_counts(struct world *w, uint64_t seed)
{
	struct rarog_flow_count counts[MAX_EDGES];
	uint64_t counters[MAX_EDGES];
	size_t at = 0;

	walk_often(w);
	for (size_t i = 0; i < w->flow.n_edges; i++)
		if (w->edges[i].state == RAROG_FLOW_COUNTED)
			counters[at++] = w->truth[i];
	assert_int_equal(rarog_flow_solve(&w->flow, counters, counts), 0);
	for (size_t i = 0; i < w->flow.n_edges; i++) {
		if (w->edges[i].state != RAROG_FLOW_BLIND && !counts[i].is_known)
			fail_msg("seed %llu: edge %zu is unknown", (unsigned long long)seed, i);
		if (counts[i].is_known && counts[i].count != (int64_t)w->truth[i])
			fail_msg("seed %llu: edge %zu: %lld instead of %lld",
				 (unsigned long long)seed, i, (long long)counts[i].count,
				 (long long)w->truth[i]);
	}
}

/* Worked out once, then summed: of each block what was walked, clipped; of fresh counters nothing.
 */
static void check_vector(struct world *w)
{
	static const uint64_t none[MAX_EDGES];
	uint64_t counters[MAX_EDGES], before = 16;
	uint8_t hits[MAX_BLOCKS];
	struct rarog_block_record record = { .counters = before, .flow = w->flow };
	struct rarog_map map = { .n_functions = 1, .functions = &record, .counters = before };
	struct rarog_vector *vector;

	for (size_t i = 0; i < w->flow.n_edges; i++)
		if (w->edges[i].state == RAROG_FLOW_COUNTED)
			counters[map.n_counters++] = w->truth[i];
	assert_int_equal(rarog_vector_new(&map, &vector), 0);
	assert_int_equal(rarog_vector_blocks(vector), w->flow.n_blocks);
	assert_int_equal(rarog_vector_counters(vector), map.n_counters);
	rarog_vector_read(vector, counters, hits);
	for (size_t i = 0; i < w->flow.n_blocks; i++)
		assert_int_equal(hits[i], w->truth[i] > 255 ? 255 : w->truth[i]);
	rarog_vector_read(vector, none, hits);
	for (size_t i = 0; i < w->flow.n_blocks; i++)
		assert_int_equal(hits[i], 0);
	rarog_vector_free(vector);
}

TEST(vectors_are_what_was_walked)
{
	struct world w;

	for (uint64_t seed = 1; seed <= 3000; seed++) {
		make_world(&w, seed);
		assert_true(rarog_flow_place(&w.flow) >= 0);
		check_counts(&w, seed);
		check_vector(&w);
	}
}

TEST(counts_of_random_walks_are_found)
{
	struct world w;

	for (uint64_t seed = 1; seed <= 100000; seed++) {
		size_t n_counted = 0;

		make_world(&w, seed);
		long n = rarog_flow_place(&w.flow);
		for (size_t i = 0; i < w.flow.n_edges; i++)
			n_counted += w.edges[i].state == RAROG_FLOW_COUNTED;
		assert_int_equal(n, n_counted);
		check_counts(&w, seed);
	}
}

/* Counters in blocks alone, fewer of them: the same counts. */
TEST(patterns_lose_nothing)
{
	struct world w;
	size_t n_saved = 0;

	for (uint64_t seed = 1; seed <= 20000; seed++) {
		make_world(&w, seed);
		assert_int_equal(rarog_flow_find_patterns(&w.flow, NULL), 0);
		assert_true(rarog_flow_place(&w.flow) >= 0);
		for (size_t i = 0; i < w.flow.n_blocks; i++)
			n_saved += w.edges[i].state == RAROG_FLOW_DERIVED;
		check_counts(&w, seed);
	}
	assert_true(n_saved > 5000);
}

/* The parts that a graph falls into if only edges without counters are left, by flooding. */
static size_t parts(const struct world *w, bool all)
{
	size_t n_nodes = 2 * w->flow.n_blocks + 1, n = 0;
	uint32_t part[2 * MAX_BLOCKS + 1];

	for (uint32_t i = 0; i < n_nodes; i++)
		part[i] = i;
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < w->flow.n_edges; i++) {
			uint32_t *a = &part[w->edges[i].from], *b = &part[w->edges[i].to];

			if ((all || w->edges[i].state != RAROG_FLOW_COUNTED) && *a != *b) {
				*a = *b = *a < *b ? *a : *b;
				again = true;
			}
		}
	}
	for (uint32_t i = 0; i < n_nodes; i++)
		n += part[i] == i;
	return n;
}

/* E - V + 1 for each part of the graph, where no circle is blind. */
TEST(no_counter_is_superfluous)
{
	struct world w;
	size_t n_checked = 0;

	for (uint64_t seed = 1; seed <= 20000; seed++) {
		long n;
		size_t n_blind = 0;

		make_world(&w, seed);
		n = rarog_flow_place(&w.flow);
		assert_int_equal(parts(&w, true), parts(&w, false));
		for (size_t i = 0; i < w.flow.n_edges; i++)
			n_blind += w.edges[i].state == RAROG_FLOW_BLIND &&
				   w.edges[i].to != RAROG_FLOW_OUTSIDE;
		if (n_blind > 1)
			continue; /* the entry is one */
		n_checked++;
		assert_int_equal(n, w.flow.n_edges - (2 * w.flow.n_blocks + 1) + parts(&w, true));
	}
	assert_true(n_checked > 5000);
}

/* What the edges of @set weigh if they are counted and all is known then: if each of the others
 * joins two parts that blind edges leave apart. */
static uint64_t weight_of(struct world *w, size_t n, const size_t edges[], uint32_t set)
{
	uint64_t weight = 0;
	size_t n_apart, n_derived = 0;

	for (size_t i = 0; i < n; i++)
		w->edges[edges[i]].state = RAROG_FLOW_COUNTED;
	n_apart = parts(w, false);
	for (size_t i = 0; i < n; i++) {
		if (set >> i & 1) {
			weight += w->edges[edges[i]].weight;
			continue;
		}
		w->edges[edges[i]].state = RAROG_FLOW_DERIVED;
		n_derived++;
	}
	return n_apart - parts(w, false) == n_derived ? weight : UINT64_MAX;
}

/* The least among all choices of edges. */
static uint64_t least_weight(struct world *w)
{
	size_t edges[MAX_EDGES], n = 0;
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < w->flow.n_edges; i++)
		if (w->edges[i].state != RAROG_FLOW_BLIND)
			edges[n++] = i;
	for (uint32_t set = 0; set < 1u << n; set++) {
		uint64_t weight = weight_of(w, n, edges, set);

		least = weight < least ? weight : least;
	}
	return least;
}

TEST(no_choice_is_cheaper)
{
	struct world w;
	size_t n_checked = 0;

	for (uint64_t seed = 1; n_checked < 300; seed++) {
		uint64_t weight = 0;
		size_t n_free = 0;

		make_world(&w, seed);
		rarog_flow_place(&w.flow);
		for (size_t i = 0; i < w.flow.n_edges; i++) {
			n_free += w.edges[i].state != RAROG_FLOW_BLIND;
			weight += w.edges[i].state == RAROG_FLOW_COUNTED ? w.edges[i].weight : 0;
		}
		if (n_free < 3 || n_free > 10)
			continue;
		assert_int_equal(weight, least_weight(&w));
		n_checked++;
	}
}

static void make_shape(struct world *w, size_t n_blocks, size_t n, const uint32_t pairs[][2])
{
	w->flow.n_blocks = n_blocks;
	for (uint32_t i = 0; i < n_blocks; i++)
		add_edge(w, RAROG_FLOW_IN(i), RAROG_FLOW_OUT(i), RAROG_FLOW_FREE);
	add_edge(w, RAROG_FLOW_OUTSIDE, RAROG_FLOW_IN(0), RAROG_FLOW_BLIND);
	for (size_t i = 0; i < n; i++)
		add_edge(w, RAROG_FLOW_OUT(pairs[i][0]), RAROG_FLOW_IN(pairs[i][1]),
			 RAROG_FLOW_FREE);
	add_edge(w, RAROG_FLOW_OUT((uint32_t)n_blocks - 1), RAROG_FLOW_OUTSIDE, RAROG_FLOW_BLIND);
}

/* The documents' patterns save what they say: they are special cases. */
static long counters_of(size_t n_blocks, size_t n, const uint32_t pairs[][2])
{
	struct world w = { .flow = { .edges = w.edges }, .seed = 1 };

	make_shape(&w, n_blocks, n, pairs);
	return rarog_flow_place(&w.flow);
}

struct shape {
	size_t n_blocks, n;
	const uint32_t (*pairs)[2];
};

/* The number of counters that patterns leave of one for each block. */
static long counters_with_patterns(const struct shape *shape, struct rarog_flow_patterns *ret_found)
{
	struct world w = { .flow = { .edges = w.edges }, .seed = 1 };
	long n = 0;

	make_shape(&w, shape->n_blocks, shape->n, shape->pairs);
	assert_int_equal(rarog_flow_find_patterns(&w.flow, ret_found), 0);
	assert_true(rarog_flow_place(&w.flow) >= 0);
	for (size_t i = 0; i < w.flow.n_edges; i++)
		n += w.edges[i].state == RAROG_FLOW_COUNTED;
	return n;
}

/* The function around them is left by its last block, so the sum of exits is found in all. */
TEST(each_pattern_is_found)
{
	static const uint32_t jump[][2] = { { 0, 1 }, { 1, 2 } };
	static const uint32_t diamond[][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 },
					       { 1, 4 }, { 2, 4 }, { 3, 4 } };
	static const uint32_t half[][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	static const uint32_t loop[][2] = { { 0, 1 }, { 1, 0 }, { 0, 2 } };
	struct rarog_flow_patterns found;

	assert_int_equal(counters_with_patterns(&(struct shape){ 3, 2, jump }, &found), 1);
	assert_int_equal(found.n_jumps, 2);
	assert_int_equal(found.n_exits, 1);
	assert_int_equal(counters_with_patterns(&(struct shape){ 5, 6, diamond }, &found), 3);
	assert_int_equal(found.n_diamonds, 1);
	assert_int_equal(counters_with_patterns(&(struct shape){ 3, 3, half }, &found), 2);
	assert_int_equal(found.n_half_diamonds, 1);
	assert_int_equal(counters_with_patterns(&(struct shape){ 3, 3, loop }, &found), 3);
	assert_int_equal(found.n_exits, 0);
}

TEST(patterns_are_special_cases)
{
	static const uint32_t jump[][2] = { { 0, 1 } };
	static const uint32_t diamond[][2] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 3 } };
	static const uint32_t half[][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };

	assert_int_equal(counters_of(2, RAROG_COUNT(jump), jump), 1);
	assert_int_equal(counters_of(4, RAROG_COUNT(diamond), diamond), 2);
	assert_int_equal(counters_of(3, RAROG_COUNT(half), half), 2);
}
