/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The start-up code is above main only because it comes before it: levels begin at main. Everything
 * else that is run other than by a call begins at level 0, unless it is called as well.
 */
#include "binary/call-facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void find_roots(const struct rarog_call_graph *graph, uint32_t root, bool is_root[])
{
	bool has_main =
		root != RAROG_CALL_NOWHERE && graph->callees.v[root].roots & RAROG_ROOT_MAIN;

	for (uint32_t i = 0; i < graph->callees.n; i++)
		is_root[i] = graph->callees.v[i].roots &
			     (has_main ? (uint16_t)~RAROG_ROOT_START : (uint16_t)~0u);
}

struct name {
	const char *text;
	uint32_t number;
};

static int by_text(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Where each name comes in alphabetical order. */
static int rank_names(const struct rarog_call_graph *graph, uint32_t rank[])
{
	struct name *names = calloc(graph->callees.n + 1, sizeof(*names));

	if (!names)
		return rarog_oom();
	for (uint32_t i = 0; i < graph->callees.n; i++)
		names[i] = (struct name){ graph->callees.v[i].name, i };
	qsort(names, graph->callees.n, sizeof(*names), by_text);
	for (uint32_t i = 0; i < graph->callees.n; i++)
		rank[names[i].number] = i;
	free(names);
	return 0;
}

/* The estimator begins at main only. What only other roots lead to keeps its longest path. */
static int estimate(const struct rarog_call_graph *graph, struct rarog_call_facts *facts)
{
	uint32_t *rank = calloc(graph->callees.n + 1, sizeof(*rank));
	uint32_t *level = calloc(graph->callees.n + 1, sizeof(*level));
	int r = rank && level ? rank_names(graph, rank) : rarog_oom();

	if (r == 0 && facts->root != RAROG_CALL_NOWHERE)
		r = rarog_levels_estimate(&facts->out, &facts->in, facts->root, rank, level);
	for (uint32_t i = 0; r == 0 && i < graph->callees.n; i++)
		if (facts->root != RAROG_CALL_NOWHERE && level[i] != RAROG_LEVEL_NONE)
			facts->level[i] = level[i];
	free(rank);
	free(level);
	return r;
}

static int find_levels(const struct rarog_call_graph *graph, enum rarog_level_rule rule,
		       struct rarog_call_facts *facts)
{
	bool *is_root = calloc(graph->callees.n + 1, sizeof(*is_root));
	int r = is_root ? 0 : rarog_oom();

	if (r < 0)
		return r;
	find_roots(graph, facts->root, is_root);
	r = rarog_levels_find(&facts->out, &facts->components, is_root, facts->level);
	if (r == 0 && rule == RAROG_LEVEL_ESTIMATED)
		r = estimate(graph, facts);
	free(is_root);
	return r;
}

static int find_top(const struct rarog_call_graph *graph, struct rarog_call_facts *facts)
{
	bool *is_there = calloc(graph->callees.n + 1, sizeof(*is_there));
	int r = is_there ? 0 : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < graph->callees.n; i++)
		is_there[i] = graph->callees.v[i].kind == RAROG_CALLEE_FUNCTION &&
			      facts->level[i] != RAROG_LEVEL_NONE;
	if (r == 0 && facts->root != RAROG_CALL_NOWHERE)
		r = rarog_call_top(&facts->out, &facts->components, facts->root, is_there,
				   facts->is_top);
	free(is_there);
	return r;
}

/* Functions with code only; all of a component come to the same. */
static int count_reached(const struct rarog_call_graph *graph, struct rarog_call_facts *facts)
{
	const struct rarog_components *components = &facts->components;
	uint32_t *weight = calloc((size_t)components->n + 1, sizeof(*weight));
	uint32_t *sums = calloc((size_t)components->n + 1, sizeof(*sums));

	for (uint32_t i = 0; weight && i < graph->callees.n; i++)
		weight[components->of[i]] += graph->callees.v[i].kind == RAROG_CALLEE_FUNCTION;
	for (uint32_t c = 0; weight && sums && facts->reach.bits && c < components->n; c++) {
		const uint64_t *set = facts->reach.bits + (size_t)c * facts->reach.words;

		for (size_t w = 0; w <= c / 64; w++)
			for (uint64_t bits = set[w]; bits; bits &= bits - 1)
				sums[c] += weight[w * 64 + (size_t)__builtin_ctzll(bits)];
	}
	for (uint32_t i = 0; weight && sums && i < graph->callees.n; i++)
		facts->reached[i] = sums[components->of[i]];
	free(weight);
	free(sums);
	return weight && sums ? 0 : rarog_oom();
}

static int find(const struct rarog_call_graph *graph, enum rarog_level_rule rule,
		struct rarog_call_facts *facts)
{
	int r = rarog_digraph_turn(&facts->out, &facts->in);

	if (r == 0)
		r = rarog_components_make(&facts->out, &facts->components);
	if (r == 0)
		r = find_levels(graph, rule, facts);
	if (r == 0)
		r = rarog_call_reach_make(&facts->out, &facts->components, &facts->reach);
	if (r == -EFBIG)
		r = 0;
	if (r == 0)
		r = count_reached(graph, facts);
	if (r < 0)
		return r;
	rarog_call_bottom(&facts->out, &facts->components, facts->is_bottom);
	return find_top(graph, facts);
}

int rarog_call_facts_find(const struct rarog_call_graph *graph, bool sure,
			  enum rarog_level_rule rule, struct rarog_call_facts *ret_facts)
{
	size_t n = graph->callees.n + 1;

	*ret_facts = (struct rarog_call_facts){ .root = rarog_call_graph_root(graph) };
	ret_facts->level = calloc(n, sizeof(*ret_facts->level));
	ret_facts->reached = calloc(n, sizeof(*ret_facts->reached));
	ret_facts->is_bottom = calloc(n, sizeof(*ret_facts->is_bottom));
	ret_facts->is_top = calloc(n, sizeof(*ret_facts->is_top));
	if (!ret_facts->level || !ret_facts->reached || !ret_facts->is_bottom || !ret_facts->is_top)
		return rarog_oom();
	int r = rarog_call_graph_digraph(graph, sure, &ret_facts->out);

	return r < 0 ? r : find(graph, rule, ret_facts);
}

void rarog_call_facts_release(struct rarog_call_facts *facts)
{
	rarog_digraph_release(&facts->out);
	rarog_digraph_release(&facts->in);
	rarog_components_release(&facts->components);
	rarog_call_reach_release(&facts->reach);
	free(facts->level);
	free(facts->reached);
	free(facts->is_bottom);
	free(facts->is_top);
}
