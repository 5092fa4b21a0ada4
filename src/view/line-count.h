/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often control came to a line, by counts of the blocks that have code of it. */
#ifndef RAROG_VIEW_LINE_COUNT_H
#define RAROG_VIEW_LINE_COUNT_H

#include "blocks/tally.h"

/* A line that a block has. */
struct rarog_block_on_line {
	uint32_t line, block; /* counted from the function's first */
	bool is_inlined;      /* the code is another function's, the line that of the call */
	bool is_made;         /* the block is a jump that nobody wrote */
};

struct rarog_line_counted {
	uint64_t count;      /* how often control came to the line */
	bool has_unexecuted; /* a block of it never ran */
};

/* Of a block, for rarog_line_entries(). */
enum {
	RAROG_LINE_INSIDE = 1,
	RAROG_LINE_DECIDES = 2,
};

/* Of one function; its fields are line-count.c's. */
struct rarog_line_counter {
	const struct rarog_tally *tally;
	const struct rarog_tally_function *function;
	const struct rarog_edge_count *edges; /* of the function */
	uint32_t *into, *first_into; /* edges by the block they lead to; first_into[n]: their end */
	uint32_t *group;             /* the last group of places that a block was in … */
	uint32_t *reached;           /* … or was reached in */
	bool *is_before;             /* a block: control comes there without the line */
	uint32_t number;             /* of the group; not 0 */
};

int rarog_line_counter_init(const struct rarog_tally *tally,
			    const struct rarog_tally_function *function,
			    struct rarog_line_counter *ret_counter);
void rarog_line_counter_release(struct rarog_line_counter *c); /* fits rarog_cleanup() */

/** rarog_line_count() - of places[n] of one line, n > 0, by block, which it makes fewer */
void rarog_line_count(struct rarog_line_counter *c, size_t n, struct rarog_block_on_line places[n],
		      struct rarog_line_counted *ret_counted);

/**
 * rarog_line_entries() - how often control came into a part of the function
 * @inside: by block. A way from inside to the first block is another entry, unless what decides to
 * go there is the part's, too: then it is a loop of its own, else one around it.
 */
uint64_t rarog_line_entries(const struct rarog_line_counter *c, const uint8_t inside[]);

#endif
