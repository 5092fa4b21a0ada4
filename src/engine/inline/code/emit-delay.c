/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processor is busy for as long as the word says: as slower code it computes, and gives the
 * processor to nobody. It stands in a gate, outside of all zones of the probe, so signals arrive
 * as if it were the program's; it calls nothing and takes no lock.
 *
 *	push %rcx; push %rdx; push %rsi
 *	mov  %eax,%ecx; btr $31,%ecx; btr $30,%ecx
 *	push %rcx
 *	jc   turns
 *	rdtsc into %rsi
 * again:
 *	rdtsc into %rax; what has passed since %rsi into %rax, and %rsi = now
 *	cmp  $GAP,%rax; ja again	preempted, or in a handler: that is not slower code
 *	sub  %rax,%rcx; ja again
 *	jmp  account
 * turns: dec %ecx; jnz turns
 * account:
 *	pop  %rdx; sub %rcx,%rdx	asked, and what it was more
 *	mov  %fs:0,%rax; cmp %gs:OWNER,%rax; jne out	a handler has gone on in another process
 *	mov  %gs:COUNTS,%rax; add %rdx,total(%rax)
 * out:	pop  %rsi; pop %rdx; pop %rcx; pop %rax; jmp body
 *
 * The word is read once, before: it may change at any time.
 */
#include "engine/inline/code/emit-delay.h"

#include "agent/layout.h"
#include "engine/inline/code/emit-bytes.h"

#define TICKS_BYTES 9
#define AGAIN_BYTES (TICKS_BYTES + 3 + 3 + 3 + 6 + 2 + 3 + 2)

static void put_ticks(struct rarog_emitter *e)
{
	PUT(e, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0);
}

static void put_clock_loop(struct rarog_emitter *e)
{
	put_ticks(e);
	PUT(e, 0x48, 0x89, 0xc6);
	put_ticks(e);
	PUT(e, 0x48, 0x89, 0xc2, 0x48, 0x29, 0xf0, 0x48, 0x89, 0xd6);
	PUT(e, 0x48, 0x3d);
	put32(e, RAROG_DELAY_GAP_TICKS);
	PUT(e, 0x77, (uint8_t) - (AGAIN_BYTES - 3 - 2));
	PUT(e, 0x48, 0x29, 0xc1, 0x77, (uint8_t)-AGAIN_BYTES);
	PUT(e, 0xeb, 4);
}

#define CLOCK_BYTES (TICKS_BYTES + 3 + AGAIN_BYTES + 2)

static void put_account(struct rarog_emitter *e, uint32_t total)
{
	PUT(e, 0x5a, 0x48, 0x29, 0xca);
	PUT(e, 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0);
	PUT(e, 0x65, 0x48, 0x3b, 0x04, 0x25);
	put32(e, RAROG_GS_OWNER);
	PUT(e, 0x75, 9 + 7);
	PUT(e, 0x65, 0x48, 0x8b, 0x04, 0x25);
	put32(e, RAROG_GS_COUNTS);
	PUT(e, 0x48, 0x01, 0x90);
	put32(e, total);
}

/* Nothing else in an area begins so. */
static const uint8_t beginning[] = { 0x51, 0x52, 0x56, 0x89, 0xc1, 0x0f, 0xba,
				     0xf1, 31,   0x0f, 0xba, 0xf1, 30,   0x51 };

#define LOOPS_BYTES (2 + CLOCK_BYTES + 4)

bool rarog_emit_is_delay(size_t n, const uint8_t code[], size_t at)
{
	size_t first =
		at > LOOPS_BYTES + sizeof(beginning) ? at - LOOPS_BYTES - sizeof(beginning) : 0;

	for (size_t i = first; i + sizeof(beginning) <= at && i + sizeof(beginning) <= n; i++)
		if (memcmp(code + i, beginning, sizeof(beginning)) == 0)
			return at - i - sizeof(beginning) < LOOPS_BYTES;
	return false;
}

void rarog_emit_delay(struct rarog_emitter *e, uint32_t total, size_t body)
{
	put(e, sizeof(beginning), beginning);
	PUT(e, 0x72, CLOCK_BYTES);
	put_clock_loop(e);
	PUT(e, 0xff, 0xc9, 0x75, (uint8_t)-4);
	put_account(e, total);
	PUT(e, 0x5e, 0x5a, 0x59, 0x58);
	put_jump(e, JMP, body);
}
