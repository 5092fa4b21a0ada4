/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Components, levels, reachability, bottom and top of random graphs, each by its definition: paths
 * are found by trying all, and the documents' estimator is written down once more with the lists of
 * its pseudo-code.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "binary/call-reach.h"
#include "unit.h"

enum { NODES = 14, ARCS = 60, GRAPHS = 3000 };

struct graph {
	uint32_t n;
	size_t n_arcs;
	struct rarog_digraph_arc arcs[ARCS];
	bool has[NODES][NODES], reaches[NODES][NODES];
	struct rarog_digraph out, in;
	struct rarog_components components;
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % n;
}

/* Without arcs of a node to itself; some are dense, some have hardly any. */
static void make(uint64_t *seed, struct graph *g)
{
	size_t wanted;

	memset(g, 0, sizeof(*g));
	g->n = 1 + below(seed, NODES);
	wanted = below(seed, 3 * g->n);
	for (size_t i = 0; i < wanted; i++) {
		struct rarog_digraph_arc arc = { below(seed, g->n), below(seed, g->n) };

		if (arc.from == arc.to || g->has[arc.from][arc.to])
			continue;
		g->has[arc.from][arc.to] = g->reaches[arc.from][arc.to] = true;
		g->arcs[g->n_arcs++] = arc;
	}
	for (uint32_t i = 0; i < g->n; i++)
		g->reaches[i][i] = true;
	for (uint32_t k = 0; k < g->n; k++)
		for (uint32_t i = 0; i < g->n; i++)
			for (uint32_t j = 0; j < g->n; j++)
				g->reaches[i][j] |= g->reaches[i][k] && g->reaches[k][j];
	assert_int_equal(rarog_digraph_make(g->n, g->n_arcs, g->arcs, &g->out), 0);
	assert_int_equal(rarog_digraph_turn(&g->out, &g->in), 0);
	assert_int_equal(rarog_components_make(&g->out, &g->components), 0);
}

static void release(struct graph *g)
{
	rarog_digraph_release(&g->out);
	rarog_digraph_release(&g->in);
	rarog_components_release(&g->components);
}

static bool same(const struct graph *g, uint32_t a, uint32_t b)
{
	return g->reaches[a][b] && g->reaches[b][a];
}

TEST(a_digraph_has_the_arcs_that_it_was_made_of)
{
	uint64_t seed = 1;

	for (int i = 0; i < GRAPHS; i++) {
		struct graph g;
		size_t n = 0;

		make(&seed, &g);
		for (uint32_t from = 0; from < g.n; from++)
			for (uint32_t k = g.out.first[from]; k < g.out.first[from + 1]; k++, n++)
				assert_true(g.has[from][g.out.to[k]]);
		assert_int_equal(n, g.n_arcs);
		for (uint32_t to = 0; to < g.n; to++)
			for (uint32_t k = g.in.first[to]; k < g.in.first[to + 1]; k++)
				assert_true(g.has[g.in.to[k]][to]);
		assert_int_equal(g.in.first[g.n], g.n_arcs);
		release(&g);
	}
}

TEST(components_are_what_leads_to_each_other)
{
	uint64_t seed = 2;

	for (int i = 0; i < GRAPHS; i++) {
		struct graph g;

		make(&seed, &g);
		for (uint32_t a = 0; a < g.n; a++) {
			assert_true(g.components.of[a] < g.components.n);
			for (uint32_t b = 0; b < g.n; b++) {
				assert_int_equal(g.components.of[a] == g.components.of[b],
						 same(&g, a, b));
				if (g.has[a][b])
					assert_true(g.components.of[b] <= g.components.of[a]);
			}
		}
		release(&g);
	}
}

/* How many arcs between components the longest way from a root to @node has; -1: none leads there.
 */
static long longest(const struct graph *g, const bool is_root[], uint32_t node)
{
	long most = -1;

	for (uint32_t i = 0; i < g->n; i++)
		if (is_root[i] && same(g, i, node))
			most = 0;
	for (uint32_t i = 0; i < g->n; i++) {
		bool enters = false;
		long before;

		for (uint32_t k = 0; k < g->n; k++)
			enters |= g->has[i][k] && same(g, k, node);
		if (!enters || same(g, i, node))
			continue;
		before = longest(g, is_root, i);
		if (before >= 0 && before + 1 > most)
			most = before + 1;
	}
	return most;
}

