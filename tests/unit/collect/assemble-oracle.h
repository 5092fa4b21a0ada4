/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The truth about a trace by brute force: time is handed out tick by tick to everything open, every
 * search is a linear scan, nothing is derived from anything else. Slow and obvious on purpose.
 */
#ifndef RAROG_TESTS_ASSEMBLE_ORACLE_H
#define RAROG_TESTS_ASSEMBLE_ORACLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

#define ORACLE_LOCATIONS 12
#define ORACLE_STRANDS   3
#define ORACLE_DEPTH     600
#define ORACLE_NODES     4000
#define ORACLE_CALLS     6000

struct oracle_frame {
	uint32_t location, node;
	uint64_t inclusive, children, inside;
	bool is_inherited, is_foreign;
};

struct oracle_sums {
	uint64_t count, sum, total, exclusive, min, max, open, unwound;
	unsigned __int128 squares;
};

struct oracle_strand {
	struct oracle_frame stack[ORACLE_DEPTH];
	size_t depth;
	uint64_t clock, idle; /* idle: ticks since the last operation that waits may take */
};

struct oracle {
	uint64_t compensate, compensate_self, clamped, folded, waits;
	size_t max_nodes;
	struct oracle_strand strands[ORACLE_STRANDS];
	struct oracle_sums sums[ORACLE_STRANDS][ORACLE_LOCATIONS];
	struct rarog_node nodes[ORACLE_NODES];
	size_t n_nodes;
	struct {
		uint32_t location;
		uint64_t ticks;
	} calls[ORACLE_CALLS];
	size_t n_calls;
};

static inline void oracle_init(struct oracle *o, size_t max_nodes)
{
	memset(o->strands, 0, sizeof(o->strands));
	memset(o->sums, 0, sizeof(o->sums));
	o->compensate = o->compensate_self = o->clamped = o->folded = o->waits = 0;
	o->max_nodes = max_nodes;
	o->nodes[0] = (struct rarog_node){ RAROG_NONE, RAROG_NONE, 0, 0, 0 };
	o->n_nodes = 1;
	o->n_calls = 0;
}

static inline void oracle_time(struct oracle_strand *s, uint64_t ticks)
{
	s->clock += ticks;
	s->idle += ticks;
	for (size_t i = 0; i < s->depth; i++)
		s->stack[i].inclusive += ticks;
}

static inline void oracle_wait(struct oracle *o, struct oracle_strand *s, uint64_t ticks)
{
	if (ticks > s->idle)
		ticks = s->idle;
	s->idle -= ticks;
	o->waits += ticks;
	for (size_t i = 0; i < s->depth; i++)
		s->stack[i].inclusive -= ticks;
}

static inline uint32_t oracle_node(struct oracle *o, uint32_t parent, uint32_t location,
				   bool *ret_foreign)
{
	*ret_foreign = false;
	for (uint32_t i = 1; i < o->n_nodes; i++)
		if (o->nodes[i].parent == parent && o->nodes[i].location == location)
			return i;
	if (o->n_nodes < o->max_nodes) {
		assert(o->n_nodes < ORACLE_NODES);
		o->nodes[o->n_nodes] = (struct rarog_node){ parent, location, 0, 0, 0 };
		return (uint32_t)o->n_nodes++;
	}
	o->folded++;
	for (uint32_t i = parent; i != 0; i = o->nodes[i].parent)
		if (o->nodes[i].location == location)
			return i;
	*ret_foreign = true;
	return parent;
}

static inline void oracle_push(struct oracle *o, struct oracle_strand *s, uint32_t location,
			       bool is_inherited)
{
	struct oracle_frame *f = &s->stack[s->depth];

	assert(s->depth < ORACLE_DEPTH);
	*f = (struct oracle_frame){ .location = location, .is_inherited = is_inherited };
	f->node = oracle_node(o, s->depth ? f[-1].node : 0, location, &f->is_foreign);
	for (size_t i = 0; i < s->depth && !is_inherited; i++)
		s->stack[i].inside++;
	s->depth++;
	s->idle = 0;
}

static inline uint64_t oracle_ticks(struct oracle *o, const struct oracle_frame *f)
{
	__int128 ticks = f->inclusive;

	if (!o->compensate && !o->compensate_self)
		return f->inclusive;
	ticks -= (__int128)f->inside * o->compensate + o->compensate_self;
	if (ticks >= (__int128)f->children)
		return (uint64_t)ticks;
	o->clamped++;
	return f->children;
}

static inline void oracle_count(struct oracle *o, struct oracle_sums *sums, uint32_t location,
				uint64_t ticks)
{
	sums->min = sums->count == 0 || ticks < sums->min ? ticks : sums->min;
	sums->max = ticks > sums->max ? ticks : sums->max;
	sums->count++;
	sums->sum += ticks;
	sums->squares += (unsigned __int128)ticks * ticks;
	assert(o->n_calls < ORACLE_CALLS);
	o->calls[o->n_calls].location = location;
	o->calls[o->n_calls++].ticks = ticks;
}

static inline void oracle_pop(struct oracle *o, unsigned strand, enum rarog_op how)
{
	struct oracle_strand *s = &o->strands[strand];
	struct oracle_frame *f = &s->stack[--s->depth];
	struct oracle_sums *sums = &o->sums[strand][f->location];
	uint64_t ticks = oracle_ticks(o, f);
	bool is_outermost = true;

	for (size_t i = 0; i < s->depth; i++)
		if (s->stack[i].location == f->location)
			is_outermost = false;
	if (s->depth)
		f[-1].children += ticks;
	sums->total += is_outermost ? ticks : 0;
	sums->exclusive += ticks - f->children;
	sums->open += how == RAROG_OP_CLOSED;
	sums->unwound += how == RAROG_OP_UNWOUND;
	for (uint32_t i = f->node; i != 0; i = o->nodes[i].parent)
		o->nodes[i].inclusive += ticks - f->children;
	o->nodes[0].inclusive += ticks - f->children;
	o->nodes[f->node].exclusive += ticks - f->children;
	if (!f->is_inherited && !f->is_foreign)
		o->nodes[f->node].count++;
	if (!f->is_inherited)
		oracle_count(o, sums, f->location, ticks);
	s->idle = 0;
}

static inline unsigned oracle_bucket(uint64_t ticks)
{
	unsigned exponent = 0;

	if (ticks < 32)
		return (unsigned)ticks;
	while (exponent < 63 && UINT64_C(2) << exponent <= ticks)
		exponent++;
	return 32 + (exponent - 5) * 32 +
	       (unsigned)((ticks - (UINT64_C(1) << exponent)) / (UINT64_C(1) << (exponent - 5)));
}

#endif
