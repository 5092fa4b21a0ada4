/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control flow of both versions of a function as one graph, by the first run of each: a block
 * of it is one of the baseline, one of the target, or both; likewise a way. Blocks stand in the
 * order of the target, those that are gone where they were.
 */
#ifndef RAROG_VIEW_JOINED_BLOCKS_H
#define RAROG_VIEW_JOINED_BLOCKS_H

#include "base/vec.h"
#include "blocks/tally.h"
#include "check/comparison.h"

/* Zeroed: none. */
struct rarog_joined_sides {
	const struct rarog_comparison *comparison;
	struct rarog_tally tallies[2];
	const struct rarog_tally_function **of[2]; /* by row; NULL: none, or several */
	bool *is_several;                          /* by row: in either version */
};

struct rarog_joined_block {
	uint32_t
		block[2]; /* counted from the function's first; RAROG_NONE: this version has none */
};

struct rarog_joined_way {
	uint32_t from, to; /* of the joined blocks */
	uint64_t count[2];
	bool is_there[2], is_unknown[2];
};

/* Zeroed: empty. */
struct rarog_joined_graph {
	const struct rarog_tally *tallies[2];
	const struct rarog_tally_function *of[2]; /* NULL: this version has none */
	RAROG_VEC(struct rarog_joined_block) nodes;
	RAROG_VEC(struct rarog_joined_way) ways;
	uint32_t *node_of[2]; /* by block */
};

/** rarog_joined_sides_read() - of a comparison of counts of blocks, which outlives them. @sides:
 * zeroed; the caller releases them, also after an error. 0; -EBADMSG, -ENOMEM. */
int rarog_joined_sides_read(const struct rarog_comparison *comparison,
			    struct rarog_joined_sides *sides);
void rarog_joined_sides_release(struct rarog_joined_sides *sides); /* fits rarog_cleanup() */

/** rarog_joined_has_run() - whether the row is one function that ran in either version. */
bool rarog_joined_has_run(const struct rarog_joined_sides *sides, size_t row);

/** rarog_joined_block_of() - what a version has of a node; NULL: nothing. */
const struct rarog_block_count *rarog_joined_block_of(const struct rarog_joined_graph *graph,
						      size_t node, size_t side);

/** rarog_joined_graph_make() - of the function of a row. @graph: zeroed; the caller releases it,
 * also after an error. 0, -ENOMEM. */
int rarog_joined_graph_make(const struct rarog_joined_sides *sides, size_t row,
			    struct rarog_joined_graph *graph);
void rarog_joined_graph_release(struct rarog_joined_graph *graph); /* fits rarog_cleanup() */

#endif
