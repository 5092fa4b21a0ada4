/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processor is busy for as long as the word says: as slower code it computes, and gives the
 * processor to nobody. It stands in a gate, outside of all zones of the probe, so signals arrive
 * as if it were the program's; it calls nothing and takes no lock.
 *
 *	bt   $29,%eax; jc debts
 *	push %rcx; push %rdx; push %rsi
 *	mov  %eax,%ecx; btr $31,%ecx; btr $30,%ecx
 *	push %rcx
 *	jc   turns
 *	rdtsc into %rsi
 * again:
 *	rdtsc into %rax; what has passed since %rsi into %rax, and %rsi = now
 *	cmp  noise_until,%rsi; jbe 1f		rarog is gone, or does not run …
 *	movq $0,noise_until; jmp account	… which others see sooner, then
 * 1:	cmp  $GAP,%rax; ja again	preempted, or in a handler: that is not slower code
 *	sub  %rax,%rcx; ja again
 *	jmp  account
 * turns:
 *	mov  %gs:COUNTS,%rax; cmpb $0,calls(%rax); je look
 *	cmpq $0,noise_until; je account
 * turn: dec %ecx; jnz turn
 *	jmp  account
 * look:				the clock takes as long as what is wanted: at each 256th
 *call rdtsc into %rax; cmp noise_until,%rax; jbe turn
 *	movq $0,noise_until		the other calls look at that
 * account:
 *	pop  %rdx; sub %rcx,%rdx	asked, and what it was more
 *	mov  %fs:0,%rax; cmp %gs:OWNER,%rax; jne out	a handler has gone on in another process
 *	mov  %gs:COUNTS,%rax; add %rdx,total(%rax); add %rdx,%gs:SETTLED
 * out:	pop  %rsi; pop %rdx; pop %rcx; pop %rax; jmp body
 *
 * The word is read once, before: it may change at any time. What is not made is not noted: of it
 * all is left.
 */
#include "engine/inline/code/emit-delay.h"

#include <assert.h>
#include <stddef.h>

#include "agent/layout.h"
#include "engine/delay.h"
#include "engine/inline/code/emit-bytes.h"

#define TICKS_BYTES 9
#define UNTIL_BYTES (2 + 8 + 3 + 2 + 7 + 2)
#define SPEND_BYTES (3 + 2)
#define GAP_BYTES   (6 + 2)
#define AGAIN_BYTES (TICKS_BYTES + 3 + 3 + 3 + UNTIL_BYTES + GAP_BYTES + SPEND_BYTES)
#define CLOCK_BYTES (TICKS_BYTES + 3 + AGAIN_BYTES + 2)
#define LOOK_BYTES  (TICKS_BYTES + 3 + 2 + 7)
#define TURN_BYTES  (4 + 2 + LOOK_BYTES)
#define TURNS_BYTES (9 + 2 + 8 + 7 + 2 + 4 + 2 + TURN_BYTES)

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
	PUT(e, 0x48, 0xba);
	put64(e, e->until);
	PUT(e, 0x48, 0x3b, 0x32, 0x76, 7 + 2, 0x48, 0xc7, 0x02, 0, 0, 0, 0);
	PUT(e, 0xeb, GAP_BYTES + SPEND_BYTES + 2 + TURNS_BYTES);
	PUT(e, 0x48, 0x3d);
	put32(e, RAROG_DELAY_GAP_TICKS);
	PUT(e, 0x77, (uint8_t) - (AGAIN_BYTES - SPEND_BYTES));
	PUT(e, 0x48, 0x29, 0xc1, 0x77, (uint8_t)-AGAIN_BYTES);
	PUT(e, 0xeb, TURNS_BYTES);
}

