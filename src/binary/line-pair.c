/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A region begins where control comes to its first line. That may be in the middle of the region:
 * the head of a "for" loop is come back to by each turn. A mark that begins a region of its own
 * would leave the first one open after the end, so it is known for each place, whichever way
 * control takes, that a region is open there or that none is; or the pair is refused.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/edge-index.h"
#include "binary/line-places.h"

struct walk {
	const struct rarog_code_graph *graph;
	const struct rarog_edge_index *out;
	size_t n_stops;
	const uint64_t *stops; /* addresses at which it ends */
	bool *is_hit;          /* [n_stops] */
	bool *is_seen;         /* [blocks] */
	RAROG_VEC(uint32_t) open;
};

/* --- one walk --- */

static int enter(struct walk *w, uint32_t block)
{
	if (block == RAROG_GRAPH_OUTSIDE || w->is_seen[block])
		return 0;
	w->is_seen[block] = true;
	return rarog_vec_push(&w->open, block) < 0 ? rarog_oom() : 0;
}

static int enter_behind(struct walk *w, uint32_t block)
{
	size_t n;
	const struct rarog_code_graph_edge *const *edges = rarog_edge_index_find(w->out, block, &n);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = enter(w, edges[i]->to);
	return r;
}

/* From @from on, in @block and what comes then. */
static int go(struct walk *w, uint32_t block, uint64_t from)
{
	const struct rarog_code_graph_block *b = &w->graph->blocks.v[block];
	long first = -1;

	for (size_t i = 0; i < w->n_stops; i++)
		if (w->stops[i] >= from && w->stops[i] - b->address < b->size &&
		    (first < 0 || w->stops[i] < w->stops[first]))
			first = (long)i;
	if (first >= 0) {
		w->is_hit[first] = true;
		return 0;
	}
	return enter_behind(w, block);
}

static int finish(struct walk *w)
{
	int r = 0;

	while (r == 0 && w->open.n > 0) {
		uint32_t block = w->open.v[--w->open.n];

		r = go(w, block, w->graph->blocks.v[block].address);
	}
	return r;
}

static int walk_from(struct walk *w, uint64_t address)
{
	uint32_t block = rarog_code_graph_find(w->graph, address);
	int r = block == UINT32_MAX ? 0 : go(w, block, address + 1);

	return r < 0 ? r : finish(w);
}

static int walk_from_outside(struct walk *w)
{
	int r = enter_behind(w, RAROG_GRAPH_OUTSIDE);

	return r < 0 ? r : finish(w);
}

static void forget(struct walk *w)
{
	for (size_t i = 0; i < w->graph->blocks.n; i++)
		w->is_seen[i] = false;
	for (size_t i = 0; i < w->n_stops; i++)
		w->is_hit[i] = false;
}

static void walk_release(struct walk *w)
{
	free(w->is_hit);
	free(w->is_seen);
	rarog_vec_release(&w->open);
}

/* --- the places of one copy --- */

struct copy {
	const struct rarog_code_graph *graph;
	const struct rarog_edge_index *out;
	struct rarog_line_places *begins; /* all */
	RAROG_VEC(size_t) own;            /* indices into begins of this copy's */
	RAROG_VEC(uint64_t) ends;         /* of the function */
	RAROG_VEC(uint64_t) stops;        /* the own, then the ends */
};

static int make_walk(const struct copy *c, struct walk *w)
{
	*w = (struct walk){
		.graph = c->graph, .out = c->out, .n_stops = c->stops.n, .stops = c->stops.v
	};
	w->is_hit = calloc(w->n_stops + 1, sizeof(*w->is_hit));
	w->is_seen = calloc(c->graph->blocks.n + 1, sizeof(*w->is_seen));
	return w->is_hit && w->is_seen ? 0 : rarog_oom();
}

static const struct rarog_line_place *own(const struct copy *c, size_t i)
{
	return &c->begins->v.v[c->own.v[i]];
}

static int put_stops(struct copy *c)
{
	int r = 0;

	c->stops.n = 0;
	for (size_t i = 0; r == 0 && i < c->own.n; i++)
		r = rarog_vec_push(&c->stops, own(c, i)->address);
	for (size_t i = 0; r == 0 && i < c->ends.n; i++)
		r = rarog_vec_push(&c->stops, c->ends.v[i]);
	return r < 0 ? rarog_oom() : 0;
}

