/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between line-places.c and line-heads.c: a function in which a line is looked for. */
#ifndef RAROG_BINARY_LINE_SEARCH_H
#define RAROG_BINARY_LINE_SEARCH_H

#include "binary/dominators.h"
#include "binary/edge-index.h"
#include "binary/line-places.h"

struct rarog_line_candidate {
	uint64_t address, copy;
	size_t row;
	uint32_t block;
	bool leads;   /* nothing of its block is before it */
	bool is_left; /* out */
};

/* Loops whose turns are all on the line; made when they are asked for. */
struct rarog_line_turns {
	struct rarog_dominators dominators;
	uint32_t *seen; /* [blocks + 1]: the last search that came there */
	uint32_t search;
	RAROG_VEC(uint32_t) open;
};

struct rarog_line_search {
	struct rarog_source_lines *lines;
	const struct rarog_function *functions;
	int line;
	uint32_t function; /* whose graph it is */
	struct rarog_code_graph graph;
	struct rarog_edge_index into, out; /* of its blocks */
	struct rarog_line_turns turns;
	RAROG_VEC(struct rarog_line_candidate) candidates; /* of this function, by address */
};

static inline const struct rarog_code_graph_block *rarog_line_block(
	const struct rarog_line_search *s, uint32_t number)
{
	return &s->graph.blocks.v[number];
}

static inline const struct rarog_line_row *rarog_line_row_of(const struct rarog_line_search *s,
							     const struct rarog_line_candidate *c)
{
	return &s->lines->rows.v[c->row];
}

/** rarog_line_only_jumps() - is all that the line has in the block of @c, from there on, a jump? */
bool rarog_line_only_jumps(const struct rarog_line_search *s, const struct rarog_line_candidate *c,
			   uint64_t *ret_target);

/** rarog_line_turn_of() - where the line is a loop's head without code, and @c the jump to the
 * loop's body: the place where its turns begin. Return: 1; 0: @c is none, or it is a candidate
 * already; -EDOM without message: whose turns these are is not known. */
int rarog_line_turn_of(const struct rarog_line_search *s, const struct rarog_line_candidate *c,
		       struct rarog_line_candidate *ret_turn);

#endif
