/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The oracle is the processor: each sequence is run where it stands and where it was moved to, from
 * the same registers, flags, stack and memory; everything must be equal afterwards. Layout, as
 * offsets from the sequence:
 *
 *   0      the sequence, then a stub that records "fell through"
 *   0x40   stub TAKEN: what branches and calls go to
 *   0x60   stub RETURNED: what is on top of the stack at the start
 *   0x80   data: 0x80 the address of TAKEN, 0x88 again, 0x90 free
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "unit.h"

#include "base/cleanup.h"
#include "binary/patch-site.h"

#define AREA     0x40000
#define ORIGINAL 0x1000
#define COPY     0x20000
#define STACK    0x30000
#define TAKEN    0x40
#define RETURNED 0x60
#define DATA     0x80

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, REGISTERS };

struct machine {
	uint64_t registers[REGISTERS];
	uint64_t flags;
	uint64_t exit; /* which stub ended the run */
};

extern struct machine test_machine;
extern uint64_t test_stack, test_code;
struct machine test_machine;
uint64_t test_stack, test_code;
void test_run(void);
void test_exit(void);

/* Load everything, jump; a stub pushes its number and comes to test_exit: store everything. */
__asm__(".pushsection .text\n"
	".globl test_run\n"
	"test_run:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp, test_stack(%rip)\n"
	"	lea test_machine(%rip), %rax\n"
	"	push 128(%rax); popfq\n"
	"	mov 8(%rax), %rcx; mov 16(%rax), %rdx; mov 24(%rax), %rbx; mov 32(%rax), %rsp\n"
	"	mov 40(%rax), %rbp; mov 48(%rax), %rsi; mov 56(%rax), %rdi; mov 64(%rax), %r8\n"
	"	mov 72(%rax), %r9; mov 80(%rax), %r10; mov 88(%rax), %r11; mov 96(%rax), %r12\n"
	"	mov 104(%rax), %r13; mov 112(%rax), %r14; mov 120(%rax), %r15; mov (%rax), %rax\n"
	"	jmp *test_code(%rip)\n"
	".globl test_exit\n"
	"test_exit:\n"
	"	pop test_machine+136(%rip)\n"
	"	mov %rax, test_machine(%rip)\n"
	"	lea test_machine(%rip), %rax\n"
	"	mov %rcx, 8(%rax); mov %rdx, 16(%rax); mov %rbx, 24(%rax); mov %rsp, 32(%rax)\n"
	"	mov %rbp, 40(%rax); mov %rsi, 48(%rax); mov %rdi, 56(%rax); mov %r8, 64(%rax)\n"
	"	mov %r9, 72(%rax); mov %r10, 80(%rax); mov %r11, 88(%rax); mov %r12, 96(%rax)\n"
	"	mov %r13, 104(%rax); mov %r14, 112(%rax); mov %r15, 120(%rax)\n"
	"	mov test_stack(%rip), %rsp\n"
	"	pushfq; pop 128(%rax); cld\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	".popsection\n");

static uint64_t random_state = 88172645463325252u;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* push imm8; jmp [rip+0]; address of test_exit: 16 bytes */
static void put_stub(uint8_t *at, uint8_t number)
{
	static const uint8_t code[] = { 0x6a, 0, 0xff, 0x25, 0, 0, 0, 0 };
	void (*target)(void) = test_exit;

	memcpy(at, code, sizeof(code));
	at[1] = number;
	memcpy(at + sizeof(code), &target, sizeof(target));
}

static void set_up_area(uint8_t *area, size_t n, const uint8_t code[n])
{
	uint8_t *at = area + ORIGINAL;
	uint64_t taken = (uint64_t)(uintptr_t)(at + TAKEN);

	memset(area, 0xcc, AREA);
	memcpy(at, code, n);
	put_stub(at + n, 1);
	put_stub(at + TAKEN, 2);
	put_stub(at + RETURNED, 3);
	memcpy(at + DATA, &taken, 8);
	memcpy(at + DATA + 8, &taken, 8);
}

/* Registers that sequences call, jump or read through; the others are random. */
static void set_up_machine(uint8_t *area, uint64_t seed)
{
	static const uint64_t counts[] = { 0, 1, 2, 1ull << 32, 1 | 1ull << 32 };
	uint64_t at = (uint64_t)(uintptr_t)(area + ORIGINAL), returned = at + RETURNED;
	uint64_t *r = test_machine.registers;

	random_state = 88172645463325252u + seed;
	for (int i = 0; i < REGISTERS; i++)
		r[i] = random_word();
	if (seed % 7 < RAROG_COUNT(counts))
		r[RCX] = counts[seed % 7];
	if (seed % 3 == 0)
		r[RAX] = 0;
	r[RDI] = at + DATA;
	r[R10] = at + DATA;
	r[RSI] = at + TAKEN;
	r[R9] = at + TAKEN;
	memset(area + STACK, 0x5a, 0x1000);
	r[RSP] = (uint64_t)(uintptr_t)(area + STACK + 0x800);
	memcpy(area + STACK + 0x800, &returned, sizeof(returned));
	test_machine.flags = (random_word() & 0xcd5) | 0x202;
	test_machine.flags &= ~0x100ull; /* not the trap flag */
}

struct outcome {
	struct machine machine;
	uint8_t stack[0x800], data[0x40];
};

static struct outcome run_at(uint8_t *area, size_t offset, uint64_t seed)
{
	struct outcome o;

	memset(area + ORIGINAL + DATA + 16, 0x77, 0x30);
	set_up_machine(area, seed);
	test_code = (uint64_t)(uintptr_t)(area + offset);
	test_run();
	o.machine = test_machine;
	o.machine.flags &= ~0x100ull;
	memset(area + STACK, 0, test_machine.registers[RSP] - (uint64_t)(uintptr_t)(area + STACK));
	memcpy(o.stack, area + STACK + 0x700, sizeof(o.stack));
	memcpy(o.data, area + ORIGINAL + DATA, sizeof(o.data));
	return o;
}

static void compare_runs(uint8_t *area, const char *name, size_t n, const uint8_t code[n])
{
	uint64_t from = (uint64_t)(uintptr_t)(area + ORIGINAL);
	uint64_t to = (uint64_t)(uintptr_t)(area + COPY);

	set_up_area(area, n, code);
	int r = rarog_relocate(n, code, from, to, RAROG_BODY_MAX, area + COPY);
	if (r < 0)
		fail_msg("%s: %d", name, r);
	for (uint64_t seed = 1; seed < 400; seed++) {
		struct outcome here = run_at(area, ORIGINAL, seed);
		struct outcome there = run_at(area, COPY, seed);

		if (memcmp(&here, &there, sizeof(here)) != 0)
			fail_msg("%s: differs with seed %lu (exit %lu, %lu)", name, seed,
				 here.machine.exit, there.machine.exit);
	}
}

struct sequence {
	const char *name;
	size_t n;
	uint8_t code[20];
};

static const struct sequence sequences[] = {
	{ "jmp rel8", 5, { 0xeb, 0x3e, 0x90, 0x90, 0x90 } },
	{ "jmp rel32", 5, { 0xe9, 0x3b, 0, 0, 0 } },
	{ "bnd jmp rel32", 6, { 0xf2, 0xe9, 0x3a, 0, 0, 0 } },
	{ "loopne", 5, { 0xe0, 0x3e, 0x90, 0x90, 0x90 } },
	{ "loope", 5, { 0xe1, 0x3e, 0x90, 0x90, 0x90 } },
	{ "loop", 5, { 0xe2, 0x3e, 0x90, 0x90, 0x90 } },
	{ "jrcxz", 5, { 0xe3, 0x3e, 0x90, 0x90, 0x90 } },
	{ "jecxz", 5, { 0x67, 0xe3, 0x3d, 0x90, 0x90 } },
	{ "loop ecx", 5, { 0x67, 0xe2, 0x3d, 0x90, 0x90 } },
	{ "loop loop loop", 6, { 0xe2, 0x3e, 0xe0, 0x3c, 0xe1, 0x3a } },
	{ "je je", 5, { 0x74, 0x3e, 0x76, 0x3c, 0x90 } },
	{ "test je", 5, { 0x85, 0xc0, 0x74, 0x3c, 0x90 } },
	{ "dec jne to the start", 5, { 0xfe, 0xc9, 0x75, 0xfc, 0x90 } },
	{ "call rel32", 5, { 0xe8, 0x3b, 0, 0, 0 } },
	{ "push, call rel32", 6, { 0x53, 0xe8, 0x3a, 0, 0, 0 } },
	{ "call to the next", 5, { 0xe8, 0, 0, 0, 0 } },
	{ "call rsi", 5, { 0x90, 0x90, 0x90, 0xff, 0xd6 } },
	{ "call r9", 5, { 0x90, 0x90, 0x41, 0xff, 0xd1 } },
	{ "call [rdi+8]", 5, { 0x90, 0x90, 0xff, 0x57, 0x08 } },
	{ "call [r10]", 5, { 0x90, 0x90, 0x41, 0xff, 0x12 } },
	{ "call [rip]", 6, { 0xff, 0x15, 0x7a, 0, 0, 0 } },
	{ "addr32 call rel32", 6, { 0x67, 0xe8, 0x3a, 0, 0, 0 } },
	{ "rex.w data16 call", 8, { 0x66, 0x66, 0x48, 0xe8, 0x38, 0, 0, 0 } },
	{ "jmp [rip]", 6, { 0xff, 0x25, 0x7a, 0, 0, 0 } },
	{ "jmp rsi", 5, { 0xff, 0xe6, 0x90, 0x90, 0x90 } },
	{ "notrack jmp rsi", 5, { 0x3e, 0xff, 0xe6, 0x90, 0x90 } },
	{ "mov rax, [rip]", 7, { 0x48, 0x8b, 0x05, 0x79, 0, 0, 0 } },
	{ "lea r8, [rip]", 7, { 0x4c, 0x8d, 0x05, 0x79, 0, 0, 0 } },
	{ "cmp byte [rip], imm8", 7, { 0x80, 0x3d, 0x79, 0, 0, 0, 0x42 } },
	{ "add dword [rip], imm32", 10, { 0x81, 0x05, 0x86, 0, 0, 0, 0x78, 0x56, 0x34, 0x12 } },
	{ "mov word [rip], imm16", 9, { 0x66, 0xc7, 0x05, 0x87, 0, 0, 0, 0x34, 0x12 } },
	{ "xchg [rip], rax", 7, { 0x48, 0x87, 0x05, 0x89, 0, 0, 0 } },
	{ "push [rip]", 6, { 0xff, 0x35, 0x7a, 0, 0, 0 } },
	{ "movq xmm0, [rip]; movq rax, xmm0",
	  13,
	  { 0xf3, 0x0f, 0x7e, 0x05, 0x78, 0, 0, 0, 0x66, 0x48, 0x0f, 0x7e, 0xc0 } },
	{ "pshufb xmm0, [rip] (three-byte opcode); movq rdx, xmm0",
	  14,
	  { 0x66, 0x0f, 0x38, 0x00, 0x05, 0x77, 0, 0, 0, 0x66, 0x48, 0x0f, 0x7e, 0xc2 } },
	{ "ret", 5, { 0xc3, 0x90, 0x90, 0x90, 0x90 } },
	{ "ret, then what is not code", 5, { 0xc3, 0x90, 0x90, 0x90, 0xcc } },
	{ "rep ret", 5, { 0xf3, 0xc3, 0x90, 0x90, 0x90 } },
	{ "ret 8", 5, { 0xc2, 0x08, 0, 0x90, 0x90 } },
	{ "endbr64; push rbp", 5, { 0xf3, 0x0f, 0x1e, 0xfa, 0x55 } },
	{ "push rbp; mov rbp, rsp; sub", 8, { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20 } },
	{ "mov [rsp-8], rax; nop", 6, { 0x48, 0x89, 0x44, 0x24, 0xf8, 0x90 } },
};

static uint8_t *map_area(int flags)
{
	void *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	assert_ptr_not_equal(area, MAP_FAILED);
	return area;
}

static void run_all(int flags)
{
	uint8_t *area = map_area(flags);

	for (size_t i = 0; i < RAROG_COUNT(sequences); i++)
		compare_runs(area, sequences[i].name, sequences[i].n, sequences[i].code);
	for (int condition = 0; condition < 16; condition++) {
		uint8_t near[] = { 0x70, 0x3e, 0x90, 0x90, 0x90 };
		uint8_t far[] = { 0x0f, 0x80, 0x3a, 0, 0, 0 };

		near[0] |= condition;
		far[1] |= condition;
		compare_runs(area, "jcc rel8", sizeof(near), near);
		compare_runs(area, "jcc rel32", sizeof(far), far);
	}
	munmap(area, AREA);
}

TEST(moved_code_does_the_same_at_high_addresses)
{
	run_all(0);
}

/* Return addresses that fit into a push alone. */
TEST(moved_code_does_the_same_at_low_addresses)
{
	run_all(MAP_32BIT);
}

static const struct sequence refused[] = {
	{ "jmp into itself", 5, { 0xeb, 0x01, 0x90, 0x90, 0x90 } },
	{ "je into the window", 5, { 0x74, 0x02, 0x90, 0x90, 0x90 } },
	{ "call that returns into the window", 5, { 0xff, 0xd0, 0x90, 0x90, 0x90 } },
	{ "call [rsp+8]", 5, { 0x90, 0xff, 0x54, 0x24, 0x08 } },
	{ "call rsp", 5, { 0x90, 0x90, 0x90, 0xff, 0xd4 } },
	{ "data16 jmp", 6, { 0x66, 0xe9, 0, 1, 0, 0 } },
	{ "mov eax, [eip]", 7, { 0x67, 0x8b, 0x05, 0, 1, 0, 0 } },
	{ "int3", 5, { 0xcc, 0x90, 0x90, 0x90, 0x90 } },
	{ "syscall", 5, { 0x0f, 0x05, 0x90, 0x90, 0x90 } },
	{ "int 0x80", 5, { 0xcd, 0x80, 0x90, 0x90, 0x90 } },
	{ "call far [rdi]", 5, { 0x90, 0x90, 0x90, 0xff, 0x1f } },
	{ "cut off", 5, { 0x90, 0x48, 0x8b, 0x05, 0 } },
	{ "no instruction", 5, { 0x06, 0x90, 0x90, 0x90, 0x90 } },
};

TEST(what_cannot_be_moved_is_refused)
{
	uint8_t out[RAROG_BODY_MAX];

	for (size_t i = 0; i < RAROG_COUNT(refused); i++) {
		int r = rarog_relocate(refused[i].n, refused[i].code, 0x401000, 0x500000,
				       sizeof(out), out);

		if (r != -ENOTSUP)
			fail_msg("%s: %d", refused[i].name, r);
	}
}

TEST(distance_is_limited)
{
	static const uint8_t load[] = { 0x48, 0x8b, 0x05, 0, 0, 0, 0 };
	uint8_t out[RAROG_BODY_MAX];
	uint64_t from = 0x7f0000000000;

	assert_int_equal(rarog_relocate(7, load, from, from + 0x7ffffff0, sizeof(out), out), 12);
	assert_int_equal(rarog_relocate(7, load, from, from + 0x80000100, sizeof(out), out),
			 -ERANGE);
	assert_int_equal(rarog_relocate(7, load, from, from - 0x80000100, sizeof(out), out),
			 -ERANGE);
}

/* Exact sizes work, one byte less fails, and nothing is written after the room. */
TEST(room_is_respected)
{
	for (size_t i = 0; i < RAROG_COUNT(sequences); i++) {
		const struct sequence *s = &sequences[i];
		uint8_t out[RAROG_BODY_MAX];
		uint64_t from = 0x7f0000000000, to = from + 0x100000;
		int size = rarog_relocate(s->n, s->code, from, to, sizeof(out), out);

		assert_true(size > 0);
		for (int room = 0; room < size; room++) {
			memset(out, 0xa5, sizeof(out));
			assert_int_equal(rarog_relocate(s->n, s->code, from, to, (size_t)room, out),
					 -ENOSPC);
			for (size_t at = (size_t)room; at < sizeof(out); at++)
				assert_int_equal(out[at], 0xa5);
		}
		assert_int_equal(rarog_relocate(s->n, s->code, from, to, (size_t)size, out), size);
	}
}

TEST(xbegin_keeps_its_abort_target)
{
	static const uint8_t code[] = { 0xc7, 0xf8, 0x10, 0, 0, 0 };
	uint8_t out[RAROG_BODY_MAX];
	int32_t offset;

	assert_int_equal(rarog_relocate(6, code, 0x1000, 0x9000, sizeof(out), out), 11);
	memcpy(&offset, out + 2, 4);
	assert_int_equal(0x9006 + offset, 0x1016);
}
