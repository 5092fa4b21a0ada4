/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One function as it is copied: its blocks, the ways between them, and which of these are counted.
 *
 * A *point* is an address of the original where control may arrive from outside of the copy: the
 * entry, where calls return, landing pads, targets of jump tables and whatever else has its address
 * taken. From each a jump leads to the copy.
 */
#ifndef RAROG_ENGINE_REWRITE_SHAPE_H
#define RAROG_ENGINE_REWRITE_SHAPE_H

#include "binary/filled-words.h"
#include "binary/flow-graph.h"
#include "blocks/flow.h"
#include "blocks/loops.h"
#include "engine/rewrite/reason.h"
#include "plan/value-request.h"

/* How a way is taken in the copy, which says where its counter is. */
enum rarog_rewrite_shape_way {
	RAROG_WAY_OUT,    /* out of the function or into a call: has no counter */
	RAROG_WAY_FALL,   /* on to the next block */
	RAROG_WAY_TAKEN,  /* by the block's conditional branch */
	RAROG_WAY_JUMP,   /* by its jump */
	RAROG_WAY_ARRIVE, /* by a point */
};

struct rarog_rewrite_shape_block {
	uint32_t offset, size; /* in the function; size 0: where jumps through tables meet */
	uint32_t instructions;
	uint32_t last;       /* offset of its last instruction */
	uint8_t flow;        /* enum rarog_control_flow of that */
	uint8_t live, after; /* status flags that are live where it begins and ends: flags.h */
	bool is_point;
	/* What arrives at its point are returns of the call before, of which it is not known that
	 * all come; it may not only be these. */
	bool is_return, is_return_and_more;
	bool is_jumped_to; /* something arrives by a jump of which it is not known where it stands
			    */
	bool leaves;       /* its end leads to code that is not rewritten, or that may be so */
	/* Edges of the flow: to the next block, by the branch or jump, from the point;
	 * RAROG_NO_EDGE.
	 */
	uint32_t fall, taken, arrive;
};

#define RAROG_NO_EDGE UINT32_MAX

struct rarog_rewrite_shape {
	size_t number; /* of the function */
	const struct rarog_function *function;
	const uint8_t *code;
	uint32_t padding; /* bytes after it that are nobody's */
	size_t n_blocks;  /* the last one is where jumps through tables meet */
	struct rarog_rewrite_shape_block *blocks;
	struct rarog_flow flow; /* edges: first the blocks themselves */
	uint8_t *ways;          /* [flow.n_edges], enum rarog_rewrite_shape_way */
	uint32_t *counters;     /* [flow.n_edges], from first_counter on; RAROG_NO_EDGE: none */
	uint32_t first_counter, n_counters; /* words of a row */
	uint32_t first_cell;  /* … of times (row.h), one for each block; RAROG_NO_EDGE: none */
	bool is_root;         /* --within, --not-below: what runs inside of it counts apart */
	bool has_roots;       /* there are such functions */
	uint32_t first_block; /* numbered in the module */
	struct rarog_wanted_values values; /* that are captured … */
	uint32_t first_value;              /* … in words of a row (values.h), some for each */
	struct rarog_loops loops;
	uint32_t
		first_loop; /* words of a row (rounds.h), some for each loop; RAROG_NO_EDGE: none */
};

/**
 * rarog_rewrite_shape_make() - of function @number, with counters chosen
 *
 * Return: 0; a positive enum rarog_rewrite_reason: it has to stay as it is; -ENOMEM with message.
 */
int rarog_rewrite_shape_make(const struct rarog_code_graphs *graphs,
			     const struct rarog_filled_words *words, size_t number,
			     struct rarog_rewrite_shape *ret_shape);
void rarog_rewrite_shape_release(struct rarog_rewrite_shape *shape);

#endif
