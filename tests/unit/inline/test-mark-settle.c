/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process stands at each instruction of a mark's stub in turn. What the end of the stub does with
 * it is said by the processor, in single steps; anywhere else it is left alone.
 */
#include "unit.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "engine/inline/code/emit-mark.h"
#include "engine/inline/code/mark-settle.h"

#define CODE_SIZE 16384
#define FLAGS     0xcd5 /* those that a program sees */

struct stub {
	uint8_t *code;
	size_t begin, end, tail; /* tail: after its last jump or call */
};

static void emit(struct stub *stub, const struct rarog_mark_stub *mark, bool is_gated)
{
	struct rarog_emitter e = { .address = 0, .size = CODE_SIZE };

	e.memory =
		mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(e.memory, MAP_FAILED);
	e.address = (uintptr_t)e.memory;
	e.entries = rarog_emit_agent_entries();
	e.is_gated = is_gated;
	rarog_emit_gates(&e, 1);
	*stub = (struct stub){ .code = e.memory, .begin = e.used };
	rarog_emit_mark_stub(&e, mark, 0);
	stub->end = e.used;
	assert_int_equal(mprotect(e.memory, CODE_SIZE, PROT_READ | PROT_EXEC), 0);
}

/* The length of the instruction at @at */
static size_t decode(const struct stub *stub, size_t at, bool *ret_is_branch)
{
	ZydisDecodedInstruction one;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, stub->code + at,
							       stub->end - at, &one)));
	*ret_is_branch = one.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE;
	return one.length;
}

static void find_tail(struct stub *stub)
{
	bool is_branch;

	for (size_t at = stub->begin; at < stub->end;) {
		at += decode(stub, at, &is_branch);
		if (is_branch)
			stub->tail = at;
	}
	assert_true(stub->tail > stub->begin && stub->tail < stub->end);
}

static struct user_regs_struct registers(pid_t pid)
{
	struct user_regs_struct regs;

	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	regs.eflags &= FLAGS;
	return regs;
}

/* A process that stands still. Its stack has words enough above. */
static pid_t start_still(struct user_regs_struct *ret_regs)
{
	volatile uint64_t words[64] = { 0x1234567800000ad7, 0xed7, 0x246, 0xa97 };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit((int)words[0]);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, ret_regs), 0);
	ret_regs->rsp = (uintptr_t)words;
	ret_regs->orig_rax = (unsigned long long)-1;
	return pid;
}

static void put(pid_t pid, const struct user_regs_struct *regs)
{
	struct user_regs_struct copy = *regs;

	assert_int_equal(ptrace(PTRACE_SETREGS, pid, NULL, &copy), 0);
}

static struct user_regs_struct stepped(pid_t pid, uint64_t to)
{
	int status;

	for (int i = 0; i < 5 && registers(pid).rip != to; i++) {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		assert_int_equal(WSTOPSIG(status), SIGTRAP);
	}
	return registers(pid);
}

static void check_at(pid_t pid, const struct stub *stub, size_t at,
		     const struct user_regs_struct *still)
{
	struct user_regs_struct regs = *still, wanted, got;
	bool is_end = at >= stub->tail;

	regs.rip = (uintptr_t)stub->code + at;
	put(pid, &regs);
	wanted = is_end ? stepped(pid, (uintptr_t)stub->code + stub->end) : registers(pid);
	assert_true(!is_end || wanted.rip == (uintptr_t)stub->code + stub->end);
	put(pid, &regs);
	assert_int_equal(rarog_mark_settle(pid, &regs), is_end);
	got = registers(pid);
	assert_memory_equal(&got, &wanted, sizeof(got));
	assert_int_equal(regs.rip, wanted.rip);
}

/* Return: the places that are in the end */
static int check(const struct rarog_mark_stub *mark, bool is_gated)
{
	struct user_regs_struct still;
	struct stub stub;
	bool is_branch;
	int n = 0;
	pid_t pid;

	emit(&stub, mark, is_gated);
	find_tail(&stub);
	pid = start_still(&still);
	for (size_t at = stub.begin; at < stub.end; at += decode(&stub, at, &is_branch)) {
		check_at(pid, &stub, at, &still);
		n += at >= stub.tail;
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(munmap(stub.code, CODE_SIZE), 0);
	return n;
}

static int check_kind(enum rarog_stub_kind kind, const struct rarog_mark_set *values,
		      uint32_t every)
{
	const struct rarog_mark_stub mark = {
		.kind = kind,
		.id = 0x58,
		.every = every,
		.values = values,
	};
	int n = check(&mark, false);

	if (every == 1)
		assert_int_equal(check(&mark, true), n);
	return n;
}

TEST(the_end_of_a_mark_is_done_as_the_processor_does_it)
{
	static const struct rarog_mark_set values = { .n = 1 };

	for (enum rarog_stub_kind kind = RAROG_STUB_MARK_POINT; kind <= RAROG_STUB_MARK_END; kind++)
		for (uint32_t every = 1; every <= 10; every += 9) {
			assert_int_equal(check_kind(kind, NULL, every), 4);
			assert_int_equal(check_kind(kind, &values, every), 5);
		}
}

TEST(of_one_that_only_counts_flags_and_stack_are_left)
{
	assert_int_equal(check_kind(RAROG_STUB_MARK_COUNT, NULL, 1), 2);
}
