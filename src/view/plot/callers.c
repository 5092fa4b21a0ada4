/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A flame graph turned round: functions by what they cost themselves, below each what called it,
 * as wide as what the function cost when it was called that way. A box is a group of contexts: the
 * way up has come to .at, and it began at .from. What is narrower than a cell is not followed, so
 * that as many groups are open as have room.
 */
#include <stdlib.h>

#include "base/error.h"
#include "view/plot/boxes.h"

struct way {
	uint32_t at, from; /* nodes */
	uint32_t location; /* of .at */
};

struct group {
	size_t first, n; /* ways */
	uint32_t location;
	uint64_t own, calls; /* of where they began */
};

struct picture {
	const struct rarog_call_tree *tree;
	const struct rarog_box_limits *limits;
	struct rarog_boxes *boxes;
	struct way *ways;
};

static int by_location(const void *left, const void *right)
{
	const struct way *a = left, *b = right;

	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int heaviest_first(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->own != b->own)
		return a->own > b->own ? -1 : 1;
	return (a->location > b->location) - (a->location < b->location);
}

/* @ret_groups: the caller frees it. Return: how many, or -ENOMEM. */
static long group_ways(const struct picture *p, size_t first, size_t n, struct group **ret_groups)
{
	struct group *groups = calloc(n + 1, sizeof(*groups));
	size_t n_groups = 0;

	if (!groups)
		return rarog_oom();
	qsort(p->ways + first, n, sizeof(*p->ways), by_location);
	for (size_t i = first; i < first + n; i++) {
		const struct rarog_node *from = &p->tree->nodes[p->ways[i].from];

		if (i == first || p->ways[i].location != p->ways[i - 1].location)
			groups[n_groups++] =
				(struct group){ .first = i, .location = p->ways[i].location };
		groups[n_groups - 1].n++;
		groups[n_groups - 1].own += from->exclusive;
		groups[n_groups - 1].calls += from->count;
	}
	qsort(groups, n_groups, sizeof(*groups), heaviest_first);
	*ret_groups = groups;
	return (long)n_groups;
}

/* Whether the group has a box. */
static int add_box(struct picture *p, const struct group *group, uint32_t row, uint64_t begin,
		   bool *ret_is_drawn)
{
	const struct rarog_box box = { .row = row,
				       .location = group->location,
				       .begin = begin,
				       .end = begin + group->own,
				       .busy = group->own,
				       .calls = group->calls };

	*ret_is_drawn = false;
	if (p->limits->rows > 0 && row >= p->limits->rows) {
		p->boxes->n_deep++;
		return 0;
	}
	if ((double)group->own * (double)p->limits->cells < (double)p->boxes->end) {
		p->boxes->n_narrow++;
		return 0;
	}
	*ret_is_drawn = true;
	if (row >= p->boxes->lanes.v[0].n_rows)
		p->boxes->lanes.v[0].n_rows = row + 1;
	return rarog_vec_push(&p->boxes->v, box) < 0 ? rarog_oom() : 0;
}

/* One step up; those that began at the root's children stay behind. */
static size_t climb(const struct picture *p, const struct group *group)
{
	struct way *ways = p->ways + group->first;
	size_t n = 0;

	for (size_t i = 0; i < group->n; i++) {
		uint32_t parent = p->tree->nodes[ways[i].at].parent;

		if (parent == 0 || parent == RAROG_NONE)
			continue;
		ways[n++] = (struct way){ parent, ways[i].from, p->tree->nodes[parent].location };
	}
	return n;
}

/* As deep as there are rows. */
static int spread(struct picture *p, size_t first, size_t n, uint32_t row, uint64_t begin)
{
	rarog_cleanup(rarog_freep) struct group *groups = NULL;
	long n_groups = group_ways(p, first, n, &groups);
	int r = n_groups < 0 ? (int)n_groups : 0;

	for (long i = 0; r == 0 && i < n_groups; i++) {
		bool is_drawn;

		r = add_box(p, &groups[i], row, begin, &is_drawn);
		if (r == 0 && is_drawn)
			r = spread(p, groups[i].first, climb(p, &groups[i]), row + 1, begin);
		begin += groups[i].own;
	}
	return r;
}

/* Where ways begin: each context that cost something itself. */
static size_t begin_ways(struct picture *p)
{
	size_t n = 0;

	for (uint32_t i = 1; i < p->tree->n; i++) {
		const struct rarog_node *node = &p->tree->nodes[i];

		if (node->exclusive == 0)
			continue;
		p->ways[n++] = (struct way){ i, i, node->location };
		p->boxes->end += node->exclusive;
	}
	return n;
}

int rarog_boxes_of_callers(const struct rarog_call_tree *tree,
			   const struct rarog_box_limits *limits, struct rarog_boxes *ret_boxes)
{
	struct picture p = { tree, limits, ret_boxes, calloc(tree->n + 1, sizeof(*p.ways)) };
	int r;

	*ret_boxes = (struct rarog_boxes){ 0 };
	r = p.ways && rarog_vec_push(&ret_boxes->lanes, (struct rarog_box_lane){ 0 }) == 0
		    ? spread(&p, 0, begin_ways(&p), 0, 0)
		    : rarog_oom();
	free(p.ways);
	rarog_boxes_sort(ret_boxes);
	return r;
}
