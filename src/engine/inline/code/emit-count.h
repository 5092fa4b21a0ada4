/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How stubs get at the counters of the thread's strand, which it may not have yet. */
#ifndef RAROG_ENGINE_INLINE_CODE_EMIT_COUNT_H
#define RAROG_ENGINE_INLINE_CODE_EMIT_COUNT_H

#include "engine/inline/code/emit-bytes.h"

/*
 *	push %rax
 * again:
 *	mov  %fs:0,%rax; cmp %gs:OWNER,%rax; jne slow
 *	mov  %gs:COUNTS,%rax; incq id*8(%rax)
 * out:	pop  %rax
 *	jmp  body
 * slow: call count; mov %fs:0,%rax; cmp %gs:OWNER,%rax; je again; jmp out
 * body:
 */
#define COUNT_SIZE (1 + 9 + 9 + 2 + 9 + 7 + 1 + 2 + 5 + 9 + 9 + 2 + 2)

static inline void put_count_stub(struct rarog_emitter *e, uint32_t id)
{
	PUT(e, 0x50);
	PUT(e, 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0);
	PUT(e, 0x65, 0x48, 0x3b, 0x04, 0x25);
	put32(e, RAROG_GS_OWNER);
	PUT(e, 0x75, 9 + 7 + 3);
	PUT(e, 0x65, 0x48, 0x8b, 0x04, 0x25);
	put32(e, RAROG_GS_COUNTS);
	PUT(e, 0x48, 0xff, 0x80);
	put32(e, id * 8);
	PUT(e, 0x58, 0xeb, 5 + 9 + 9 + 2 + 2);
	put_jump(e, CALL, e->entries.count);
	PUT(e, 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0);
	PUT(e, 0x65, 0x48, 0x3b, 0x04, 0x25);
	put32(e, RAROG_GS_OWNER);
	PUT(e, 0x74, (uint8_t) - (2 + 9 + 9 + 5 + 3 + 7 + 9 + 2 + 9 + 9));
	PUT(e, 0xeb, (uint8_t) - (2 + 2 + 9 + 9 + 5 + 3));
}

/*
 *	push %rax
 * again:
 *	mov  %fs:0,%rax; cmp %gs:OWNER,%rax; jne slow
 *	mov  %gs:COUNTS,%rax
 *	(@n bytes)
 * slow: call count; mov %fs:0,%rax; cmp %gs:OWNER,%rax; je again; jmp the last @out bytes before
 */
#define COUNTERS_BEFORE (9 + 9 + 2 + 9)

static inline void put_counters(struct rarog_emitter *e, uint8_t n)
{
	PUT(e, 0x50);
	PUT(e, 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0);
	PUT(e, 0x65, 0x48, 0x3b, 0x04, 0x25);
	put32(e, RAROG_GS_OWNER);
	PUT(e, 0x75);
	n += 9;
	put(e, 1, &n);
	PUT(e, 0x65, 0x48, 0x8b, 0x04, 0x25);
	put32(e, RAROG_GS_COUNTS);
}

static inline void put_slow(struct rarog_emitter *e, uint8_t n, uint8_t out)
{
	uint8_t again = (uint8_t) - (2 + 9 + 9 + 5 + n + COUNTERS_BEFORE);
	uint8_t to = (uint8_t) - (2 + 2 + 9 + 9 + 5 + out);

	put_jump(e, CALL, e->entries.count);
	PUT(e, 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0);
	PUT(e, 0x65, 0x48, 0x3b, 0x04, 0x25);
	put32(e, RAROG_GS_OWNER);
	PUT(e, 0x74);
	put(e, 1, &again);
	PUT(e, 0xeb);
	put(e, 1, &to);
}

#endif