/* Out go other statements of the line that control comes to only from inside of the region. */
static int leave_open_ones(struct copy *c)
{
	struct walk w;
	size_t n = 0;
	int r = put_stops(c);

	if (r < 0)
		return r;
	r = make_walk(c, &w);
	if (r == 0)
		r = walk_from_outside(&w);
	for (size_t i = 0; r == 0 && i < c->ends.n; i++)
		r = walk_from(&w, c->ends.v[i]);
	for (size_t i = 0; r == 0 && i < c->own.n; i++) {
		if (w.is_hit[i] || own(c, i)->column == own(c, 0)->column)
			c->own.v[n++] = c->own.v[i];
		else
			c->begins->v.v[c->own.v[i]].address = 0;
	}
	if (r == 0)
		c->own.n = n;
	walk_release(&w);
	return r;
}

/* May a region of one place be open at another one? */
static int check_apart(struct copy *c)
{
	struct walk w;
	int r = put_stops(c);

	if (r < 0)
		return r;
	r = make_walk(c, &w);
	for (size_t i = 0; r == 0 && i < c->own.n; i++) {
		forget(&w);
		r = walk_from(&w, c->stops.v[i]);
		for (size_t k = 0; r == 0 && k < c->own.n; k++)
			if (k != i && w.is_hit[k])
				r = -ENOTSUP;
	}
	walk_release(&w);
	return r;
}

static int judge(struct copy *c)
{
	int r = c->own.n > 1 ? leave_open_ones(c) : 0;

	return r == 0 && c->own.n > 1 ? check_apart(c) : r;
}

/* --- all of them --- */

static int gather(struct copy *c, const struct rarog_line_place *first,
		  const struct rarog_line_places *ends)
{
	int r = 0;

	c->own.n = 0;
	c->ends.n = 0;
	for (size_t i = 0; r == 0 && i < c->begins->v.n; i++) {
		const struct rarog_line_place *place = &c->begins->v.v[i];

		if (place->address && place->function == first->function &&
		    place->copy == first->copy)
			r = rarog_vec_push(&c->own, i);
	}
	for (size_t i = 0; r == 0 && i < ends->v.n; i++)
		if (ends->v.v[i].function == first->function)
			r = rarog_vec_push(&c->ends, ends->v.v[i].address);
	return r < 0 ? rarog_oom() : 0;
}

static bool is_first(const struct rarog_line_places *places, size_t place)
{
	const struct rarog_line_place *p = &places->v.v[place];

	for (size_t i = 0; i < place; i++)
		if (places->v.v[i].function == p->function && places->v.v[i].copy == p->copy)
			return false;
	return true;
}

static int judge_copy(const struct rarog_code_graphs *graphs, struct copy *c,
		      const struct rarog_line_place *first, const struct rarog_line_places *ends)
{
	struct rarog_code_graph graph = { 0 };
	struct rarog_edge_index out = { 0 };
	int r = gather(c, first, ends);

	if (r < 0 || c->own.n < 2)
		return r;
	r = rarog_code_graphs_read(graphs, first->function, false, &graph);
	if (r == 0)
		r = rarog_edge_index_make(&graph, false, &out);
	c->graph = &graph;
	c->out = &out;
	if (r == 0)
		r = judge(c);
	c->graph = NULL;
	c->out = NULL;
	rarog_edge_index_release(&out);
	rarog_code_graph_release(&graph);
	return r;
}

int rarog_line_places_pair(const struct rarog_code_graphs *graphs, struct rarog_line_places *begins,
			   const struct rarog_line_places *ends)
{
	struct copy c = { .begins = begins };
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < begins->v.n; i++)
		if (is_first(begins, i))
			r = judge_copy(graphs, &c, &begins->v.v[i], ends);
	for (size_t i = 0; r == 0 && i < begins->v.n; i++)
		if (begins->v.v[i].address)
			begins->v.v[n++] = begins->v.v[i];
	if (r == 0)
		begins->v.n = n;
	rarog_vec_release(&c.own);
	rarog_vec_release(&c.ends);
	rarog_vec_release(&c.stops);
	return r;
}
