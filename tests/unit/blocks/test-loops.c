/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random graphs, walked at random. The truth is brute force: which blocks reach each other comes
 * from the transitive closure, how often a set was entered from the walk itself.
 */
#include <string.h>

#include "unit.h"

#include "blocks/loops.h"

enum { MAX_BLOCKS = 12, MAX_EDGES = 48, MAX_STEPS = 300, MAX_LOOPS = MAX_BLOCKS };

struct world {
	uint64_t seed;
	uint32_t n;
	struct rarog_block_count blocks[MAX_BLOCKS];
	struct rarog_edge_count edges[MAX_EDGES];
	struct rarog_tally_function function;
	struct rarog_tally tally;
	uint32_t walk[MAX_STEPS]; /* UINT32_MAX: left the function, the next is a call */
	uint32_t n_steps;
	uint32_t reached; /* bits: from the first block; ways from others are none */
};

static uint32_t pick(struct world *w, uint32_t n)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 7;
	w->seed ^= w->seed << 17;
	return (uint32_t)(w->seed >> 20) % n;
}

static void make_graph(struct world *w)
{
	w->n = 1 + pick(w, MAX_BLOCKS);
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t n = pick(w, 4);

		w->blocks[i] =
			(struct rarog_block_count){ .instructions = 1 + pick(w, 9), .line = i + 1 };
		for (uint32_t k = 0; k < n; k++)
			w->edges[w->function.n_edges++] =
				(struct rarog_edge_count){ .from = i, .to = pick(w, w->n) };
	}
	w->function.n = w->n;
	w->tally = (struct rarog_tally){ .n = 1,
					 .n_blocks = w->n,
					 .n_edges = w->function.n_edges,
					 .functions = &w->function,
					 .blocks = w->blocks,
					 .edges = w->edges };
}

static void walk(struct world *w)
{
	uint32_t at = UINT32_MAX;

	for (w->n_steps = 0; w->n_steps < MAX_STEPS; w->n_steps++) {
		uint32_t n = 0, first = 0;

		w->walk[w->n_steps] = at;
		if (at == UINT32_MAX) {
			at = 0;
			w->function.calls += w->n_steps + 1 < MAX_STEPS;
			continue;
		}
		w->blocks[at].count++;
		for (uint32_t i = 0; i < w->function.n_edges; i++)
			if (w->edges[i].from == at && n++ == 0)
				first = i;
		n = pick(w, n + (n == 0 || pick(w, 8) == 0));
		if (first + n >= w->function.n_edges || w->edges[first + n].from != at) {
			at = UINT32_MAX;
			continue;
		}
		w->edges[first + n].count += w->n_steps + 1 < MAX_STEPS;
		at = w->edges[first + n].to;
	}
}

/* --- by brute force --- */

struct truth {
	uint32_t n;
	uint32_t sets[MAX_LOOPS], headers[MAX_LOOPS], depths[MAX_LOOPS]; /* bits */
};

static bool has(uint32_t set, uint32_t block)
{
	return set >> block & 1;
}

/* Which blocks of @set reach which, without ways into @cut. */
static void close_over(const struct world *w, uint32_t set, uint32_t cut,
		       uint32_t reach[MAX_BLOCKS])
{
	memset(reach, 0, MAX_BLOCKS * sizeof(*reach));
	for (uint32_t i = 0; i < w->function.n_edges; i++)
		if (has(set, w->edges[i].from) && has(set, w->edges[i].to) &&
		    !has(cut, w->edges[i].to))
			reach[w->edges[i].from] |= 1u << w->edges[i].to;
	for (uint32_t k = 0; k < w->n; k++)
		for (uint32_t i = 0; i < w->n; i++)
			if (has(reach[i], k))
				reach[i] |= reach[k];
}

static uint32_t headers_of(const struct world *w, uint32_t set)
{
	uint32_t headers = set & 1;

	for (uint32_t i = 0; i < w->function.n_edges; i++)
		if (!has(set, w->edges[i].from) && has(set, w->edges[i].to) &&
		    has(w->reached, w->edges[i].from))
			headers |= 1u << w->edges[i].to;
	return headers;
}

static void find_loops(const struct world *w, uint32_t set, uint32_t cut, uint32_t depth,
		       struct truth *truth)
{
	uint32_t reach[MAX_BLOCKS], done = 0;

	close_over(w, set, cut, reach);
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t members = 0;

		if (!has(reach[i], i) || has(done, i))
			continue;
		for (uint32_t k = 0; k < w->n; k++)
			members |= (uint32_t)(has(reach[i], k) && has(reach[k], i)) << k;
		done |= members;
		truth->sets[truth->n] = members;
		truth->headers[truth->n] = headers_of(w, members);
		truth->depths[truth->n++] = depth;
		find_loops(w, members, headers_of(w, members), depth + 1, truth);
	}
}