/* @calls: of the strand's counters, that of the calls, of which this one is counted. */
static void put_turns(struct rarog_emitter *e, uint32_t calls)
{
	put(e, 5, (const uint8_t[]){ 0x65, 0x48, 0x8b, 0x04, 0x25 });
	put32(e, RAROG_GS_COUNTS);
	PUT(e, 0x48, 0xbe);
	put64(e, e->until);
	PUT(e, 0x80, 0xb8);
	put32(e, calls);
	PUT(e, 0, 0x74, 4 + 2 + 4 + 2);
	PUT(e, 0x48, 0x83, 0x3e, 0, 0x74, TURN_BYTES);
	PUT(e, 0xff, 0xc9, 0x75, (uint8_t)-4, 0xeb, LOOK_BYTES);
	put_ticks(e);
	PUT(e, 0x48, 0x3b, 0x06, 0x76, (uint8_t) - (4 + 2 + TICKS_BYTES + 3 + 2));
	PUT(e, 0x48, 0xc7, 0x06, 0, 0, 0, 0);
}

size_t rarog_emit_delay_account(struct rarog_emitter *e, uint32_t total, size_t body)
{
	size_t out;

	PUT(e, 0x5a, 0x48, 0x29, 0xca);
	PUT(e, 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0);
	PUT(e, 0x65, 0x48, 0x3b, 0x04, 0x25);
	put32(e, RAROG_GS_OWNER);
	PUT(e, 0x75, 9 + 7 + 9);
	PUT(e, 0x65, 0x48, 0x8b, 0x04, 0x25);
	put32(e, RAROG_GS_COUNTS);
	PUT(e, 0x48, 0x01, 0x90);
	put32(e, total);
	PUT(e, 0x65, 0x48, 0x01, 0x14, 0x25);
	put32(e, RAROG_GS_SETTLED);
	out = e->used;
	PUT(e, 0x5e, 0x5a, 0x59, 0x58);
	put_jump(e, JMP, body);
	return out;
}

/*
 * Debts: virtual speed-up. What the program would have gained is what all other threads owe, once:
 * a thread that gains, too, owes only what is more than that. The pause is that loop above.
 *
 *	mov  gained,%rdx
 *	mov  %gs:WAITS,%rax; test %rax,%rax; je 1f	it has waited: nothing is owed from then …
 *	mov  woken[%gs:ON],%rdx
 *	add  %rdx + 1 - %rax,%gs:SETTLED if above 0	… until it was woken, at the latest
 *	mov  $0,%gs:WAITS
 * 1:	(GAINS)	done if noise_until is 0; (LOSES) add what surrounds the loop, which is lost, too,
 *		to %gs:SETTLED; %rcx = %gs:SETTLED + amount, which is settled unless (LOSES); if
 *gained is less, raise it if it is less by a step (RAROG_GAIN_STEP_TICKS) and done, or (LOSES) pay
 *up to %rcx; else pay (WAITS, WAKES) raise gained to %gs:SETTLED if it is less by
 *RAROG_GAIN_LEAST_TICKS (SEMAPHORE, READS, ONCE) no WAITS if what %rdi leads to is free xor
 *%eax,%eax; (ONCE) dec %rax: gained is before woken[0] (FIRST)	the object that %rdi leads to,%eax
 *	mov  %rax,%gs:ON
 *	(SECOND) the object that the caller's %rsi leads to,%eax; (not FIRST) mov %rax,%gs:ON
 *	(WAITS)	mov %rdx + 1,%gs:WAITS
 *	(WAKES)	mov %rdx,woken[%rax]
 *	(PAYS)	%rcx = %rdx - %gs:SETTLED; if above 0 spend it as noise
 *
 * The object tells which thread has waited, without a look into a mutex: while a thread holds one
 * no other thread lets it go, so a thread that took it at once finds that none has since.
 * Semaphores are posted by others meanwhile, and other readers let a lock go, so these are looked
 * into, as the function that is called does first. A thread that waits on a condition (FIRST) goes
 * on with a mutex (SECOND): others take that and let it go until it has woken up, and gain
 * meanwhile.
 */
