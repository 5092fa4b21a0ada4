/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random call graphs with what runs have shown, and the words of the techniques by their
 * definitions: which function calls which is found by trying all paths.
 */
#ifndef RAROG_TEST_RANDOM_WORLD_H
#define RAROG_TEST_RANDOM_WORLD_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/optimize.h"
#include "unit.h"

enum { FUNCTIONS = 11, NODES = FUNCTIONS + 3, GRAPHS = 1500 };

/* The last node is that of pointers, the two before it are functions of other files. */
struct world {
	uint32_t n, functions;
	struct rarog_call_graph graph;
	struct rarog_subject subject;
	bool calls[NODES][NODES]; /* by one edge */
	bool leads[NODES][NODES]; /* between functions, through what is none */
	bool comes[NODES][NODES]; /* by any path; each comes to itself */
	bool is_protected[NODES];
	struct rarog_parameters parameters;
	struct rarog_statistics statistics;
	uint8_t since_run[NODES];
	bool wanted[NODES]; /* pruned */
	char names[NODES][16];
};

static inline uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % n;
}

static inline uint8_t kind_of(const struct world *w, uint32_t node)
{
	if (node < w->functions)
		return RAROG_CALLEE_FUNCTION;
	return node == w->n - 1 ? RAROG_CALLEE_POINTER : RAROG_CALLEE_IMPORT;
}

static inline void add_callees(struct world *w, uint64_t *seed)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct rarog_callee callee = { .name = w->names[i], .kind = kind_of(w, i) };

		snprintf(w->names[i], sizeof(w->names[i]), "f%u", i);
		callee.address = i < w->functions ? 0x1000 + 16 * i : 0;
		callee.roots = i == 0 ? RAROG_ROOT_MAIN : 0;
		if (i < w->functions && below(seed, 12) == 0)
			callee.roots |= RAROG_ROOT_THREAD;
		if (i < w->functions && below(seed, 3) == 0)
			callee.flags = RAROG_CALLEE_CONSTANT;
		assert_int_equal(rarog_vec_push(&w->graph.callees, callee), 0);
		w->is_protected[i] = i == 0 || below(seed, 9) == 0;
	}
}

static inline void add_edges(struct world *w, uint64_t *seed)
{
	uint32_t wanted = below(seed, 3 * w->n);

	for (uint32_t i = 0; i < wanted; i++) {
		uint32_t from = below(seed, w->n), to = below(seed, w->n);

		if (from != to)
			w->calls[from][to] = true;
	}
	for (uint32_t from = 0; from < w->n; from++)
		for (uint32_t to = 0; to < w->n; to++) {
			struct rarog_call_edge edge = { .from = from, .to = to };

			if (w->calls[from][to])
				assert_int_equal(rarog_vec_push(&w->graph.edges, edge), 0);
		}
}

/* By which paths does a function lead to others, when only nodes that are none are in between? */
static inline void close_paths(struct world *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		for (uint32_t j = 0; j < w->n; j++) {
			w->leads[i][j] = w->calls[i][j];
			w->comes[i][j] = w->calls[i][j] || i == j;
		}
	for (uint32_t k = w->functions; k < w->n; k++)
		for (uint32_t i = 0; i < w->n; i++)
			for (uint32_t j = 0; j < w->n; j++)
				w->leads[i][j] |= w->leads[i][k] && w->leads[k][j];
	for (uint32_t k = 0; k < w->n; k++)
		for (uint32_t i = 0; i < w->n; i++)
			for (uint32_t j = 0; j < w->n; j++)
				w->comes[i][j] |= w->comes[i][k] && w->comes[k][j];
}

static inline void add_statistics(struct world *w, uint64_t *seed)
{
	static const uint64_t counts[] = { 0, 1, 900, 9500, 10400, 20000, 3000000 };

	for (uint32_t i = 0; i < w->functions; i++) {
		double median = 5 + below(seed, 200);
		struct rarog_function_statistics f = {
			.name = strdup(w->names[i]),
			.every = 1 + below(seed, 3),
			.count = counts[below(seed, 7)],
			.q1_ns = median,
			.median_ns = median,
			.q3_ns = median * (below(seed, 2) ? 1.01 : 2),
			.has_quartiles = below(seed, 4) > 0,
			.age = below(seed, 12),
		};

		f.has_quartiles = f.has_quartiles && f.count > 0;
		f.sampled = f.count ? 1 + f.count / f.every : 0;
		if (below(seed, 4) == 0)
			free(f.name);
		else
			assert_int_equal(rarog_vec_push(&w->statistics.v, f), 0);
	}
	w->statistics.runs = below(seed, 12);
	for (uint32_t i = 0; i < w->n; i++)
		w->since_run[i] = below(seed, 4) ? RAROG_CHANGE_NONE
						 : (uint8_t)below(seed, RAROG_CHANGE_NEW + 1);
	rarog_statistics_settle(&w->statistics);
}

static inline void make(struct world *w, uint64_t *seed)
{
	memset(w, 0, sizeof(*w));
	w->functions = 1 + below(seed, FUNCTIONS);
	w->n = w->functions + 3;
	add_callees(w, seed);
	add_edges(w, seed);
	close_paths(w);
	add_statistics(w, seed);
	w->parameters = rarog_parameters_default();
	assert_int_equal(
		rarog_subject_make(&w->graph,
				   below(seed, 2) ? RAROG_LEVEL_ESTIMATED : RAROG_LEVEL_LONGEST,
				   &w->subject),
		0);
}

static inline void release(struct world *w)
{
	rarog_subject_release(&w->subject);
	rarog_call_graph_release(&w->graph);
	rarog_statistics_release(&w->statistics);
}

/* --- the words, by their definitions --- */

static inline bool is_unchanged(const struct world *w, uint32_t node)
{
	return w->since_run[node] == RAROG_CHANGE_NONE;
}

static inline bool as_measured(const struct world *w, uint32_t node)
{
	return w->since_run[node] == RAROG_CHANGE_NONE || w->since_run[node] == RAROG_CHANGE_CALLS;
}

static inline bool is_reached(const struct world *w, uint32_t node)
{
	for (uint32_t i = 0; i < w->functions; i++)
		if (w->graph.callees.v[i].roots && w->comes[i][node])
			return true;
	return false;
}

static inline bool is_leaf(const struct world *w, uint32_t node)
{
	for (uint32_t i = 0; i < w->functions; i++)
		if (w->leads[node][i])
			return false;
	return true;
}

static inline uint32_t level(const struct world *w, uint32_t node)
{
	return w->subject.facts.level[node];
}

static inline uint32_t number(struct world *w, enum rarog_technique_parameter parameter,
			      uint32_t value)
{
	w->parameters.number[parameter] = value;
	return value;
}
static inline void compare(struct world *w, enum rarog_technique_number technique, const char *what)
{
	struct rarog_decision joined[NODES];
	struct rarog_deciding d = { .subject = &w->subject,
				    .parameters = &w->parameters,
				    .statistics = &w->statistics,
				    .since_run = w->since_run,
				    .is_protected = w->is_protected };

	assert_int_equal(rarog_optimize_decide(&d, 1, &technique, joined), 0);
	rarog_vec_release(&d.v);
	for (uint32_t i = 0; i < w->n; i++) {
		bool wanted = i < w->functions && w->wanted[i] && !w->is_protected[i];

		if ((joined[i].action == RAROG_ACTION_PRUNED) != wanted)
			fail_msg("%s: f%u of %u on level %d is %s", what, i, w->functions,
				 (int)level(w, i), wanted ? "kept" : "pruned");
	}
}

#endif
