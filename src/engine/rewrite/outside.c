/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The callee's first block ends the time of the block that calls it, if it has been rewritten. Of a
 * call that is not known to lead there, and of the return to a caller that need not be there (any
 * code may have its address), the end is a stamp of its own.
 */
#include "engine/rewrite/outside.h"

#include "base/lower-bound.h"
#include "binary/instruction.h"

/* The function that has @address; NULL: none that has been rewritten. */
static const struct rarog_rewritten *find(const struct rarog_rewrite_module *m, uint64_t address)
{
	size_t after = rarog_lower_bound(i, m->functions.n,
					 m->functions.v[i].shape.function->address <= address);
	const struct rarog_rewritten *f = after > 0 ? &m->functions.v[after - 1] : NULL;

	return f && address - f->shape.function->address < f->shape.function->size ? f : NULL;
}

static bool leads_out(const struct rarog_rewrite_module *m, const struct rarog_rewrite_shape *shape,
		      const struct rarog_rewrite_shape_block *b)
{
	struct rarog_instruction in;

	rarog_instruction_decode(shape->function->size - b->last, shape->code + b->last,
				 shape->function->address + b->last, &in);
	return !find(m, in.target);
}

/* May what has its address, or jumps to it, be code that is not rewritten? */
static bool is_called_from_anywhere(const struct rarog_code_map *map,
				    const struct rarog_function *function)
{
	return rarog_code_reached(map, function->address, 1, RAROG_REACH_TAKEN) ||
	       rarog_code_reached(map, function->address, 1, RAROG_REACH_NAMED) ||
	       rarog_code_reached(map, function->address, 1, RAROG_REACH_FOREIGN);
}

static bool leaves(const struct rarog_rewrite_module *m, const struct rarog_rewrite_shape *shape,
		   const struct rarog_rewrite_shape_block *b, bool is_anywhere)
{
	switch (b->flow) {
	case RAROG_FLOW_CALL:
		return leads_out(m, shape, b);
	case RAROG_FLOW_JUMP:
		return b->taken == RAROG_NO_EDGE && leads_out(m, shape, b);
	case RAROG_FLOW_INDIRECT_CALL:
		return true;
	case RAROG_FLOW_INDIRECT_JUMP:
		return b->taken == RAROG_NO_EDGE;
	case RAROG_FLOW_RETURN:
		return is_anywhere;
	default:
		return false;
	}
}

void rarog_rewrite_outside_find(struct rarog_rewrite_module *m, const struct rarog_code_map *map)
{
	for (size_t i = 0; i < m->functions.n; i++) {
		struct rarog_rewrite_shape *shape = &m->functions.v[i].shape;
		bool is_anywhere = is_called_from_anywhere(map, shape->function);

		for (size_t k = 0; k + 1 < shape->n_blocks; k++)
			shape->blocks[k].leaves = leaves(m, shape, &shape->blocks[k], is_anywhere);
	}
}
