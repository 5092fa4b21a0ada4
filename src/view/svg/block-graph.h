/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What drawings of blocks have room for: nodes and ways, and their texts. */
#ifndef RAROG_VIEW_SVG_BLOCK_GRAPH_H
#define RAROG_VIEW_SVG_BLOCK_GRAPH_H

#include <stdio.h>

#include "view/binary/layers.h"

struct rarog_block_text {
	char text[128];
};

/* A picture has the first n nodes and n_ways edges, which point into the texts. */
struct rarog_block_graph {
	size_t n, n_ways;
	struct rarog_layered_node *nodes;
	struct rarog_layered_edge *edges;
	struct rarog_block_text *texts, *tips; /* by node */
	struct rarog_block_text *ways;         /* by edge */
};

/**
 * rarog_block_graph_init() - room for @n_nodes and @n_ways, of which none is in the picture yet
 * @func: for the message
 *
 * Return: 0; -E2BIG with message, a picture of so many blocks is none; -ENOMEM.
 */
int rarog_block_graph_init(size_t n_nodes, size_t n_ways, const char *func,
			   struct rarog_block_graph *ret_graph);
void rarog_block_graph_release(struct rarog_block_graph *graph);

/** rarog_block_graph_draw() - in layers from the first node down. 0, -ENOMEM. */
int rarog_block_graph_draw(const struct rarog_block_graph *graph, const char *title, FILE *out);

#endif
