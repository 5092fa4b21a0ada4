/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile keeps its call tree over all threads, so that of each is made from the calls. Contexts
 * hang below a node for their strand. A child that was found goes to the front of its list: the
 * next call of a loop finds it at once.
 */
#include "view/thread-tree.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/vec.h"
#include "view/timeline.h"

struct links {
	uint32_t child, sibling;
};

struct builder {
	const struct rarog_run *run;
	RAROG_VEC(struct rarog_node) nodes;
	RAROG_VEC(struct links) links;
	RAROG_VEC(uint32_t) open; /* nodes of the strand's calls, its own first */
	uint32_t strand;
	size_t n_threads;
};

static void builder_release(struct builder *b)
{
	rarog_vec_release(&b->nodes);
	rarog_vec_release(&b->links);
	rarog_vec_release(&b->open);
}

static int add_node(struct builder *b, uint32_t parent, uint32_t location)
{
	const struct rarog_node node = { .parent = parent, .location = location };
	struct links links = { RAROG_NONE, RAROG_NONE };

	if (parent != RAROG_NONE) {
		links.sibling = b->links.v[parent].child;
		b->links.v[parent].child = (uint32_t)b->nodes.n;
	}
	return rarog_vec_push(&b->nodes, node) < 0 || rarog_vec_push(&b->links, links) < 0
		       ? rarog_oom()
		       : 0;
}

/* Takes the child with @location to the front. RAROG_NONE: there is none. */
static uint32_t find_child(struct builder *b, uint32_t parent, uint32_t location)
{
	struct links *links = b->links.v;
	uint32_t *from = &links[parent].child, at = *from;

	while (at != RAROG_NONE && b->nodes.v[at].location != location) {
		from = &links[at].sibling;
		at = *from;
	}
	if (at == RAROG_NONE || at == links[parent].child)
		return at;
	*from = links[at].sibling;
	links[at].sibling = links[parent].child;
	links[parent].child = at;
	return at;
}

static int begin_strand(struct builder *b, uint32_t strand)
{
	int r = add_node(b, 0, (uint32_t)(b->run->n_locations + strand));

	b->strand = strand;
	b->n_threads++;
	b->open.n = 0;
	if (r == 0 && rarog_vec_push(&b->open, (uint32_t)(b->nodes.n - 1)) < 0)
		r = rarog_oom();
	return r;
}

static int enter(struct builder *b, const struct rarog_moment *m)
{
	uint32_t parent = b->open.v[b->open.n - 1], node = find_child(b, parent, m->location);
	int r = 0;

	if (node == RAROG_NONE) {
		node = (uint32_t)b->nodes.n;
		r = add_node(b, parent, m->location);
	}
	if (r == 0 && rarog_vec_push(&b->open, node) < 0)
		r = rarog_oom();
	if (r == 0)
		b->nodes.v[node].count += !m->is_inherited;
	return r;
}

static void leave(struct builder *b, const struct rarog_moment *m)
{
	if (b->open.n > 1)
		b->nodes.v[b->open.v[--b->open.n]].exclusive += m->exclusive;
}

static int take(struct builder *b, const struct rarog_moment *m)
{
	int r = m->strand == b->strand || m->kind == RAROG_MOMENT_LOST ? 0
								       : begin_strand(b, m->strand);

	if (r == 0 && m->kind == RAROG_MOMENT_ENTER)
		r = enter(b, m);
	else if (r == 0 && m->kind == RAROG_MOMENT_LEAVE)
		leave(b, m);
	return r;
}

static int read_all(struct builder *b)
{
	const struct rarog_timeline_options options = { .by_strand = true };
	rarog_cleanup(rarog_timeline_freep) struct rarog_timeline *timeline = NULL;
	struct rarog_moment moment;
	int r = rarog_timeline_new(b->run->profile, &options, &timeline);

	if (r == 0)
		r = add_node(b, RAROG_NONE, RAROG_NONE);
	while (r == 0 && (r = rarog_timeline_next(timeline, &moment)) > 0)
		r = take(b, &moment);
	return r;
}

static void sum_up(struct builder *b)
{
	struct rarog_node *nodes = b->nodes.v;

	for (size_t i = b->nodes.n; i-- > 0;) {
		nodes[i].inclusive += nodes[i].exclusive;
		if (i > 0)
			nodes[nodes[i].parent].inclusive += nodes[i].inclusive;
	}
}

static int give_tree(struct builder *b, struct rarog_call_tree *ret_tree)
{
	struct rarog_node *nodes = b->nodes.v;
	size_t n = b->nodes.n;

	b->nodes.v = NULL; /* the tree's */
	b->nodes.n = 0;
	return rarog_call_tree_of(ret_tree, n, nodes);
}

int rarog_thread_tree(const struct rarog_run *run, struct rarog_call_tree *ret_tree)
{
	rarog_cleanup(builder_release) struct builder b = { .run = run, .strand = RAROG_NONE };
	int r = 0;

	if (run->n_strands > 1 && rarog_run_has_calls(run->profile) &&
	    rarog_run_has_times(run->profile))
		r = read_all(&b);
	if (r < 0 || b.n_threads < 2)
		return r;
	sum_up(&b);
	return give_tree(&b, ret_tree);
}