_Static_assert(offsetof(struct rarog_control, woken) == offsetof(struct rarog_control, gained) + 8,
	       "behind gained, as in the code below");

static void put_own(struct rarog_emitter *e, uint8_t rex, uint8_t opcode, uint8_t modrm,
		    uint32_t where)
{
	put(e, 5, (const uint8_t[]){ 0x65, rex, opcode, modrm, 0x25 });
	put32(e, where);
}

/* A short jump whose end comes later; returns where its distance stands. */
static size_t put_short(struct rarog_emitter *e, uint8_t opcode)
{
	put(e, 2, (const uint8_t[]){ opcode, 0 });
	return e->used - 1;
}

static void put_here(struct rarog_emitter *e, size_t distance)
{
	assert(e->used - distance - 1 <= INT8_MAX);
	e->memory[distance] = (uint8_t)(e->used - distance - 1);
}

/* To @offset, if @condition (of a short jump). */
static void put_branch(struct rarog_emitter *e, uint8_t condition, size_t offset)
{
	put(e, 1, (const uint8_t[]){ 0x0f });
	put_jump(e, condition + 0x10, offset);
}

static void put_forgiven(struct rarog_emitter *e)
{
	size_t none, later;

	put_own(e, 0x48, 0x8b, 0x04, RAROG_GS_WAITS);
	PUT(e, 0x48, 0x85, 0xc0);
	none = put_short(e, 0x74);
	put_own(e, 0x48, 0xc7, 0x04, RAROG_GS_WAITS);
	put32(e, 0);
	PUT(e, 0x52, 0x51);
	put_own(e, 0x48, 0x8b, 0x0c, RAROG_GS_ON);
	PUT(e, 0x48, 0x8b, 0x54, 0xce, 0x08);
	PUT(e, 0x48, 0xff, 0xc2, 0x48, 0x29, 0xc2, 0x48, 0x89, 0xd0, 0x59, 0x5a);
	later = put_short(e, 0x7e);
	put_own(e, 0x48, 0x01, 0x04, RAROG_GS_SETTLED);
	put_here(e, none);
	put_here(e, later);
}

/* Short jumps that are taken if the word has, or lacks, @bit; they return where the distance
 * stands. */
static size_t put_test(struct rarog_emitter *e, uint8_t bit, uint8_t opcode)
{
	put(e, 3, (const uint8_t[]){ 0xf6, 0xc1, bit });
	return put_short(e, opcode);
}

static size_t put_if(struct rarog_emitter *e, uint8_t bit)
{
	return put_test(e, bit, 0x75);
}

static size_t put_unless(struct rarog_emitter *e, uint8_t bit)
{
	return put_test(e, bit, 0x74);
}

/* %rdx is gained from here on, which is %rcx if that is more; %rax is lost. */
static void put_raise(struct rarog_emitter *e)
{
	size_t again = e->used, is_more;

	PUT(e, 0x48, 0x39, 0xca); /* cmp %rcx,%rdx */
	is_more = put_short(e, 0x73);
	PUT(e, 0x48, 0x89, 0xd0, 0xf0, 0x48, 0x0f, 0xb1, 0x0e, 0x48, 0x89, 0xc2);
	put(e, 2, (const uint8_t[]){ 0x75, (uint8_t)(again - e->used - 2) });
	PUT(e, 0x48, 0x89, 0xca);
	put_here(e, is_more);
}

/* Returns where the distance of a jump stands to where is paid. Whether the caller loses as much
 * is in %eax: 0, or all bits. */
