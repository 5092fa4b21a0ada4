/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Displaced code. Instructions that do not depend on their place are copied; the others are
 * rewritten so that the processor, the callee and an unwinder see the same values as before:
 *
 *   [rip+disp32]          the same bytes, disp32 counted from the new place
 *   jcc rel8/rel32        0F 8x rel32
 *   jmp rel8/rel32        E9 rel32
 *   loop*, j[er]cxz T     op +2; jmp +5; jmp T     (they exist with rel8 only)
 *   call T                push R; jmp T            (R: the ORIGINAL return address)
 *   call r/m              push R; jmp r/m
 *   xbegin T              the same bytes, rel32 counted from the new place
 *
 * where `push R` is push imm32 and, when R is not that number sign-extended, mov dword [rsp+4].
 * Invariant: no register and no flag is written that the original does not write, and nothing below
 * the stack pointer but what the original CALL writes.
 *
 * Returns never come back to the copy: a CALL returns after itself in the original code, so one
 * that ends inside the 5 bytes replaced by the patch cannot be moved.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "binary/instruction.h"
#include "binary/patch-site.h"

struct mover {
	uint64_t from, to; /* start of the original and of the copy */
	size_t n;          /* bytes displaced */
	size_t room, used;
	uint8_t *out;
};

static int put(struct mover *m, size_t n, const uint8_t bytes[n])
{
	if (m->room - m->used < n)
		return -ENOSPC;
	memcpy(m->out + m->used, bytes, n);
	m->used += n;
	return 0;
}

static int fit_relative(uint64_t target, uint64_t next, uint8_t bytes[4])
{
	int64_t distance = (int64_t)(target - next);
	int32_t narrow = (int32_t)distance;

	if (narrow != distance)
		return -ERANGE;
	memcpy(bytes, &narrow, sizeof(narrow));
	return 0;
}

/* @n bytes whose last four are a displacement to @target. */
static int put_branch(struct mover *m, size_t n, uint8_t bytes[n], uint64_t target)
{
	int r = fit_relative(target, m->to + m->used + n, bytes + n - 4);

	return r < 0 ? r : put(m, n, bytes);
}

static int put_jump(struct mover *m, uint64_t target)
{
	uint8_t jump[] = { 0xe9, 0, 0, 0, 0 };

	return put_branch(m, sizeof(jump), jump, target);
}

static int put_push(struct mover *m, uint64_t value)
{
	uint8_t push[] = { 0x68, 0, 0, 0, 0 };
	uint8_t high[] = { 0xc7, 0x44, 0x24, 0x04, 0, 0, 0, 0 };
	int32_t low = (int32_t)value;
	uint32_t rest = (uint32_t)(value >> 32);

	memcpy(push + 1, &low, sizeof(low));
	memcpy(high + 4, &rest, sizeof(rest));
	int r = put(m, sizeof(push), push);
	if (r < 0 || (uint64_t)(int64_t)low == value)
		return r;
	return put(m, sizeof(high), high);
}

/* The instruction as it is, with [rip+disp32] counted from the new place. */
static int move_plain(struct mover *m, const uint8_t *code, const struct rarog_instruction *in)
{
	uint8_t copy[RAROG_INSTRUCTION_MAX];
	uint64_t next = m->to + m->used + in->length;

	memcpy(copy, code, in->length);
	if (in->memory_offset) {
		int r = fit_relative(in->memory, next, copy + in->memory_offset);

		if (r < 0)
			return r;
	}
	return put(m, in->length, copy);
}

static int move_jump(struct mover *m, const uint8_t *code, const struct rarog_instruction *in)
{
	(void)code;
	return put_jump(m, in->target);
}

static int move_branch(struct mover *m, const uint8_t *code, const struct rarog_instruction *in)
{
	uint8_t branch[] = { 0x0f, 0x80 | (in->opcode & 15), 0, 0, 0, 0 };

	(void)code;
	return put_branch(m, sizeof(branch), branch, in->target);
}

static int move_count(struct mover *m, const uint8_t *code, const struct rarog_instruction *in)
{
	static const uint8_t skip[] = { 0x02, 0xeb, 0x05 };
	int r = put(m, in->opcode_offset + 1u, code); /* prefixes choose ecx or rcx */

	if (r == 0)
		r = put(m, sizeof(skip), skip);
	return r < 0 ? r : put_jump(m, in->target);
}

