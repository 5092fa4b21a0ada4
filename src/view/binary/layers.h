/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A graph drawn in layers, from above to below, as SVG. The same graph gives the same bytes. */
#ifndef RAROG_VIEW_BINARY_LAYERS_H
#define RAROG_VIEW_BINARY_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rarog_layered_node {
	const char *text;   /* one line */
	const char *tip;    /* shown by a browser over it; NULL: none */
	const char *colour; /* NULL: that of all */
	uint32_t layer;
	bool is_marked;
};

struct rarog_layered_edge {
	uint32_t from, to; /* nodes */
	bool is_dashed;
	const char *tip; /* NULL: none */
};

/** rarog_layers_assign() - .layer of nodes, as the longest way from above; the first node is the
 * entry, and edges back to where one came from do not count. 0; -ENOMEM, without message. */
int rarog_layers_assign(size_t n_nodes, struct rarog_layered_node nodes[], size_t n_edges,
			const struct rarog_layered_edge edges[]);

/** rarog_layers_draw() - @title: of the picture; 0, -ENOMEM. */
int rarog_layers_draw(FILE *out, const char *title, size_t n_nodes,
		      const struct rarog_layered_node nodes[], size_t n_edges,
		      const struct rarog_layered_edge edges[]);

#endif
