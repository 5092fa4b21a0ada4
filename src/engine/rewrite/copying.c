/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/copying.h"

#include <string.h>

#include "base/error.h"
#include "binary/instruction.h"

void rarog_copying_put(struct rarog_copying *c, size_t n, const uint8_t bytes[n])
{
	for (size_t i = 0; i < n; i++)
		if (rarog_vec_push(&c->copies->code, bytes[i]) < 0)
			c->error = rarog_oom();
}

uint32_t rarog_copying_here(const struct rarog_copying *c)
{
	return (uint32_t)c->copies->code.n;
}

void rarog_copying_new_span(struct rarog_copying *c, uint32_t block, bool is_probe, uint32_t offset)
{
	const struct rarog_copy_span span = { .at = rarog_copying_here(c),
					      .block = c->shape->first_block + block,
					      .offset = offset,
					      .is_probe = is_probe };

	if (rarog_vec_push(&c->copies->spans, span) < 0)
		c->error = rarog_oom();
}

void rarog_copying_span(struct rarog_copying *c, uint32_t block, bool is_probe, uint32_t offset)
{
	const struct rarog_copies *copies = c->copies;
	const struct rarog_copy_span *last =
		copies->spans.n > 0 ? &copies->spans.v[copies->spans.n - 1] : NULL;

	if (!last || last->block != c->shape->first_block + block || last->is_probe != is_probe)
		rarog_copying_new_span(c, block, is_probe, offset);
}

void rarog_copying_deepen(struct rarog_copying *c)
{
	if (c->copies->spans.n > 0)
		c->copies->spans.v[c->copies->spans.n - 1].is_deep = true;
}

int32_t rarog_copying_distance(struct rarog_copying *c, uint64_t end, uint64_t target)
{
	uint64_t distance = target - end;

	if (distance + INT32_MAX + 1u > UINT32_MAX && !c->error)
		c->error = RAROG_REWRITE_FAR;
	return (int32_t)distance;
}

void rarog_copying_set(struct rarog_copying *c, uint32_t at, uint64_t target)
{
	int32_t narrow = rarog_copying_distance(c, c->copies->address + at + 4, target);

	if (c->error >= 0)
		memcpy(c->copies->code.v + at, &narrow, sizeof(narrow));
}

void rarog_copying_put_to(struct rarog_copying *c, size_t n, const uint8_t opcode[n],
			  uint64_t target)
{
	static const uint8_t nothing[4];

	rarog_copying_put(c, n, opcode);
	rarog_copying_put(c, sizeof(nothing), nothing);
	rarog_copying_set(c, rarog_copying_here(c) - 4, target);
}

void rarog_copying_put_to_block(struct rarog_copying *c, size_t n, const uint8_t opcode[n],
				uint32_t block)
{
	static const uint8_t nothing[4];

	rarog_copying_put(c, n, opcode);
	rarog_copying_put(c, sizeof(nothing), nothing);
	if (rarog_vec_push(&c->fixups,
			   (struct rarog_copying_fixup){ rarog_copying_here(c) - 4, block }) < 0)
		c->error = rarog_oom();
}

void rarog_copying_put_plain(struct rarog_copying *c, const uint8_t *code,
			     const struct rarog_instruction *in)
{
	uint32_t at = rarog_copying_here(c);

	rarog_copying_put(c, in->length, code);
	if (!in->memory_offset || c->error)
		return;
	/* what follows the displacement belongs to the instruction */
	rarog_copying_set(c, at + in->memory_offset,
			  in->memory - (in->length - in->memory_offset - 4u));
}
