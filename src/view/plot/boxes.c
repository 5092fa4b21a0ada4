/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/plot/boxes.h"

#include <stdlib.h>

#include "base/error.h"

void rarog_boxes_release(struct rarog_boxes *boxes)
{
	for (size_t i = 0; i < boxes->lanes.n; i++)
		free(boxes->lanes.v[i].title);
	rarog_vec_release(&boxes->lanes);
	rarog_vec_release(&boxes->v);
}

static int in_order(const void *left, const void *right)
{
	const struct rarog_box *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

void rarog_boxes_sort(struct rarog_boxes *boxes)
{
	if (boxes->v.n > 0)
		qsort(boxes->v.v, boxes->v.n, sizeof(*boxes->v.v), in_order);
}

uint32_t rarog_boxes_rows(const struct rarog_boxes *boxes)
{
	const struct rarog_box_lane *last =
		boxes->lanes.n ? &boxes->lanes.v[boxes->lanes.n - 1] : NULL;

	return last ? last->row + last->n_rows : 0;
}

/* --- of a tree --- */

struct growth {
	struct rarog_boxes *boxes;
	const struct rarog_call_tree *tree;
	const struct rarog_box_limits *limits;
	RAROG_VEC(uint64_t) next; /* by depth: where the next child begins */
};

/* Whether the context has a box. The root has none: it is the width. */
static int grow(struct growth *g, const struct rarog_call_tree_walk *walk, bool *ret_is_drawn)
{
	const struct rarog_node *node = &g->tree->nodes[walk->node];
	uint64_t whole = g->boxes->end, begin = g->next.v[walk->depth];
	uint32_t row = (uint32_t)walk->depth - 1;

	g->next.v[walk->depth] += node->inclusive;
	*ret_is_drawn = false;
	if (g->limits->rows > 0 && row >= g->limits->rows) {
		g->boxes->n_deep++;
		return 0;
	}
	if ((double)node->inclusive * (double)g->limits->cells < (double)whole) {
		g->boxes->n_narrow++;
		return 0;
	}
	*ret_is_drawn = true;
	if (row >= g->boxes->lanes.v[0].n_rows)
		g->boxes->lanes.v[0].n_rows = row + 1;
	return rarog_vec_push(&g->boxes->v,
			      (struct rarog_box){
				      .row = row,
				      .location = node->location,
				      .begin = begin,
				      .end = begin + node->inclusive,
				      .busy = node->inclusive,
				      .calls = node->count,
			      }) < 0
		       ? rarog_oom()
		       : 0;
}

static int enter(struct growth *g, struct rarog_call_tree_walk *walk)
{
	uint64_t begin = walk->depth > 0 ? g->next.v[walk->depth] : 0;
	bool is_drawn = true;
	int r = walk->depth > 0 ? grow(g, walk, &is_drawn) : 0;

	if (r == 0 && !is_drawn)
		rarog_call_tree_skip(walk);
	while (r == 0 && g->next.n <= walk->depth + 1)
		r = rarog_vec_push(&g->next, 0) < 0 ? rarog_oom() : 0;
	if (r == 0)
		g->next.v[walk->depth + 1] = begin;
	return r;
}

int rarog_boxes_of_tree(const struct rarog_call_tree *tree, const struct rarog_box_limits *limits,
			struct rarog_boxes *ret_boxes)
{
	struct rarog_call_tree_walk walk = { .tree = tree };
	struct growth g = { .boxes = ret_boxes, .tree = tree, .limits = limits };
	int r;

	*ret_boxes = (struct rarog_boxes){ .end = tree->n > 0 ? tree->nodes[0].inclusive : 0 };
	r = rarog_vec_push(&ret_boxes->lanes, (struct rarog_box_lane){ 0 }) < 0 ? rarog_oom() : 0;
	while (r == 0 && ret_boxes->end > 0 && rarog_call_tree_step(&walk))
		r = walk.is_leaving ? 0 : enter(&g, &walk);
	rarog_vec_release(&g.next);
	rarog_boxes_sort(ret_boxes);
	return r;
}