TEST(levels_are_the_longest_ways_from_roots)
{
	uint64_t seed = 3;

	for (int i = 0; i < GRAPHS / 10; i++) {
		struct graph g;
		bool is_root[NODES];
		uint32_t levels[NODES];

		make(&seed, &g);
		for (uint32_t k = 0; k < g.n; k++)
			is_root[k] = below(&seed, 4) == 0;
		assert_int_equal(rarog_levels_find(&g.out, &g.components, is_root, levels), 0);
		for (uint32_t k = 0; k < g.n; k++) {
			long expected = longest(&g, is_root, k);

			assert_int_equal(levels[k],
					 expected < 0 ? RAROG_LEVEL_NONE : (uint32_t)expected);
		}
		release(&g);
	}
}

/* --- the estimator, as it is written --- */

struct function {
	long levels[2 * ARCS], level;
	size_t n_levels, n_inspected, n_callers;
	bool finished, is_candidate;
};

static long highest(const struct function *f)
{
	long most = f->finished ? f->level : 0;

	for (size_t i = 0; !f->finished && i < f->n_levels; i++)
		most = f->levels[i] > most ? f->levels[i] : most;
	return most;
}

static long set_level(const struct graph *g, const struct function f[], uint32_t node)
{
	long most = 0;

	for (uint32_t i = 0; i < g->n; i++)
		if ((g->has[i][node] || g->has[node][i]) && highest(&f[i]) > most)
			most = highest(&f[i]);
	return most + 1;
}

static long representative(const struct graph *g, const struct function f[], const uint32_t rank[])
{
	long best = -1;

	for (uint32_t i = 0; i < g->n; i++)
		if (f[i].is_candidate &&
		    (best < 0 || highest(&f[i]) < highest(&f[best]) ||
		     (highest(&f[i]) == highest(&f[best]) && rank[i] < rank[best])))
			best = i;
	return best;
}

struct queue {
	struct {
		uint32_t callee;
		long level;
	} v[4 * ARCS];
	size_t head, tail;
};

static void finish(const struct graph *g, struct function f[], struct queue *q, uint32_t node)
{
	f[node].finished = true;
	f[node].is_candidate = false;
	for (size_t i = 0; i < g->n_arcs; i++)
		if (g->arcs[i].from == node) {
			q->v[q->tail].callee = g->arcs[i].to;
			q->v[q->tail++].level = f[node].level;
		}
}

static void estimate(const struct graph *g, const uint32_t rank[], struct function f[])
{
	struct queue q = { .head = 0 };

	for (size_t i = 0; i < g->n_arcs; i++)
		f[g->arcs[i].to].n_callers += g->reaches[0][g->arcs[i].from];
	finish(g, f, &q, 0);
	for (;;) {
		long node;

		if (q.head < q.tail) {
			struct function *callee = &f[node = q.v[q.head].callee];
			long level = q.v[q.head++].level;

			if (callee->finished)
				continue;
			callee->is_candidate = true;
			callee->levels[callee->n_levels++] = level;
			if (++callee->n_inspected < callee->n_callers)
				continue;
		} else {
			node = representative(g, f, rank);
			if (node < 0)
				return;
		}
		f[node].level = set_level(g, f, (uint32_t)node);
		finish(g, f, &q, (uint32_t)node);
	}
}

TEST(estimates_are_those_of_the_pseudo_code)
{
	uint64_t seed = 4;

	for (int i = 0; i < GRAPHS; i++) {
		struct graph g;
		struct function f[NODES] = { 0 };
		uint32_t levels[NODES], rank[NODES];

		make(&seed, &g);
		for (uint32_t k = 0; k < g.n; k++)
			rank[k] = (k * 5 + 3) % g.n;
		for (uint32_t k = 0; k < g.n; k++) /* where 5 divides n they are not different */
			rank[k] = rank[k] * NODES + k;
		estimate(&g, rank, f);
		assert_int_equal(rarog_levels_estimate(&g.out, &g.in, 0, rank, levels), 0);
		for (uint32_t k = 0; k < g.n; k++)
			assert_int_equal(levels[k],
					 g.reaches[0][k] ? (uint32_t)f[k].level : RAROG_LEVEL_NONE);
		release(&g);
	}
}

TEST(the_deepest_level_is_that_of_all_that_a_node_leads_to)
{
	uint64_t seed = 7;

	for (int i = 0; i < GRAPHS; i++) {
		struct graph g;
		uint32_t levels[NODES], deepest[NODES];

		make(&seed, &g);
		for (uint32_t k = 0; k < g.n; k++)
			levels[k] = (k * 7 + (uint32_t)i) % 5 ? (k * 11 + (uint32_t)i) % 9
							      : RAROG_LEVEL_NONE;
		assert_int_equal(rarog_levels_deepest(&g.out, &g.components, levels, deepest), 0);
		for (uint32_t a = 0; a < g.n; a++) {
			uint32_t most = RAROG_LEVEL_NONE;

			for (uint32_t b = 0; b < g.n; b++)
				if (g.reaches[a][b] && levels[b] != RAROG_LEVEL_NONE &&
				    (most == RAROG_LEVEL_NONE || levels[b] > most))
					most = levels[b];
			assert_int_equal(deepest[a], most);
		}
		release(&g);
	}
}

