/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each layer is a row. A node goes to the mean place of what it is joined with, in some rounds down
 * and up, which leaves few crossings (Sugiyama, Tagawa, Toda 1981). All coordinates are whole
 * numbers, and ties are broken by the order of the nodes.
 */
#include "view/binary/layers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wrap.h"
#include "view/text.h"

enum { ROW = 64, BOX = 24, LETTER = 7, PADDING = 16, GAP = 16, MARGIN = 20, ROUNDS = 8 };

struct place {
	uint32_t node, row; /* row: counted without empty ones */
	int64_t key;        /* where it wants to be */
	int64_t x, width;
};

struct drawing {
	const struct rarog_layered_node *nodes;
	const struct rarog_layered_edge *edges;
	size_t n_nodes, n_edges;
	struct place *places; /* by row, then as they are drawn */
	uint32_t *at;         /* of a node, in places */
	int64_t *sum, *count; /* [nodes] */
	int64_t width;
};

/* --- rows --- */

static int by_layer(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static void sort(struct drawing *d)
{
	if (d->n_nodes > 0)
		qsort(d->places, d->n_nodes, sizeof(*d->places), by_layer);
	for (uint32_t i = 0; i < d->n_nodes; i++)
		d->at[d->places[i].node] = i;
}

/* Side by side in each row, the row in the middle. */
static void lay_out(struct drawing *d)
{
	int64_t *row_width = d->sum;

	memset(row_width, 0, (d->n_nodes + 1) * sizeof(*row_width));
	for (size_t i = 0; i < d->n_nodes; i++) {
		struct place *p = &d->places[i];

		p->x = row_width[p->row];
		row_width[p->row] += p->width + GAP;
		if (row_width[p->row] > d->width)
			d->width = row_width[p->row];
	}
	for (size_t i = 0; i < d->n_nodes; i++)
		d->places[i].x += MARGIN + (d->width - row_width[d->places[i].row]) / 2;
}

static int64_t middle(const struct place *place)
{
	return place->x + place->width / 2;
}

/* Where each node wants to be, by its neighbours above or below. */
static void pull(struct drawing *d, bool down)
{
	memset(d->sum, 0, (d->n_nodes + 1) * sizeof(*d->sum));
	memset(d->count, 0, (d->n_nodes + 1) * sizeof(*d->count));
	for (size_t i = 0; i < d->n_edges; i++) {
		const struct place *from = &d->places[d->at[d->edges[i].from]];
		const struct place *to = &d->places[d->at[d->edges[i].to]];
		const struct place *upper = from->row < to->row ? from : to;
		const struct place *lower = from->row < to->row ? to : from;
		const struct place *own = down ? lower : upper, *other = down ? upper : lower;

		if (from->row == to->row)
			continue;
		d->sum[own->node] += middle(other);
		d->count[own->node]++;
	}
	for (size_t i = 0; i < d->n_nodes; i++) {
		struct place *p = &d->places[i];

		p->key = d->count[p->node] ? d->sum[p->node] / d->count[p->node] : middle(p);
	}
}

static void place(struct drawing *d)
{
	uint32_t row = 0;

	for (uint32_t i = 0; i < d->n_nodes; i++)
		d->places[i] = (struct place){
			.node = i,
			.row = d->nodes[i].layer,
			.width =
				rarog_columns(d->nodes[i].text, strlen(d->nodes[i].text)) * LETTER +
				PADDING,
		};
	sort(d);
	for (uint32_t i = 0, layer = 0; i < d->n_nodes; i++) {
		if (i > 0 && d->places[i].row != layer)
			row++;
		layer = d->places[i].row;
		d->places[i].row = row;
	}
	lay_out(d);
	for (int i = 0; i < ROUNDS; i++) {
		pull(d, i % 2 == 0);
		sort(d);
		lay_out(d);
	}
}

/* --- SVG --- */

static int64_t top(const struct place *place)
{
	return MARGIN + (int64_t)place->row * ROW;
}

static void write_tip(const char *tip, FILE *out)
{
	if (!tip)
		return;
	fputs("<title>", out);
	rarog_xml_add(out, tip);
	fputs("</title>", out);
}

/* Downwards a line; to the same row or back up, a curve at its side. */
static void write_edge(const struct drawing *d, const struct rarog_layered_edge *edge, FILE *out)
{
	const struct place *from = &d->places[d->at[edge->from]];
	const struct place *to = &d->places[d->at[edge->to]];
	int64_t apart = from == to ? 6 : 0; /* to itself: both ends of the curve */
	const char *dash = edge->is_dashed ? " stroke-dasharray=\"4 3\"" : "";

	if (from->row < to->row)
		fprintf(out,
			"<path d=\"M%" PRId64 " %" PRId64 "L%" PRId64 " %" PRId64
			"\" marker-end=\"url(#a)\"%s>",
			middle(from), top(from) + BOX, middle(to), top(to), dash);
	else
		fprintf(out,
			"<path d=\"M%" PRId64 " %" PRId64 "C%" PRId64 " %" PRId64 " %" PRId64
			" %" PRId64 " %" PRId64 " %" PRId64 "\" marker-end=\"url(#a)\"%s>",
			from->x + from->width, top(from) + BOX / 2 + apart,
			from->x + from->width + ROW, top(from) + BOX / 2 + 3 * apart,
			to->x + to->width + ROW, top(to) + BOX / 2 - 3 * apart, to->x + to->width,
			top(to) + BOX / 2 - apart, dash);
	write_tip(edge->tip, out);
	fputs("</path>\n", out);
}

static void write_node(const struct drawing *d, const struct place *p, FILE *out)
{
	const struct rarog_layered_node *node = &d->nodes[p->node];

	fprintf(out,
		"<g><rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%" PRId64
		"\" height=\"%d\" rx=\"3\"%s",
		p->x, top(p), p->width, BOX, node->is_marked ? " class=\"m\"" : "");
	if (node->colour)
		fprintf(out, " style=\"fill:%s\"", node->colour);
	fputs("/>", out);
	fprintf(out, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\">", middle(p), top(p) + 16);
	rarog_xml_add(out, node->text);
	fputs("</text>", out);
	write_tip(node->tip, out);
	fputs("</g>\n", out);
}

static void write_picture(const struct drawing *d, const char *title, FILE *out)
{
	int64_t rows = d->n_nodes > 0 ? d->places[d->n_nodes - 1].row + 1 : 0;
	int64_t width = d->width + 2 * MARGIN + ROW, height = rows * ROW + 2 * MARGIN;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64 "\" height=\"%" PRId64
		"\" viewBox=\"0 0 %" PRId64 " %" PRId64 "\">\n<title>",
		width, height, width, height);
	rarog_xml_add(out, title);
	fputs("</title>\n"
	      "<style>path{fill:none;stroke:#888}rect{fill:#f4f4f4;stroke:#555}.m{fill:#ffe9b0}"
	      "text{font:12px monospace;text-anchor:middle;fill:#111}</style>\n"
	      "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
	      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
	      "style=\"fill:#888\"/></marker></defs>\n",
	      out);
	for (size_t i = 0; i < d->n_edges; i++)
		write_edge(d, &d->edges[i], out);
	for (size_t i = 0; i < d->n_nodes; i++)
		write_node(d, &d->places[i], out);
	fputs("</svg>\n", out);
}

int rarog_layers_draw(FILE *out, const char *title, size_t n_nodes,
		      const struct rarog_layered_node nodes[], size_t n_edges,
		      const struct rarog_layered_edge edges[])
{
	struct drawing d = {
		.nodes = nodes, .edges = edges, .n_nodes = n_nodes, .n_edges = n_edges
	};

	d.places = calloc(n_nodes + 1, sizeof(*d.places));
	d.at = calloc(n_nodes + 1, sizeof(*d.at));
	d.sum = calloc(n_nodes + 1, sizeof(*d.sum));
	d.count = calloc(n_nodes + 1, sizeof(*d.count));
	bool ok = d.places && d.at && d.sum && d.count;

	if (ok) {
		place(&d);
		write_picture(&d, title, out);
	}
	free(d.places);
	free(d.at);
	free(d.sum);
	free(d.count);
	return ok ? 0 : rarog_oom();
}
