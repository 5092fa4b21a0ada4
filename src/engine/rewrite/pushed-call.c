/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/pushed-call.h"

#include <string.h>

#include "base/error.h"
#include "binary/instruction.h"

#define PUSHED 8 /* bytes */

/* The byte after the opcode: mod (2 bits), reg (3), rm (3). */
#define MOD(modrm)   ((modrm) >> 6)
#define JUMP_REG     (4 << 3) /* FF /4; FF /2 is a call */
#define REG_BITS     (7 << 3)
#define MOD_REGISTER 3
#define MOD_BYTE     1
#define MOD_LONG     2

bool rarog_pushed_call_is_possible(const uint8_t *code, const struct rarog_instruction *in)
{
	return in->flow == RAROG_FLOW_CALL || !in->uses_stack_pointer ||
	       MOD(code[in->opcode_offset + 1]) != MOD_REGISTER;
}

/* Push the address after the call in the original. */
static void put_push(struct rarog_copying *c, uint64_t address)
{
	static const uint8_t push[] = { 0x68, 0, 0, 0, 0 };
	static const uint8_t high[] = { 0xc7, 0x44, 0x24, 0x04, 0, 0, 0, 0 };
	struct rarog_copy_absolute absolute = { .address = address };

	rarog_copying_put(c, sizeof(push), push);
	absolute.low = rarog_copying_here(c) - 4;
	rarog_copying_put(c, sizeof(high), high);
	absolute.high = rarog_copying_here(c) - 4;
	if (rarog_vec_push(&c->copies->absolute, absolute) < 0)
		c->error = rarog_oom();
}

/* What %rsp is the base of lies further up by now; with four bytes of displacement, whatever the
 * call has. */
static void put_jump_by_stack(struct rarog_copying *c, const uint8_t *code,
			      const struct rarog_instruction *in)
{
	const uint8_t *modrm = code + in->opcode_offset + 1, *at = modrm + 2;
	uint8_t head[RAROG_INSTRUCTION_MAX];
	int32_t displacement = 0;

	if (MOD(*modrm) == MOD_BYTE)
		displacement = (*at ^ 0x80) - 0x80; /* its sign, too */
	else if (MOD(*modrm) == MOD_LONG)
		memcpy(&displacement, at, sizeof(displacement));
	displacement += PUSHED;
	memcpy(head, code, (size_t)(at - code));
	head[in->opcode_offset + 1] =
		(uint8_t)(MOD_LONG << 6 | JUMP_REG | (*modrm & (uint8_t) ~(3 << 6 | REG_BITS)));
	rarog_copying_put(c, (size_t)(at - code), head);
	rarog_copying_put(c, sizeof(displacement), (const uint8_t *)&displacement);
}

static void put_jump(struct rarog_copying *c, const uint8_t *code,
		     const struct rarog_instruction *in)
{
	uint8_t jump[RAROG_INSTRUCTION_MAX];

	memcpy(jump, code, in->length);
	jump[in->opcode_offset + 1] =
		(uint8_t)((jump[in->opcode_offset + 1] & (uint8_t)~REG_BITS) | JUMP_REG);
	rarog_copying_put_plain(c, jump, in);
}

void rarog_pushed_call_put(struct rarog_copying *c, const struct rarog_rewrite_shape_block *b,
			   const uint8_t *code, const struct rarog_instruction *in)
{
	static const uint8_t jump[] = { 0xe9 };

	rarog_copying_deepen(c);
	put_push(c, c->shape->function->address + b->offset + b->size);
	if (in->flow == RAROG_FLOW_CALL)
		rarog_copying_put_to(c, sizeof(jump), jump, in->target);
	else if (in->uses_stack_pointer)
		put_jump_by_stack(c, code, in);
	else
		put_jump(c, code, in);
}