TEST(both_rules_agree_where_two_ways_of_different_length_meet)
{
	/* 0 calls 1, 4; 1 calls 2; 2 calls 3; 3 calls 5; 4 calls 5 */
	static const struct rarog_digraph_arc arcs[] = { { 0, 1 }, { 0, 4 }, { 1, 2 },
							 { 2, 3 }, { 3, 5 }, { 4, 5 } };
	static const uint32_t rank[] = { 0, 1, 2, 3, 4, 5 };
	static const bool is_root[6] = { true };
	struct rarog_digraph out, in;
	struct rarog_components components;
	uint32_t levels[6];

	assert_int_equal(rarog_digraph_make(6, 6, arcs, &out), 0);
	assert_int_equal(rarog_digraph_turn(&out, &in), 0);
	assert_int_equal(rarog_components_make(&out, &components), 0);
	assert_int_equal(rarog_levels_find(&out, &components, is_root, levels), 0);
	assert_memory_equal(levels, ((uint32_t[]){ 0, 1, 2, 3, 1, 4 }), sizeof(levels));
	assert_int_equal(rarog_levels_estimate(&out, &in, 0, rank, levels), 0);
	assert_memory_equal(levels, ((uint32_t[]){ 0, 1, 2, 3, 1, 4 }), sizeof(levels));
	rarog_components_release(&components);
	rarog_digraph_release(&out);
	rarog_digraph_release(&in);
}

/* --- which comes where --- */

TEST(sets_of_bits_have_what_paths_lead_to)
{
	uint64_t seed = 5;

	for (int i = 0; i < GRAPHS; i++) {
		struct graph g;
		struct rarog_call_reach reach;

		make(&seed, &g);
		assert_int_equal(rarog_call_reach_make(&g.out, &g.components, &reach), 0);
		for (uint32_t a = 0; a < g.n; a++)
			for (uint32_t b = 0; b < g.n; b++)
				assert_int_equal(rarog_call_reach_has(&reach, a, b),
						 g.reaches[a][b]);
		rarog_call_reach_release(&reach);
		release(&g);
	}
}

TEST(the_bottom_leads_nowhere_but_back)
{
	uint64_t seed = 6;

	for (int i = 0; i < GRAPHS; i++) {
		struct graph g;
		bool bottom[NODES];

		make(&seed, &g);
		rarog_call_bottom(&g.out, &g.components, bottom);
		for (uint32_t a = 0; a < g.n; a++) {
			bool leads_on = false;

			for (uint32_t b = 0; b < g.n; b++)
				leads_on |= g.has[a][b] && !g.reaches[b][a];
			assert_int_equal(bottom[a], !leads_on);
		}
		release(&g);
	}
}

/* The root and its only callee, and its, … as often as there is only one. */
static void expect_cut(const struct graph *g, bool left[])
{
	uint32_t at = 0, next, n;

	for (uint32_t i = 0; i < g->n; i++)
		left[i] = g->reaches[0][i];
	while (left[at]) {
		left[at] = false;
		n = next = 0;
		for (uint32_t i = 0; i < g->n; i++)
			if (g->has[at][i]) {
				next = i;
				n++;
			}
		if (n != 1)
			return;
		at = next;
	}
}

TEST(nothing_that_is_left_leads_to_the_top)
{
	uint64_t seed = 7;

	for (int i = 0; i < GRAPHS; i++) {
		struct graph g;
		bool there[NODES], left[NODES] = { false }, top[NODES], any = false;

		make(&seed, &g);
		for (uint32_t k = 0; k < g.n; k++)
			there[k] = g.reaches[0][k];
		expect_cut(&g, left);
		assert_int_equal(rarog_call_top(&g.out, &g.components, 0, there, top), 0);
		for (uint32_t k = 0; k < g.n; k++)
			any |= left[k];
		for (uint32_t k = 0; k < g.n; k++) {
			bool expected = left[k] || (!any && k == 0);

			for (uint32_t a = 0; a < g.n; a++)
				for (uint32_t b = 0; b < g.n; b++)
					if (left[a] && g.has[a][b] && same(&g, b, k) &&
					    !same(&g, a, k))
						expected = false;
			assert_int_equal(top[k], expected);
		}
		release(&g);
	}
}