static void check_loop(const struct world *w, const struct truth *truth, uint32_t i,
		       const struct rarog_loop *loop)
{
	uint64_t entries = 0, iterations = 0, instructions = 0, times[MAX_BLOCKS] = { 0 };

	for (uint32_t k = 0; k < w->n_steps; k++) {
		bool was_in = k > 0 && w->walk[k - 1] != UINT32_MAX &&
			      has(truth->sets[i], w->walk[k - 1]);
		uint32_t at = w->walk[k];

		if (at == UINT32_MAX || !has(truth->sets[i], at))
			continue;
		entries += !was_in;
		if (has(truth->headers[i], at) && ++times[at] > iterations)
			iterations = times[at];
		instructions += w->blocks[at].instructions;
	}
	if (entries > iterations)
		iterations = entries;
	assert_true(loop->is_known);
	assert_int_equal(loop->entries, entries);
	assert_int_equal(loop->iterations, iterations);
	assert_int_equal(loop->instructions, instructions);
	assert_int_equal(loop->depth, truth->depths[i]);
	assert_int_equal(loop->n_blocks, __builtin_popcount(truth->sets[i]));
	assert_int_equal(loop->is_irreducible, __builtin_popcount(truth->headers[i]) > 1);
}

static void check_nesting(const struct rarog_loops *loops)
{
	for (size_t i = 0; i < loops->list.n; i++) {
		const struct rarog_loop *loop = &loops->list.v[i];
		uint64_t inner = 0;

		assert_true(loop->parent == RAROG_NONE || loop->parent < i);
		for (size_t k = 0; k < loops->list.n; k++)
			if (loops->list.v[k].parent == i)
				inner += loops->list.v[k].instructions;
		assert_int_equal(loop->own + inner, loop->instructions);
	}
}

/* The deepest of the loops that have the block. */
static void check_innermost(const struct world *w, const struct truth *truth,
			    const struct rarog_loops *loops)
{
	for (uint32_t block = 0; block < w->n; block++) {
		uint32_t depth = 0, header = 0, found = loops->innermost[block];

		for (uint32_t i = 0; i < truth->n; i++) {
			if (!has(truth->sets[i], block) || truth->depths[i] <= depth)
				continue;
			depth = truth->depths[i];
			header = (uint32_t)__builtin_ctz(truth->headers[i]);
		}
		assert_int_equal(found == RAROG_NONE, depth == 0);
		if (depth == 0)
			continue;
		assert_int_equal(loops->list.v[found].depth, depth);
		assert_int_equal(loops->list.v[found].header, header);
	}
}

static void find_reached(struct world *w)
{
	uint32_t reach[MAX_BLOCKS];

	close_over(w, (1u << w->n) - 1, 0, reach);
	w->reached = reach[0] | 1;
}

/* A loop is known by its first header and its depth: no two have both. */
static void compare(const struct world *w, const struct truth *truth,
		    const struct rarog_loops *loops)
{
	assert_int_equal(loops->list.n, truth->n);
	for (uint32_t i = 0; i < truth->n; i++) {
		size_t n = 0;

		for (size_t k = 0; k < loops->list.n; k++) {
			const struct rarog_loop *loop = &loops->list.v[k];

			if (loop->depth != truth->depths[i] ||
			    loop->header != (uint32_t)__builtin_ctz(truth->headers[i]))
				continue;
			n++;
			check_loop(w, truth, i, loop);
		}
		assert_int_equal(n, 1);
	}
	check_nesting(loops);
	check_innermost(w, truth, loops);
}

TEST(random_graphs)
{
	uint64_t irreducible = 0, deep = 0;

	for (uint64_t seed = 1; seed <= 20000; seed++) {
		struct world w = { .seed = seed * 0x9e3779b97f4a7c15 };
		struct truth truth = { 0 };
		struct rarog_loops loops;

		make_graph(&w);
		walk(&w);
		find_reached(&w);
		find_loops(&w, w.reached, 0, 1, &truth);
		assert_int_equal(rarog_loops_find(&w.tally, &w.function, &loops), 0);
		compare(&w, &truth, &loops);
		for (size_t i = 0; i < loops.list.n; i++) {
			irreducible += loops.list.v[i].is_irreducible;
			deep += loops.list.v[i].depth > 2;
		}
		rarog_loops_release(&loops);
	}
	assert_true(irreducible > 1000 && deep > 1000); /* the graphs are what they should be */
}

TEST(extent)
{
	const struct rarog_loop once = { .is_known = true, .entries = 1, .iterations = 9 };
	const struct rarog_loop never_round = { .is_known = true, .entries = 7, .iterations = 7 };
	const struct rarog_loop headers = {
		.is_known = true, .is_irreducible = true, .entries = 1, .iterations = 9
	};
	const struct rarog_loop several = { .is_known = true, .entries = 2, .iterations = 9 };
	const struct rarog_loop never = { .is_known = true };
	uint64_t each = 0;

	assert_true(rarog_loop_extent(&once, &each));
	assert_int_equal(each, 9);
	assert_true(rarog_loop_extent(&never_round, &each));
	assert_int_equal(each, 1);
	assert_false(rarog_loop_extent(&headers, &each));
	assert_false(rarog_loop_extent(&several, &each));
	assert_false(rarog_loop_extent(&never, &each));
}
