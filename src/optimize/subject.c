/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/subject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/call-order.h"

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

/* Does any function come after @node, which is none? */
static int leads_on(const struct rarog_subject *s, uint32_t node, struct rarog_neighbours *walk,
		    bool *ret_leads)
{
	int r = rarog_neighbours_begin(s, walk);

	if (r == 0)
		r = rarog_neighbours_add(s, &s->facts.out, node, walk);
	*ret_leads = walk->v.n > 0;
	return r;
}

static bool calls_none(const struct rarog_subject *s, uint32_t node, const bool leads[])
{
	const struct rarog_digraph *out = &s->facts.out;

	for (uint32_t k = out->first[node]; k < out->first[node + 1]; k++)
		if (rarog_subject_is_function(s, out->to[k]) || leads[out->to[k]])
			return false;
	return true;
}

static int find_leaves(struct rarog_subject *s)
{
	uint32_t n = (uint32_t)s->graph->callees.n;
	rarog_cleanup(rarog_neighbours_release) struct rarog_neighbours walk = { 0 };
	rarog_cleanup(rarog_freep) bool *leads = calloc(n + 1, sizeof(*leads));
	int r = leads ? 0 : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < n; i++)
		if (!rarog_subject_is_function(s, i))
			r = leads_on(s, i, &walk, &leads[i]);
	for (uint32_t i = 0; r == 0 && i < n; i++)
		s->is_leaf[i] = rarog_subject_is_function(s, i) && calls_none(s, i, leads);
	return r;
}

/* By the documents' subsumption: a function is at the bottom if it leads to none on a deeper level.
 */
static int find_bottom(struct rarog_subject *s)
{
	uint32_t n = (uint32_t)s->graph->callees.n;
	rarog_cleanup(rarog_freep) uint32_t *level = calloc(n + 1, sizeof(*level));
	rarog_cleanup(rarog_freep) uint32_t *deepest = calloc(n + 1, sizeof(*deepest));
	int r = level && deepest ? 0 : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < n; i++)
		level[i] = rarog_subject_is_function(s, i) ? s->facts.level[i] : RAROG_LEVEL_NONE;
	if (r == 0)
		r = rarog_levels_deepest(&s->facts.out, &s->facts.components, level, deepest);
	for (uint32_t i = 0; r == 0 && i < n; i++)
		s->is_bottom[i] = level[i] != RAROG_LEVEL_NONE && deepest[i] == level[i];
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
		r = find_leaves(ret_subject);
	if (r == 0)
		r = find_bottom(ret_subject);
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