static int move_begin(struct mover *m, const uint8_t *code, const struct rarog_instruction *in)
{
	uint8_t copy[RAROG_INSTRUCTION_MAX];

	if (in->relative_size != 4)
		return -ENOTSUP;
	memcpy(copy, code, in->length);
	return put_branch(m, in->length, copy, in->target);
}

/* Address after a CALL in the original, when the original is still there. */
static int return_address(const struct mover *m, const uint8_t *code, const uint8_t *start,
			  const struct rarog_instruction *in, uint64_t *ret_address)
{
	size_t behind = (size_t)(code - start) + in->length;

	if (behind < RAROG_PATCH_SIZE)
		return -ENOTSUP;
	*ret_address = m->from + behind;
	return 0;
}

static int move_call(struct mover *m, const uint8_t *code, const struct rarog_instruction *in)
{
	(void)code;
	return put_jump(m, in->target);
}

static int move_indirect_call(struct mover *m, const uint8_t *code,
			      const struct rarog_instruction *in)
{
	uint8_t jump[RAROG_INSTRUCTION_MAX];

	memcpy(jump, code, in->length);
	jump[in->opcode_offset + 1] ^= 2 << 3 ^ 4 << 3; /* FF /2 is call, FF /4 jmp */
	return move_plain(m, jump, in);
}

static int refuse(struct mover *m, const uint8_t *code, const struct rarog_instruction *in)
{
	(void)m;
	(void)code;
	(void)in;
	return -ENOTSUP;
}

typedef int (*move_function)(struct mover *m, const uint8_t *code,
			     const struct rarog_instruction *in);

static const move_function movers[] = {
	[RAROG_FLOW_NEXT] = move_plain,
	[RAROG_FLOW_NOP] = move_plain,
	[RAROG_FLOW_JUMP] = move_jump,
	[RAROG_FLOW_BRANCH] = move_branch,
	[RAROG_FLOW_COUNT] = move_count,
	[RAROG_FLOW_CALL] = move_call,
	[RAROG_FLOW_BEGIN] = move_begin,
	[RAROG_FLOW_INDIRECT_JUMP] = move_plain,
	[RAROG_FLOW_INDIRECT_CALL] = move_indirect_call,
	[RAROG_FLOW_RETURN] = move_plain,
	[RAROG_FLOW_STOP] = move_plain,
	[RAROG_FLOW_BREAK] = refuse,
	[RAROG_FLOW_SYSTEM] = refuse,
};

static bool is_call(const struct rarog_instruction *in)
{
	return in->flow == RAROG_FLOW_CALL || in->flow == RAROG_FLOW_INDIRECT_CALL;
}

/* Into the displaced bytes, other than to their start, which stays an entry. */
static bool lands_inside(const struct mover *m, const struct rarog_instruction *in)
{
	return in->relative_size && in->target - m->from - 1 < m->n - 1;
}

static int move_one(struct mover *m, const uint8_t *start, const uint8_t *code,
		    const struct rarog_instruction *in)
{
	if (in->short_prefixes || lands_inside(m, in))
		return -ENOTSUP;
	if (is_call(in)) {
		uint64_t address;
		int r = in->uses_stack_pointer && in->flow == RAROG_FLOW_INDIRECT_CALL
				? -ENOTSUP
				: return_address(m, code, start, in, &address);

		if (r == 0)
			r = put_push(m, address);
		if (r < 0)
			return r;
	}
	return movers[in->flow](m, code, in);
}

int rarog_relocate(size_t n, const uint8_t code[n], uint64_t from, uint64_t to, size_t room,
		   uint8_t *out)
{
	struct mover m = { .from = from, .to = to, .n = n, .room = room, .out = out };

	for (size_t at = 0; at < n;) {
		struct rarog_instruction in;

		if (!rarog_instruction_decode(n - at, code + at, from + at, &in))
			return -ENOTSUP;
		int r = move_one(&m, code, code + at, &in);
		if (r < 0)
			return r;
		if (!rarog_flow_goes_on(in.flow) || is_call(&in))
			return (int)m.used;
		at += in.length;
	}
	int r = put_jump(&m, from + n);
	return r < 0 ? r : (int)m.used;
}
