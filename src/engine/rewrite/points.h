/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is written over the original of a copied function: at each point a jump to the copy, of five
 * bytes where there are so many, else of two bytes to one of five elsewhere among the bytes that
 * nobody executes any more. Calls stay where they are, if they can, so that return addresses are
 * what they were and each return meets its call: the copy jumps to them.
 */
#ifndef RAROG_ENGINE_REWRITE_POINTS_H
#define RAROG_ENGINE_REWRITE_POINTS_H

#include "base/vec.h"
#include "engine/rewrite/shape.h"

struct rarog_rewrite_point {
	uint32_t offset, block;
	uint32_t island; /* offset of its jump of five bytes, .offset: at once */
};

struct rarog_rewrite_points {
	RAROG_VEC(struct rarog_rewrite_point) list; /* by offset; the first is the entry */
	bool *is_in_place;                          /* by block: its call stays */
};

/** rarog_rewrite_points_make() - 0; RAROG_REWRITE_ROOM, RAROG_REWRITE_MOVE: it cannot be; -ENOMEM.
 */
int rarog_rewrite_points_make(const struct rarog_rewrite_shape *shape,
			      struct rarog_rewrite_points *ret_points);
void rarog_rewrite_points_release(struct rarog_rewrite_points *points); /* fits rarog_cleanup() */

#endif
