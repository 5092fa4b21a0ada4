/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Components are numbered when they are complete, which those that a component leads to are before
 * it: going down the numbers is a topological order.
 */
#include "binary/call-order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* --- components --- */

struct search {
	const struct rarog_digraph *arcs;
	struct rarog_components *components;
	uint32_t *index, *low; /* from 1; 0: not seen */
	uint32_t *next;        /* the arc to follow next */
	uint32_t *path, n_path;
	uint32_t *open, n_open; /* seen, of no component yet */
	uint32_t n_seen;
};

static void enter(struct search *s, uint32_t node)
{
	s->index[node] = s->low[node] = ++s->n_seen;
	s->next[node] = s->arcs->first[node];
	s->path[s->n_path++] = node;
	s->open[s->n_open++] = node;
	s->components->of[node] = UINT32_MAX;
}

static void lower(struct search *s, uint32_t node, uint32_t to)
{
	if (to < s->low[node])
		s->low[node] = to;
}

static void close_component(struct search *s, uint32_t root)
{
	uint32_t node;

	do {
		node = s->open[--s->n_open];
		s->components->of[node] = s->components->n;
	} while (node != root);
	s->components->n++;
}

static void leave(struct search *s)
{
	uint32_t node = s->path[--s->n_path];

	if (s->low[node] == s->index[node])
		close_component(s, node);
	if (s->n_path > 0)
		lower(s, s->path[s->n_path - 1], s->low[node]);
}

static void walk(struct search *s, uint32_t root)
{
	enter(s, root);
	while (s->n_path > 0) {
		uint32_t node = s->path[s->n_path - 1], to;

		if (s->next[node] == s->arcs->first[node + 1]) {
			leave(s);
			continue;
		}
		to = s->arcs->to[s->next[node]++];
		if (s->index[to] == 0)
			enter(s, to);
		else if (s->components->of[to] == UINT32_MAX)
			lower(s, node, s->index[to]);
	}
}

int rarog_components_make(const struct rarog_digraph *arcs, struct rarog_components *ret_components)
{
	size_t n = (size_t)arcs->n + 1;
	uint32_t *room = calloc(5 * n, sizeof(*room));
	struct search s = { .arcs = arcs, .components = ret_components };

	*ret_components = (struct rarog_components){ .of = calloc(n, sizeof(uint32_t)) };
	if (room && ret_components->of) {
		s.index = room, s.low = room + n, s.next = room + 2 * n;
		s.path = room + 3 * n, s.open = room + 4 * n;
		for (uint32_t i = 0; i < arcs->n; i++)
			if (s.index[i] == 0)
				walk(&s, i);
	}
	free(room);
	return room && ret_components->of ? 0 : rarog_oom();
}

void rarog_components_release(struct rarog_components *components)
{
	free(components->of);
	*components = (struct rarog_components){ 0 };
}

/* --- the longest path --- */

/* Nodes by component, the components that lead to others first. */
static uint32_t *by_component(const struct rarog_components *components, uint32_t n)
{
	uint32_t *at = calloc((size_t)components->n + 2, sizeof(*at));
	uint32_t *nodes = calloc((size_t)n + 1, sizeof(*nodes));

	for (uint32_t i = 0; at && nodes && i < n; i++)
		at[components->n - components->of[i]]++;
	for (uint32_t i = 0; at && nodes && i < components->n; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 0; at && nodes && i < n; i++)
		nodes[at[components->n - 1 - components->of[i]]++] = i;
	if (!at)
		free(nodes);
	free(at);
	return at ? nodes : NULL;
}

static void raise_level(uint32_t *level, uint32_t to)
{
	if (*level == RAROG_LEVEL_NONE || *level < to)
		*level = to;
}

int rarog_levels_find(const struct rarog_digraph *arcs, const struct rarog_components *components,
		      const bool is_root[], uint32_t ret_levels[])
{
	uint32_t *nodes = by_component(components, arcs->n);
	uint32_t *level = calloc((size_t)components->n + 1, sizeof(*level));

	if (nodes && level) {
		memset(level, 0xff, components->n * sizeof(*level));
		for (uint32_t i = 0; i < arcs->n; i++)
			if (is_root[i])
				level[components->of[i]] = 0;
	}
	for (uint32_t i = 0; nodes && level && i < arcs->n; i++) {
		uint32_t node = nodes[i], own = components->of[node];

		ret_levels[node] = level[own];
		for (uint32_t k = arcs->first[node]; k < arcs->first[node + 1]; k++)
			if (level[own] != RAROG_LEVEL_NONE && components->of[arcs->to[k]] != own)
				raise_level(&level[components->of[arcs->to[k]]], level[own] + 1);
	}
	free(nodes);
	free(level);
	return nodes && level ? 0 : rarog_oom();
}

/* From the components that lead nowhere upwards. */
int rarog_levels_deepest(const struct rarog_digraph *arcs,
			 const struct rarog_components *components, const uint32_t levels[],
			 uint32_t ret_deepest[])
{
	uint32_t *nodes = by_component(components, arcs->n);
	uint32_t *deepest = calloc((size_t)components->n + 1, sizeof(*deepest));

	if (deepest)
		memset(deepest, 0xff, components->n * sizeof(*deepest));
	for (uint32_t i = arcs->n; nodes && deepest && i > 0; i--) {
		uint32_t node = nodes[i - 1], *own = &deepest[components->of[node]];

		if (levels[node] != RAROG_LEVEL_NONE)
			raise_level(own, levels[node]);
		for (uint32_t k = arcs->first[node]; k < arcs->first[node + 1]; k++) {
			uint32_t below = deepest[components->of[arcs->to[k]]];

			if (below != RAROG_LEVEL_NONE)
				raise_level(own, below);
		}
	}
	for (uint32_t i = 0; nodes && deepest && i < arcs->n; i++)
		ret_deepest[i] = deepest[components->of[i]];
	free(nodes);
	free(deepest);
	return nodes && deepest ? 0 : rarog_oom();
}
