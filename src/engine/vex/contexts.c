/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the tool become locations, and contexts that then are the same become one. What was
 * executed outside of all calls (nothing has been called yet) is the root's.
 */
#include "engine/vex/contexts.h"

#include <stdlib.h>

#include "base/error.h"
#include "events/tree.h"

#define MAX_NODES ((size_t)1 << 26)

struct contexts {
	const struct rarog_vex_harvest *harvest;
	const struct rarog_vex_map *maps;
	struct rarog_tree tree;
};

static uint32_t *locations_of(const struct contexts *c, const struct rarog_vex_counted *counted)
{
	uint32_t *locations = calloc(counted->functions.n, sizeof(*locations));

	for (size_t i = 1; locations && i < counted->functions.n; i++)
		locations[i] =
			rarog_vex_function_location(c->harvest, c->maps, counted, (uint32_t)i);
	return locations;
}

/* A function that was reached and neither called nor executed (the process was killed there, or is
 * a child that never came back to it) has no location: what it has is its caller's. */
static int add_process(struct contexts *c, const struct rarog_vex_counted *counted)
{
	rarog_cleanup(rarog_freep) uint32_t *locations = locations_of(c, counted);
	rarog_cleanup(rarog_freep) uint32_t *nodes = calloc(counted->nodes.n, sizeof(*nodes));

	if (!locations || !nodes)
		return rarog_oom();
	c->tree.amounts[0].exclusive += counted->exclusive[0];
	for (size_t i = 1; i < counted->nodes.n; i++) {
		const struct rarog_vex_node *node = counted->nodes.v[i];
		uint32_t location = locations[node->function];
		uint64_t child = nodes[node->parent];

		if (location != RAROG_NONE)
			child = rarog_tree_child(&c->tree, nodes[node->parent], location, false);
		nodes[i] = (uint32_t)child;
		if (location != RAROG_NONE && !(child & RAROG_TREE_FOREIGN))
			c->tree.amounts[nodes[i]].count += node->count;
		c->tree.amounts[nodes[i]].exclusive += counted->exclusive[i];
	}
	return 0;
}

static int write_nodes(const struct contexts *c, struct rarog_profile_writer *writer)
{
	rarog_cleanup(rarog_freep) uint64_t *inclusive = NULL;
	int r = rarog_tree_inclusive(&c->tree, &inclusive);

	for (size_t i = 0; r == 0 && i < c->tree.n; i++) {
		const struct rarog_node node = {
			.parent = c->tree.links[i].parent,
			.location = c->tree.links[i].location,
			.count = c->tree.amounts[i].count,
			.inclusive = inclusive[i],
			.exclusive = c->tree.amounts[i].exclusive,
		};

		r = rarog_profile_add_nodes(writer, 1, &node);
	}
	return r;
}

int rarog_vex_contexts_write(const struct rarog_vex_harvest *harvest,
			     const struct rarog_vex_map maps[], struct rarog_profile_writer *writer)
{
	struct contexts c = { .harvest = harvest, .maps = maps };
	int r = rarog_tree_init(&c.tree, MAX_NODES);

	for (size_t i = 0; r == 0 && i < harvest->processes.n; i++)
		r = add_process(&c, harvest->processes.v[i]);
	if (r == 0)
		r = write_nodes(&c, writer);
	rarog_tree_release(&c.tree);
	return r;
}
