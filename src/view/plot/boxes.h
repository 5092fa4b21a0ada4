/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture of boxes in rows: a call tree over what it costs (a flame graph), or calls over time.
 * The terminal and SVG draw the same boxes.
 */
#ifndef RAROG_VIEW_PLOT_BOXES_H
#define RAROG_VIEW_PLOT_BOXES_H

#include "base/vec.h"
#include "view/run.h"
#include "view/tree.h"

struct rarog_box {
	uint32_t row;        /* of the picture, 0 at the top */
	uint32_t location;   /* of many calls the one with most time */
	uint64_t begin, end; /* of the picture's width */
	uint64_t busy;       /* of many calls their time, at most end - begin; else end - begin */
	uint64_t calls;
};

struct rarog_box_lane {
	char *title;     /* as rarog_strand_title() has it; NULL: the only one */
	uint32_t strand; /* of calls */
	uint32_t row, n_rows;
};

struct rarog_boxes {
	RAROG_VEC(struct rarog_box) v; /* by row, then begin */
	RAROG_VEC(struct rarog_box_lane) lanes;
	uint64_t begin, end; /* the width: ticks of the tree, or ns from the start of the run */
	uint64_t n_deep;     /* calls or contexts deeper than the rows */
	uint64_t n_narrow;   /* contexts with less than a cell */
	uint64_t n_lanes_left;
};

struct rarog_box_limits {
	size_t cells; /* of the width: what is narrower has no box of its own; at least 1 */
	size_t rows;  /* of a lane; 0: all */
	size_t lanes; /* 0: all */
	bool has_tid; /* calls: */
	uint32_t tid; /* of this thread only */
	uint64_t from_ns, to_ns; /* calls: this part of the run; to 0: to its last call */
};

/** rarog_boxes_of_tree() - boxes that are as wide as their contexts' inclusive times, heaviest
 * first. @ret_boxes: the caller releases it, also after an error. 0, -ENOMEM. */
int rarog_boxes_of_tree(const struct rarog_call_tree *tree, const struct rarog_box_limits *limits,
			struct rarog_boxes *ret_boxes);

/** rarog_boxes_of_callers() - functions by what they cost themselves, below each what called it.
 * limits->rows is not 0. As above. */
int rarog_boxes_of_callers(const struct rarog_call_tree *tree,
			   const struct rarog_box_limits *limits, struct rarog_boxes *ret_boxes);

/**
 * rarog_boxes_of_calls() - a lane for each strand, its calls over time
 *
 * Calls shorter than a cell are summed up by cell and depth. From the first thread on. @ret_boxes:
 * the caller releases it, also after an error. Return: 0; -ENODATA only sums were kept; -ENOENT no
 * such thread; -EBADMSG, -ENOMEM.
 */
int rarog_boxes_of_calls(const struct rarog_run *run, const struct rarog_box_limits *limits,
			 struct rarog_boxes *ret_boxes);

void rarog_boxes_release(struct rarog_boxes *boxes);

/* --- for those that fill them --- */

/** rarog_boxes_sort() - as they are drawn. */
void rarog_boxes_sort(struct rarog_boxes *boxes);

/** rarog_boxes_rows() - of all lanes. */
uint32_t rarog_boxes_rows(const struct rarog_boxes *boxes);

#endif
