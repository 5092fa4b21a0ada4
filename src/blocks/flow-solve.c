/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kirchhoff's law, twice. A node with one unknown edge gives that edge's count; then its neighbour
 * may have only one. First on the sets of nodes that blind edges join, where only derived edges are
 * unknown and form a forest: all of them become known. Then on the nodes themselves, for the blind
 * edges; those on a circle stay unknown. Sums are modulo 2^64, so no order of them overflows.
 */
#include "blocks/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "blocks/joined.h"

struct node {
	uint64_t surplus;   /* known to enter less known to leave */
	uint32_t n_unknown; /* unknown edges at it */
	uint64_t unknown;   /* the exclusive or of their numbers: of the last one, the number */
};

struct solver {
	const struct rarog_flow *flow;
	uint32_t *sets; /* which node stands for which */
	struct node *nodes;
	struct rarog_flow_count *counts;
	uint32_t *ready; /* nodes with one unknown edge */
	size_t n_ready;
};

static size_t n_nodes(const struct rarog_flow *flow)
{
	return 2 * flow->n_blocks + 1;
}

/* An edge whose ends are one node changes nothing there. */
static bool ends(struct solver *s, size_t edge, uint32_t *ret_from, uint32_t *ret_to)
{
	*ret_from = rarog_joined_find(s->sets, s->flow->edges[edge].from);
	*ret_to = rarog_joined_find(s->sets, s->flow->edges[edge].to);
	return *ret_from != *ret_to;
}

static void add_known(struct solver *s, size_t edge)
{
	uint32_t from, to;

	if (!ends(s, edge, &from, &to))
		return;
	s->nodes[from].surplus -= (uint64_t)s->counts[edge].count;
	s->nodes[to].surplus += (uint64_t)s->counts[edge].count;
}

static void add_unknown(struct solver *s, size_t edge)
{
	uint32_t from, to;

	if (!ends(s, edge, &from, &to))
		return;
	s->nodes[from].n_unknown++;
	s->nodes[from].unknown ^= edge;
	s->nodes[to].n_unknown++;
	s->nodes[to].unknown ^= edge;
}

/* @edge became known: one unknown less at @node. */
static void forget(struct solver *s, uint32_t node, size_t edge)
{
	s->nodes[node].unknown ^= edge;
	if (--s->nodes[node].n_unknown == 1)
		s->ready[s->n_ready++] = node;
}

static void settle(struct solver *s, uint32_t node)
{
	size_t edge = s->nodes[node].unknown;
	uint64_t surplus = s->nodes[node].surplus;
	uint32_t from, to;

	if (s->nodes[node].n_unknown != 1)
		return; /* its neighbour was first */
	ends(s, edge, &from, &to);
	s->counts[edge].count = (int64_t)(from == node ? surplus : 0 - surplus);
	s->counts[edge].is_known = true;
	add_known(s, edge);
	forget(s, from, edge);
	forget(s, to, edge);
}

/* Everything that follows from the known edges, the edges of @state being unknown. */
static void derive(struct solver *s, enum rarog_flow_state state)
{
	size_t n = n_nodes(s->flow);

	for (size_t i = 0; i < n; i++)
		s->nodes[i] = (struct node){ 0 };
	for (size_t i = 0; i < s->flow->n_edges; i++) {
		if (s->counts[i].is_known)
			add_known(s, i);
		else if (s->flow->edges[i].state == state)
			add_unknown(s, i);
	}
	s->n_ready = 0;
	for (size_t i = 0; i < n; i++)
		if (s->nodes[i].n_unknown == 1)
			s->ready[s->n_ready++] = (uint32_t)i;
	while (s->n_ready > 0)
		settle(s, s->ready[--s->n_ready]);
}

static void read_counters(struct solver *s, const uint64_t *counters)
{
	for (size_t i = 0; i < s->flow->n_edges; i++) {
		const struct rarog_flow_edge *edge = &s->flow->edges[i];

		s->counts[i] = (struct rarog_flow_count){ 0 };
		if (edge->state == RAROG_FLOW_COUNTED)
			s->counts[i] = (struct rarog_flow_count){ (int64_t)*counters++, true };
		else if (edge->state == RAROG_FLOW_BLIND)
			rarog_joined_join(s->sets, edge->from, edge->to);
	}
}

int rarog_flow_solve(const struct rarog_flow *flow, const uint64_t *counters,
		     struct rarog_flow_count *ret_counts)
{
	rarog_cleanup(rarog_freep) uint32_t *sets = rarog_joined_new(n_nodes(flow));
	rarog_cleanup(rarog_freep) uint32_t *ready = calloc(n_nodes(flow), sizeof(*ready));
	rarog_cleanup(rarog_freep) struct node *nodes = calloc(n_nodes(flow), sizeof(*nodes));
	struct solver s = {
		.flow = flow, .sets = sets, .nodes = nodes, .counts = ret_counts, .ready = ready
	};

	if (!sets || !ready || !nodes)
		return rarog_oom();
	read_counters(&s, counters);
	derive(&s, RAROG_FLOW_DERIVED);
	for (uint32_t i = 0; i < n_nodes(flow); i++)
		sets[i] = i; /* each node for itself again */
	derive(&s, RAROG_FLOW_BLIND);
	return 0;
}