static size_t put_gains(struct rarog_emitter *e, size_t done)
{
	size_t gains, loses, owes, is_little;

	PUT(e, 0x48, 0xb8);
	put64(e, e->until);
	PUT(e, 0x48, 0x83, 0x38, 0);
	put_branch(e, 0x74, done);
	PUT(e, 0x0f, 0xba, 0xf1, 30, 0x19, 0xc0); /* btr, sbb %eax,%eax */
	gains = put_short(e, 0x73);
	put_own(e, 0x48, 0x81, 0x04, RAROG_GS_SETTLED);
	put32(e, rarog_delay_around_ticks());
	put_here(e, gains);
	PUT(e, 0x81, 0xe1);
	put32(e, RAROG_GATE_GAIN_MOST);
	put_own(e, 0x48, 0x03, 0x0c, RAROG_GS_SETTLED);
	PUT(e, 0x85, 0xc0);
	loses = put_short(e, 0x75);
	put_own(e, 0x48, 0x89, 0x0c, RAROG_GS_SETTLED);
	put_here(e, loses);
	PUT(e, 0x48, 0x39, 0xca);
	owes = put_short(e, 0x73);
	PUT(e, 0x52, 0x48, 0x81, 0xc2); /* %rcx is compared with %rdx and a step */
	put32(e, RAROG_GAIN_STEP_TICKS);
	PUT(e, 0x48, 0x39, 0xd1, 0x5a);
	is_little = put_short(e, 0x72);
	PUT(e, 0x50);
	put_raise(e);
	PUT(e, 0x58);
	put_here(e, is_little);
	PUT(e, 0x85, 0xc0);
	put_branch(e, 0x74, done);
	PUT(e, 0x48, 0x39, 0xca, 0x48, 0x0f, 0x42, 0xd1); /* %rdx is at least %rcx */
	put_here(e, owes);
	put_jump(e, JMP, 0);
	return e->used - 4;
}

/* Before it waits, or another goes on by it. */
static void put_tells(struct rarog_emitter *e)
{
	size_t other = put_unless(e, RAROG_GATE_WAITS | RAROG_GATE_WAKES), is_little;

	PUT(e, 0x51);
	put_own(e, 0x48, 0x8b, 0x0c, RAROG_GS_SETTLED);
	PUT(e, 0x48, 0x8d, 0x82); /* %rdx and the least, to be compared with %rcx */
	put32(e, RAROG_GAIN_LEAST_TICKS);
	PUT(e, 0x48, 0x39, 0xc8);
	is_little = put_short(e, 0x77);
	put_raise(e);
	put_here(e, is_little);
	PUT(e, 0x59);
	put_here(e, other);
}

/* The number of the object into %eax, if the word has @bit. */
static void put_object(struct rarog_emitter *e, uint8_t bit)
{
	size_t other = put_unless(e, bit);

	PUT(e, 0x48, 0xb8);
	put64(e, RAROG_WOKEN_HASH);
	if (bit == RAROG_GATE_FIRST)
		PUT(e, 0x48, 0x0f, 0xaf, 0xc7);
	else
		PUT(e, 0x48, 0x0f, 0xaf, 0x04, 0x24);
	PUT(e, 0x48, 0xc1, 0xe8, 0x38, 0xff, 0xc0);
	put_here(e, other);
}

/* In objects of glibc, of all versions: a semaphore begins with its value, a flag of what is done
 * once has bit 0 while it is being done, and a lock has here the thread that writes. Of locks on
 * which readers wait for writers that wait, too, less is forgiven than was waited. */
#define WRITER 24

/* No WAITS for a thread that takes what is free. */
static void put_looks(struct rarog_emitter *e)
{
	size_t next, posted, unwritten, begun;

	next = put_unless(e, RAROG_GATE_SEMAPHORE);
	PUT(e, 0x83, 0x3f, 0); /* cmpl $0,(%rdi) */
	posted = put_short(e, 0x7f);
	put_here(e, next);
	next = put_unless(e, RAROG_GATE_READS);
	PUT(e, 0x83, 0x7f, WRITER, 0); /* cmpl $0,24(%rdi) */
	unwritten = put_short(e, 0x74);
	put_here(e, next);
	next = put_unless(e, RAROG_GATE_ONCE);
	PUT(e, 0xf6, 0x07, 1); /* testb $1,(%rdi) */
	begun = put_short(e, 0x75);
	put_here(e, posted);
	put_here(e, unwritten);
	PUT(e, 0x80, 0xe1, (uint8_t)~RAROG_GATE_WAITS); /* and $~WAITS,%cl */
	put_here(e, next);
	put_here(e, begun);
}

