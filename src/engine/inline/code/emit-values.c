/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stub calls this block instead of the body, whose entry it jumps to; so registers, stack and
 * shadow stack are as in the body. Only the strand's owner may write, and only if no probe of its
 *is interrupted here; anything else is for the agent.
 *
 *	push %rax; push %rcx
 *	mov  %fs:0,%rax; cmp %gs:OWNER,%rax; jne slow
 *	cmpq $0,%gs:BUSY; jne slow
 *	lea  16(%rsp),%rax; mov %rax,%gs:BUSY
 *	mov  %gs:CURSOR,%rcx; cmp %gs:END,%rcx; jae marked
 *	movl $0xffff | VALUES << 16,(%rcx); movl $n,4(%rcx)
 *	mov  %rdi,8(%rcx) …				a store a value
 *	add  $size,%rcx; mov %rcx,%gs:CURSOR; movq $0,%gs:BUSY
 *	pop  %rcx; pop %rax; jmp body
 * marked: movq $0,%gs:BUSY
 * slow: pop %rcx
 *	lea  capture(%rip),%rax; call values; pop %rax; jmp body
 */
#include "engine/inline/code/emit-values.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "agent/abi.h"
#include "engine/inline/code/emit-bytes.h"

#define PUSHED 16 /* bytes between the stack pointer here and that of the entry */

/* jcc rel32, filled in later */
static size_t put_branch(struct rarog_emitter *e, uint8_t condition)
{
	PUT(e, 0x0f);
	put(e, 1, &condition);
	put32(e, 0);
	return e->used - 4;
}

#define JNE 0x85
#define JAE 0x83

/* mov %r,d(%rcx) */
static void put_general(struct rarog_emitter *e, unsigned number, uint32_t at)
{
	/* rdi, rsi, rdx, rcx, r8, r9 */
	static const struct {
		uint8_t rex, modrm;
	} codes[] = { { 0x48, 0xb9 }, { 0x48, 0xb1 }, { 0x48, 0x91 },
		      { 0x48, 0x81 }, { 0x4c, 0x81 }, { 0x4c, 0x89 } };

	if (number == 3) { /* rcx is where we write: it was pushed last */
		PUT(e, 0x48, 0x8b, 0x04, 0x24);
		PUT(e, 0x48, 0x89);
	} else {
		put(e, 1, &codes[number].rex);
		PUT(e, 0x89);
	}
	put(e, 1, &codes[number].modrm); /* of rcx: 0x81, rax */
	put32(e, at);
}

/* movq %xmm,d(%rcx) */
static void put_vector(struct rarog_emitter *e, unsigned number, uint32_t at)
{
	uint8_t modrm = (uint8_t)(0x81 | number << 3);

	PUT(e, 0x66, 0x0f, 0xd6);
	put(e, 1, &modrm);
	put32(e, at);
}

/* mov d(%rsp),%rax; mov %rax,d(%rcx) */
static void put_stack(struct rarog_emitter *e, int32_t from, uint32_t at)
{
	PUT(e, 0x48, 0x8b, 0x84, 0x24);
	put32(e, (uint32_t)(from + PUSHED));
	PUT(e, 0x48, 0x89, 0x81);
	put32(e, at);
}

static void put_values(struct rarog_emitter *e, const struct rarog_value_set *c)
{
	for (uint32_t i = 0; i < c->n_enter; i++) {
		const struct rarog_value_way *v = &c->values[i];
		uint32_t at = 8 + i * 8;

		if (v->source == RAROG_WAY_GENERAL)
			put_general(e, v->number, at);
		else if (v->source == RAROG_WAY_VECTOR)
			put_vector(e, v->number, at);
		else
			put_stack(e, v->stack, at);
	}
}

static void clear_busy(struct rarog_emitter *e)
{
	PUT(e, 0x65, 0x48, 0xc7, 0x04, 0x25);
	put32(e, RAROG_GS_BUSY);
	put32(e, 0);
}

static void put_fast(struct rarog_emitter *e, const struct rarog_value_set *c, size_t body)
{
	size_t slow[2], marked;

	PUT(e, 0x50, 0x51);
	PUT(e, 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0);
	PUT(e, 0x65, 0x48, 0x3b, 0x04, 0x25);
	put32(e, RAROG_GS_OWNER);
	slow[0] = put_branch(e, JNE);
	PUT(e, 0x65, 0x48, 0x83, 0x3c, 0x25);
	put32(e, RAROG_GS_BUSY);
	PUT(e, 0);
	slow[1] = put_branch(e, JNE);
	PUT(e, 0x48, 0x8d, 0x44, 0x24, PUSHED);
	PUT(e, 0x65, 0x48, 0x89, 0x04, 0x25);
	put32(e, RAROG_GS_BUSY);
	PUT(e, 0x65, 0x48, 0x8b, 0x0c, 0x25);
	put32(e, RAROG_GS_CURSOR);
	PUT(e, 0x65, 0x48, 0x3b, 0x0c, 0x25);
	put32(e, RAROG_GS_END);
	marked = put_branch(e, JAE);
	PUT(e, 0xc7, 0x01);
	put32(e, RAROG_WORD_ESCAPE | (uint32_t)RAROG_ESCAPE_VALUES << 16);
	PUT(e, 0xc7, 0x41, 4);
	put32(e, c->n_enter);
	put_values(e, c);
	PUT(e, 0x48, 0x81, 0xc1);
	put32(e, 8 + c->n_enter * 8u);
	PUT(e, 0x65, 0x48, 0x89, 0x0c, 0x25);
	put32(e, RAROG_GS_CURSOR);
	clear_busy(e);
	PUT(e, 0x59, 0x58);
	put_jump(e, JMP, body);
	set_distance(e, marked, e->used);
	clear_busy(e);
	set_distance(e, slow[0], e->used);
	set_distance(e, slow[1], e->used);
	PUT(e, 0x59);
}

static void put_slow(struct rarog_emitter *e, size_t capture, size_t body)
{
	PUT(e, 0x48, 0x8d, 0x05); /* lea d(%rip),%rax */
	put32(e, 0);
	set_distance(e, e->used - 4, capture);
	put_jump(e, CALL, e->entries.values);
	PUT(e, 0x58);
	put_jump(e, JMP, body);
}

/* Registers and stack alone; what is captured at the return is made ready by the agent. */
static bool is_plain(const struct rarog_value_set *c)
{
	return !c->reads_enter && c->n_leave == 0 && c->n_enter > 0;
}

static void align(struct rarog_emitter *e, size_t to)
{
	while (e->used % to)
		e->memory[e->used++] = 0xcc;
}

int rarog_emit_values(struct rarog_emitter *emitter, const struct rarog_value_set *capture)
{
	struct rarog_emitter *e = emitter;
	size_t stub = e->stub, body = stub + e->call.size, start, at;

	if (e->size - e->used < RAROG_EMIT_VALUES_SIZE)
		return -ENOSPC;
	align(e, 8);
	at = e->used;
	memcpy(e->memory + at, capture, sizeof(*capture));
	e->used += sizeof(*capture);
	align(e, 16);
	start = e->used;
	if (is_plain(capture))
		put_fast(e, capture, body);
	else
		PUT(e, 0x50);
	put_slow(e, at, body);
	set_distance(e, stub + e->call.body, start);
	if (capture->n_leave) { /* from the word itself, as the agent counts */
		uint32_t distance = (uint32_t)(at - (stub + e->call.value_set));

		memcpy(e->memory + stub + e->call.value_set, &distance, 4);
	}
	return 0;
}
