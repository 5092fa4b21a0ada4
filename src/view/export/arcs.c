/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/export/arcs.h"

#include <stdlib.h>

#include "base/error.h"

struct gathering {
	const struct rarog_call_tree *tree;
	struct rarog_arcs *arcs;
	uint64_t *below[RAROG_ARC_AMOUNTS]; /* by node, with itself */
	uint32_t *on_stack;                 /* by location, during the walk */
};

static void add_self(const struct gathering *g, uint32_t node, struct rarog_own_cost *self)
{
	for (size_t i = 0; i < g->arcs->n_amounts; i++)
		self->ticks[i] += rarog_metric_kinds[i].own(g->tree, node);
}

static void add_arc(struct gathering *g, uint32_t index)
{
	const struct rarog_node *node = &g->tree->nodes[index];
	struct rarog_arc *arc = &g->arcs->v[g->arcs->n++];

	*arc = (struct rarog_arc){ .caller = g->tree->nodes[node->parent].location,
				   .callee = node->location,
				   .count = node->count };
	for (size_t i = 0; i < g->arcs->n_amounts && g->on_stack[node->location] == 0; i++)
		arc->inclusive[i] = g->below[i][index];
}

static void gather_node(struct gathering *g, const struct rarog_call_tree_walk *walk)
{
	uint32_t location = g->tree->nodes[walk->node].location;
	bool is_root = location == RAROG_NONE;

	if (walk->is_leaving) {
		if (!is_root)
			g->on_stack[location]--;
		return;
	}
	add_self(g, walk->node, &g->arcs->self[is_root ? g->arcs->n_locations : location]);
	if (is_root)
		return;
	add_arc(g, walk->node);
	g->on_stack[location]++;
}

static int by_caller(const void *a, const void *b)
{
	const struct rarog_arc *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static void sum_arcs(struct rarog_arcs *arcs)
{
	size_t n = 0;

	if (arcs->n > 1)
		qsort(arcs->v, arcs->n, sizeof(*arcs->v), by_caller);
	for (size_t i = 0; i < arcs->n; i++) {
		if (n > 0 && by_caller(&arcs->v[n - 1], &arcs->v[i]) == 0) {
			arcs->v[n - 1].count += arcs->v[i].count;
			for (size_t k = 0; k < arcs->n_amounts; k++)
				arcs->v[n - 1].inclusive[k] += arcs->v[i].inclusive[k];
		} else {
			arcs->v[n++] = arcs->v[i];
		}
	}
	arcs->n = n;
}

static int sum_up(struct gathering *g)
{
	for (size_t i = 0; i < RAROG_ARC_AMOUNTS && rarog_metric_is_known(g->tree, i); i++) {
		g->below[i] = rarog_metric_sum(g->tree, i);
		if (!g->below[i])
			return -ENOMEM;
		g->arcs->n_amounts++;
	}
	return 0;
}

static int gather(struct gathering *g)
{
	struct rarog_call_tree_walk walk = { .tree = g->tree, .is_unordered = true };
	struct rarog_arcs *arcs = g->arcs;

	arcs->v = calloc(g->tree->n + 1, sizeof(*arcs->v));
	arcs->self = calloc(arcs->n_locations + 1, sizeof(*arcs->self));
	g->on_stack = calloc(arcs->n_locations + 1, sizeof(*g->on_stack));
	if (!arcs->v || !arcs->self || !g->on_stack)
		return rarog_oom();
	if (sum_up(g) < 0)
		return -ENOMEM;
	while (rarog_call_tree_step(&walk))
		gather_node(g, &walk);
	sum_arcs(arcs);
	return 0;
}

int rarog_arcs_make(const struct rarog_call_tree *tree, size_t n_locations,
		    struct rarog_arcs *ret_arcs)
{
	struct gathering g = { .tree = tree, .arcs = ret_arcs };
	int r;

	*ret_arcs = (struct rarog_arcs){ .n_locations = n_locations };
	r = gather(&g);
	for (size_t i = 0; i < RAROG_ARC_AMOUNTS; i++)
		free(g.below[i]);
	free(g.on_stack);
	return r;
}

void rarog_arcs_release(struct rarog_arcs *arcs)
{
	free(arcs->v);
	free(arcs->self);
	*arcs = (struct rarog_arcs){ 0 };
}