/* What falls through pays. */
static void put_settles(struct rarog_emitter *e, size_t done)
{
	size_t stays, keeps;

	put_tells(e);
	put_looks(e);
	PUT(e, 0x31, 0xc0);
	stays = put_unless(e, RAROG_GATE_ONCE);
	PUT(e, 0x48, 0xff, 0xc8);
	put_here(e, stays);
	put_object(e, RAROG_GATE_FIRST);
	put_own(e, 0x48, 0x89, 0x04, RAROG_GS_ON);
	put_object(e, RAROG_GATE_SECOND);
	keeps = put_if(e, RAROG_GATE_FIRST);
	put_own(e, 0x48, 0x89, 0x04, RAROG_GS_ON);
	put_here(e, keeps);
	stays = put_unless(e, RAROG_GATE_WAITS);
	PUT(e, 0x48, 0xff, 0xc2);
	put_own(e, 0x48, 0x89, 0x14, RAROG_GS_WAITS);
	PUT(e, 0x48, 0xff, 0xca);
	put_here(e, stays);
	keeps = put_unless(e, RAROG_GATE_WAKES);
	PUT(e, 0x48, 0x89, 0x54, 0xc6, 0x08);
	put_here(e, keeps);
	PUT(e, 0xf6, 0xc1, RAROG_GATE_PAYS);
	put_branch(e, 0x74, done);
}

static void put_debts(struct rarog_emitter *e, size_t spend, size_t done)
{
	size_t settles, pays;

	PUT(e, 0x51, 0x52, 0x56, 0x89, 0xc1, 0x48, 0xbe);
	put64(e, e->gained);
	PUT(e, 0x48, 0x8b, 0x16);
	put_forgiven(e);
	PUT(e, 0x0f, 0xba, 0xf1, 28);
	PUT(e, 0x0f, 0x83);
	settles = e->used;
	put32(e, 0);
	pays = put_gains(e, done);
	set_distance(e, settles, e->used);
	put_settles(e, done);
	set_distance(e, pays, e->used);
	PUT(e, 0x48, 0x89, 0xd1);
	put_own(e, 0x48, 0x2b, 0x0c, RAROG_GS_SETTLED);
	put_branch(e, 0x7e, done);
	PUT(e, 0x51);
	put_jump(e, JMP, spend);
}

/* Nothing else in an area begins so. */
static const uint8_t beginning[] = { 0x51, 0x52, 0x56, 0x89, 0xc1, 0x0f, 0xba,
				     0xf1, 31,   0x0f, 0xba, 0xf1, 30,   0x51 };

#define LOOPS_BYTES (2 + CLOCK_BYTES + TURNS_BYTES)

_Static_assert(GAP_BYTES + SPEND_BYTES + 2 + TURNS_BYTES <= INT8_MAX, "a short jump");
_Static_assert(sizeof(beginning) + LOOPS_BYTES <= RAROG_EMIT_DELAY_SIZE, "what a tracer reads");

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
	size_t debts, spend, done;

	PUT(e, 0x0f, 0xba, 0xe0, 29, 0x0f, 0x82);
	debts = e->used;
	put32(e, 0);
	put(e, sizeof(beginning), beginning);
	PUT(e, 0x72, CLOCK_BYTES);
	spend = e->used;
	put_clock_loop(e);
	put_turns(e, total + sizeof(uint64_t));
	done = rarog_emit_delay_account(e, total, body);
	set_distance(e, debts, e->used);
	put_debts(e, spend, done);
}
