/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "binary/call-order.h"
#include "view/binary/layers.h"

/* Depth first from the entry: edges back to where it came from do not count for the layers. */
struct walk {
	const struct rarog_digraph *arcs;
	uint32_t *next, *path,
		*done; /* done: in the order in which they are left, the last first */
	uint8_t *state;
	size_t n_path, n_done;
};

static void walk(struct walk *w, uint32_t root)
{
	w->path[w->n_path++] = root;
	w->state[root] = 1;
	while (w->n_path > 0) {
		uint32_t node = w->path[w->n_path - 1], to;

		if (w->arcs->first[node] + w->next[node] == w->arcs->first[node + 1]) {
			w->n_path--;
			w->state[node] = 2;
			w->done[w->arcs->n - ++w->n_done] = node;
			continue;
		}
		to = w->arcs->to[w->arcs->first[node] + w->next[node]++];
		if (w->state[to] == 0) {
			w->state[to] = 1;
			w->path[w->n_path++] = to;
		}
	}
}

/* Longest ways along edges that lead forward in that order. */
static void find_layers(struct walk *w, struct rarog_layered_node nodes[])
{
	uint32_t *rank = w->path;

	for (uint32_t i = 0; i < w->arcs->n; i++)
		if (w->state[i] == 0)
			walk(w, i);
	for (uint32_t i = 0; i < w->arcs->n; i++)
		rank[w->done[i]] = i;
	for (uint32_t i = 0; i < w->arcs->n; i++) {
		uint32_t node = w->done[i];

		for (uint32_t k = w->arcs->first[node]; k < w->arcs->first[node + 1]; k++) {
			uint32_t to = w->arcs->to[k];

			if (rank[to] > i && nodes[to].layer <= nodes[node].layer)
				nodes[to].layer = nodes[node].layer + 1;
		}
	}
}

int rarog_layers_assign(size_t n_nodes, struct rarog_layered_node nodes[], size_t n_edges,
			const struct rarog_layered_edge edges[])
{
	rarog_cleanup(rarog_digraph_release) struct rarog_digraph arcs = { 0 };
	rarog_cleanup(rarog_freep) struct rarog_digraph_arc *list =
		calloc(n_edges + 1, sizeof(*list));
	rarog_cleanup(rarog_freep) uint32_t *room = calloc(3 * n_nodes + 1, sizeof(*room));
	rarog_cleanup(rarog_freep) uint8_t *state = calloc(n_nodes + 1, sizeof(*state));
	struct walk w = { .arcs = &arcs, .state = state };

	if (!list || !room || !state)
		return -ENOMEM;
	for (size_t i = 0; i < n_edges; i++)
		list[i] = (struct rarog_digraph_arc){ edges[i].from, edges[i].to };
	if (rarog_digraph_make((uint32_t)n_nodes, n_edges, list, &arcs) < 0)
		return -ENOMEM;
	w.next = room, w.path = room + n_nodes, w.done = room + 2 * n_nodes;
	find_layers(&w, nodes);
	return 0;
}
