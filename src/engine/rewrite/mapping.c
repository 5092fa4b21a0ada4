/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/mapping.h"

#include "base/lower-bound.h"

/* The function of the original that @address is in, or after which it stands; NULL: none. */
static const struct rarog_rewritten *function_at(const struct rarog_rewrite_module *m,
						 uint64_t address)
{
	size_t after = rarog_lower_bound(i, m->functions.n,
					 m->functions.v[i].shape.function->address <= address);
	const struct rarog_rewritten *f = after > 0 ? &m->functions.v[after - 1] : NULL;
	const struct rarog_rewrite_shape *shape = f ? &f->shape : NULL;

	return f && !f->is_left &&
			       address - shape->function->address <
				       shape->function->size + shape->padding
		       ? f
		       : NULL;
}

static const struct rarog_copy_span *span_at(const struct rarog_rewrite_module *m, uint64_t address)
{
	uint64_t at = address - m->copies.address;
	size_t after = rarog_lower_bound(i, m->copies.spans.n, m->copies.spans.v[i].at <= at);

	return at < m->copies.code.n && after > 0 ? &m->copies.spans.v[after - 1] : NULL;
}

/* The point whose jump of five bytes stands elsewhere, at @address. */
static const struct rarog_rewrite_point *point_of_island(const struct rarog_rewritten *f,
							 uint64_t address)
{
	uint64_t offset = address - f->shape.function->address;

	for (size_t i = 0; i < f->points.list.n; i++) {
		const struct rarog_rewrite_point *point = &f->points.list.v[i];

		if (point->island == offset && point->offset != offset)
			return point;
	}
	return NULL;
}

static bool is_point(const struct rarog_rewritten *f, uint64_t offset)
{
	size_t i = rarog_lower_bound(k, f->points.list.n, f->points.list.v[k].offset < offset);

	return i < f->points.list.n && f->points.list.v[i].offset == offset;
}

/* --- samples --- */

/* In the original calls are executed, and jumps to copies. */
static struct rarog_copy_span span_of_call(const struct rarog_rewritten *f, uint64_t address)
{
	const struct rarog_rewrite_shape *shape = &f->shape;
	const struct rarog_rewrite_point *point = point_of_island(f, address);
	uint64_t offset = point ? point->offset : address - shape->function->address;
	size_t after = rarog_lower_bound(i, shape->n_blocks - 1, shape->blocks[i].offset <= offset);
	size_t block = after > 0 ? after - 1 : 0;
	bool is_call = f->points.is_in_place[block] && offset >= shape->blocks[block].last;

	return (struct rarog_copy_span){ .block = shape->first_block + (uint32_t)block,
					 .is_probe = !is_call };
}

bool rarog_rewrite_mapping_sample(struct rarog_rewrite_module *m, uint64_t address)
{
	const struct rarog_copy_span *span = span_at(m, address);
	const struct rarog_rewritten *f = span ? NULL : function_at(m, address);
	struct rarog_copy_span found;

	if (!span && !f)
		return false;
	found = span ? *span : span_of_call(f, address);
	m->samples[found.block].own += !found.is_probe;
	m->samples[found.block].probes += found.is_probe;
	return true;
}

/* --- from copies --- */

/* The function whose blocks have numbers around @block. */
static const struct rarog_rewrite_shape *shape_of(const struct rarog_rewrite_module *m,
						  uint32_t block)
{
	size_t after =
		rarog_lower_bound(i, m->functions.n, m->functions.v[i].shape.first_block <= block);

	return &m->functions.v[after - 1].shape;
}

/* Its first instruction finds the stack as it is in the original. */
static bool is_midway(const struct rarog_rewrite_module *m, const struct rarog_copy_span *span,
		      uint64_t address)
{
	return span->is_deep && address != m->copies.address + span->at;
}

static uint64_t original_of(const struct rarog_rewrite_module *m,
			    const struct rarog_copy_span *span, uint64_t address)
{
	const struct rarog_rewrite_shape *shape = shape_of(m, span->block);
	const struct rarog_rewrite_shape_block *b =
		&shape->blocks[span->block - shape->first_block];
	uint64_t at = address - m->copies.address;
	uint64_t offset = span->is_probe ? span->offset : span->offset + (at - span->at);

	if (!span->is_probe && offset > b->last)
		offset = b->last; /* one that was made longer */
	return shape->function->address + offset;
}

uint64_t rarog_rewrite_mapping_original(const struct rarog_rewrite_module *m, uint64_t address)
{
	const struct rarog_copy_span *span = span_at(m, address);
	const struct rarog_rewritten *f = span ? NULL : function_at(m, address);
	const struct rarog_rewrite_point *point = f ? point_of_island(f, address) : NULL;

	if (point)
		return f->shape.function->address + point->offset;
	return span && !is_midway(m, span, address) ? original_of(m, span, address) : 0;
}

bool rarog_rewrite_mapping_is_midway(const struct rarog_rewrite_module *m, uint64_t address)
{
	const struct rarog_copy_span *span = span_at(m, address);

	return span && is_midway(m, span, address);
}

/* --- to copies --- */

/* Few ask, seldom. Where a jump stands that leads to the copy what counts on the way is to be
 * passed. */
uint64_t rarog_rewrite_mapping_copied(const struct rarog_rewrite_module *m, uint64_t address)
{
	const struct rarog_rewritten *f = function_at(m, address);
	const struct rarog_rewrite_shape *shape = f ? &f->shape : NULL;
	uint64_t offset = shape ? address - shape->function->address : 0;

	if (!shape || is_point(f, offset))
		return 0;
	for (size_t i = 0; i + 1 < m->copies.spans.n; i++) {
		const struct rarog_copy_span *span = &m->copies.spans.v[i];
		uint32_t block = span->block - shape->first_block;

		/* the last instruction of a block may have become longer than it was */
		if (!span->is_probe && block < shape->n_blocks && span->offset <= offset &&
		    offset <= shape->blocks[block].last &&
		    offset - span->offset < span[1].at - span->at)
			return m->copies.address + span->at + (offset - span->offset);
	}
	return 0;
}
