/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * First come the two bytes that every point needs, then the calls, then what makes jumps of five
 * bytes of points, and the rest are islands.
 */
#include "engine/rewrite/points.h"

#include <errno.h>

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/instruction.h"
#include "engine/rewrite/pushed-call.h"

#define SHORT 2u
#define LONG  5u
#define REACH 127 /* bytes, of a jump of two */

struct placing {
	const struct rarog_rewrite_shape *shape;
	struct rarog_rewrite_points *points;
	bool *is_used; /* by offset */
	uint32_t size;
};

static bool is_free(const struct placing *p, uint32_t from, uint32_t n)
{
	if (from + n > p->size)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (p->is_used[from + i])
			return false;
	return true;
}

static bool claim(struct placing *p, uint32_t from, uint32_t n)
{
	if (!is_free(p, from, n))
		return false;
	memset(p->is_used + from, true, n);
	return true;
}

static int claim_points(struct placing *p)
{
	for (uint32_t i = 0; i + 1 < p->shape->n_blocks; i++) {
		const struct rarog_rewrite_shape_block *b = &p->shape->blocks[i];

		if (!b->is_point)
			continue;
		if (!claim(p, b->offset, SHORT))
			return RAROG_REWRITE_ROOM;
		if (rarog_vec_push(&p->points->list,
				   (struct rarog_rewrite_point){ b->offset, i, RAROG_NO_EDGE }) < 0)
			return rarog_oom();
	}
	return 0;
}

static bool can_move(const struct placing *p, const struct rarog_rewrite_shape_block *b)
{
	const uint8_t *code = p->shape->code + b->last;
	struct rarog_instruction in;

	rarog_instruction_decode(p->shape->function->size - b->last, code,
				 p->shape->function->address + b->last, &in);
	return rarog_pushed_call_is_possible(code, &in);
}

/* One that cannot stay is made by pushing the return address, and a jump. */
static int claim_calls(struct placing *p)
{
	for (uint32_t i = 0; i + 1 < p->shape->n_blocks; i++) {
		const struct rarog_rewrite_shape_block *b = &p->shape->blocks[i];

		if (b->flow != RAROG_FLOW_CALL && b->flow != RAROG_FLOW_INDIRECT_CALL)
			continue;
		p->points->is_in_place[i] = claim(p, b->last, b->offset + b->size - b->last);
		if (!p->points->is_in_place[i] && !can_move(p, b))
			return RAROG_REWRITE_ROOM;
	}
	return 0;
}

/* The nearest five free bytes. */
static uint32_t find_island(struct placing *p, uint32_t point)
{
	uint32_t next = point + SHORT;

	for (uint32_t d = 0; d <= REACH; d++) {
		if (claim(p, next + d, LONG))
			return next + d;
		if (d < next && claim(p, next - d - 1, LONG))
			return next - d - 1;
	}
	return RAROG_NO_EDGE;
}

/* A call that stays may be what a jump of five bytes would have room for. */
static bool move_calls(struct placing *p, uint32_t point)
{
	for (uint32_t i = 0; i + 1 < p->shape->n_blocks; i++) {
		const struct rarog_rewrite_shape_block *b = &p->shape->blocks[i];

		if (!p->points->is_in_place[i] || b->last >= point + LONG ||
		    b->offset + b->size <= point + SHORT || !can_move(p, b))
			continue;
		p->points->is_in_place[i] = false;
		memset(p->is_used + b->last, false, b->offset + b->size - b->last);
	}
	return claim(p, point + SHORT, LONG - SHORT);
}

static int choose_jumps(struct placing *p)
{
	for (size_t i = 0; i < p->points->list.n; i++) {
		struct rarog_rewrite_point *point = &p->points->list.v[i];

		if (claim(p, point->offset + SHORT, LONG - SHORT))
			point->island = point->offset;
	}
	for (size_t i = 0; i < p->points->list.n; i++) {
		struct rarog_rewrite_point *point = &p->points->list.v[i];

		if (point->island == RAROG_NO_EDGE)
			point->island = find_island(p, point->offset);
		if (point->island == RAROG_NO_EDGE && move_calls(p, point->offset))
			point->island = point->offset;
		if (point->island == RAROG_NO_EDGE)
			return RAROG_REWRITE_ROOM;
	}
	return 0;
}

int rarog_rewrite_points_make(const struct rarog_rewrite_shape *shape,
			      struct rarog_rewrite_points *ret_points)
{
	struct rarog_rewrite_points points = { .is_in_place =
						       calloc(shape->n_blocks, sizeof(bool)) };
	rarog_cleanup(rarog_freep) bool *is_used =
		calloc(shape->function->size + shape->padding + 1, sizeof(*is_used));
	struct placing p = { shape, &points, is_used,
			     (uint32_t)shape->function->size + shape->padding };
	int r = points.is_in_place && is_used ? 0 : rarog_oom();

	if (r == 0)
		r = claim_points(&p);
	if (r == 0)
		r = claim_calls(&p);
	if (r == 0)
		r = choose_jumps(&p);
	if (r != 0)
		rarog_rewrite_points_release(&points);
	else
		*ret_points = points;
	return r;
}

void rarog_rewrite_points_release(struct rarog_rewrite_points *points)
{
	rarog_vec_release(&points->list);
	free(points->is_in_place);
	points->is_in_place = NULL;
}
