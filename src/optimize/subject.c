/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/subject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

bool rarog_subject_is_function(const struct rarog_subject *subject, uint32_t node)
{
	return subject->graph->callees.v[node].kind == RAROG_CALLEE_FUNCTION;
}

bool rarog_subject_is_reached(const struct rarog_subject *subject, uint32_t node)
{
	return subject->facts.level[node] != RAROG_LEVEL_NONE;
}

/* --- neighbours --- */

int rarog_neighbours_begin(const struct rarog_subject *subject, struct rarog_neighbours *walk)
{
	if (!walk->seen)
		walk->seen = calloc(subject->graph->callees.n + 1, sizeof(*walk->seen));
	walk->v.n = 0;
	walk->walk++;
	return walk->seen ? 0 : rarog_oom();
}

static int meet(const struct rarog_subject *subject, uint32_t node, struct rarog_neighbours *walk)
{
	if (walk->seen[node] == walk->walk)
		return 0;
	walk->seen[node] = walk->walk;
	return (rarog_subject_is_function(subject, node) ? rarog_vec_push(&walk->v, node)
							 : rarog_vec_push(&walk->stack, node)) < 0
		       ? rarog_oom()
		       : 0;
}

int rarog_neighbours_add(const struct rarog_subject *subject, const struct rarog_digraph *arcs,
			 uint32_t node, struct rarog_neighbours *walk)
{
	int r = 0;

	walk->seen[node] = walk->walk;
	walk->stack.n = 0;
	for (;;) {
		for (uint32_t k = arcs->first[node]; r == 0 && k < arcs->first[node + 1]; k++)
			r = meet(subject, arcs->to[k], walk);
		if (r < 0 || walk->stack.n == 0)
			return r;
		node = walk->stack.v[--walk->stack.n];
	}
}

void rarog_neighbours_release(struct rarog_neighbours *walk)
{
	rarog_vec_release(&walk->v);
	rarog_vec_release(&walk->stack);
	free(walk->seen);
}

/* --- what follows from them --- */

/* Which functions the nodes that are none lead to: none, those of one component, several. */
#define NOWHERE UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

static uint32_t join(uint32_t a, uint32_t b)
{
	if (a == NOWHERE || a == b)
		return b;
	return b == NOWHERE ? a : SEVERAL;
}

static int find_target(const struct rarog_subject *s, uint32_t node, struct rarog_neighbours *walk,
		       uint32_t *ret_target)
{
	int r = rarog_neighbours_begin(s, walk);

	*ret_target = NOWHERE;
	if (r == 0)
		r = rarog_neighbours_add(s, &s->facts.out, node, walk);
	for (size_t i = 0; r == 0 && i < walk->v.n; i++)
		*ret_target = join(*ret_target, s->facts.components.of[walk->v.v[i]]);
	return r;
}

static uint32_t target_of(const struct rarog_subject *s, uint32_t node, const uint32_t beyond[])
{
	const struct rarog_digraph *out = &s->facts.out;
	uint32_t target = NOWHERE;

	for (uint32_t k = out->first[node]; k < out->first[node + 1]; k++) {
		uint32_t to = out->to[k];

		target = join(target, rarog_subject_is_function(s, to) ? s->facts.components.of[to]
								       : beyond[to]);
	}
	return target;
}

/* A function that is alone in its component comes back to itself by nodes that are none. */
static int find_ends(struct rarog_subject *s)
{
	uint32_t n = (uint32_t)s->graph->callees.n;
	rarog_cleanup(rarog_neighbours_release) struct rarog_neighbours walk = { 0 };
	rarog_cleanup(rarog_freep) uint32_t *beyond = calloc(n + 1, sizeof(*beyond));
	int r = beyond ? 0 : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < n; i++)
		if (!rarog_subject_is_function(s, i))
			r = find_target(s, i, &walk, &beyond[i]);
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		uint32_t target;

		if (!rarog_subject_is_function(s, i))
			continue;
		target = target_of(s, i, beyond);
		s->is_leaf[i] = target == NOWHERE;
		s->is_bottom[i] = target == NOWHERE || target == s->facts.components.of[i];
	}
	return r;
}

static void measure(struct rarog_subject *s)
{
	for (uint32_t i = 0; i < s->graph->callees.n; i++) {
		if (!rarog_subject_is_function(s, i) || !rarog_subject_is_reached(s, i))
			continue;
		s->size.functions++;
		if (s->facts.level[i] >= s->size.levels)
			s->size.levels = s->facts.level[i] + 1;
	}
}

/* Along the chain of only callees that begins with main. */
static int find_branch(struct rarog_subject *s)
{
	rarog_cleanup(rarog_neighbours_release) struct rarog_neighbours walk = { 0 };
	uint32_t node = s->facts.root;
	int r = 0;

	if (node == RAROG_CALL_NOWHERE)
		return 0;
	for (size_t i = 0; r == 0 && i < s->graph->callees.n; i++) {
		s->size.branch = s->facts.level[node];
		r = rarog_neighbours_begin(s, &walk);
		if (r == 0)
			r = rarog_neighbours_add(s, &s->facts.out, node, &walk);
		if (r < 0 || walk.v.n != 1 || s->facts.level[walk.v.v[0]] <= s->facts.level[node])
			return r;
		node = walk.v.v[0];
	}
	return r;
}

int rarog_subject_make(const struct rarog_call_graph *graph, enum rarog_level_rule rule,
		       struct rarog_subject *ret_subject)
{
	size_t n = graph->callees.n + 1;
	int r;

	*ret_subject = (struct rarog_subject){ .graph = graph,
					       .is_leaf = calloc(n, sizeof(bool)),
					       .is_bottom = calloc(n, sizeof(bool)) };
	if (!ret_subject->is_leaf || !ret_subject->is_bottom)
		return rarog_oom();
	r = rarog_call_facts_find(graph, false, rule, &ret_subject->facts);
	if (r == 0)
		r = find_ends(ret_subject);
	if (r < 0)
		return r;
	measure(ret_subject);
	return find_branch(ret_subject);
}

void rarog_subject_release(struct rarog_subject *subject)
{
	rarog_call_facts_release(&subject->facts);
	free(subject->is_leaf);
	free(subject->is_bottom);
}
