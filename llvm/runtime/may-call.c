/* SPDX-License-Identifier: MIT */
/*
 * A filter of system calls may end the process for one that the program itself never makes. So
 * whoever sets one is asked beforehand what it does with ours: it is executed here, as far as it
 * only looks at the number of the call. If it would not let one through, or wants to know more, the
 * runtime makes none any more, in all of the program's binaries.
 */
#include "runtime.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "blocks/counter-calls.h"

/* One for the program and its libraries: not hidden. */
extern int __rarog_filtered;
__attribute__((weak)) int __rarog_filtered;

enum {
	NO_CALLS = 1, /* any more; */
	HARMLESS = 2, /* so many filters are, as the rest of it counts */
};

static const uint32_t ours[] = { RAROG_COUNTER_CALLS }, first[] = { RAROG_COUNTER_FIRST_CALLS };

#define N_OURS  (sizeof(ours) / sizeof(*ours))
#define N_FIRST (sizeof(first) / sizeof(*first))

struct machine {
	uint32_t number, accumulator;
	size_t at; /* the next instruction */
};

static bool is_equal(uint32_t value, uint32_t other)
{
	return value == other;
}

static bool is_greater(uint32_t value, uint32_t other)
{
	return value > other;
}

static bool is_not_less(uint32_t value, uint32_t other)
{
	return value >= other;
}

static bool has_any(uint32_t value, uint32_t bits)
{
	return value & bits;
}

static const struct {
	uint16_t code;
	bool (*is_taken)(uint32_t value, uint32_t other);
} jumps[] = {
	{ BPF_JMP | BPF_JEQ | BPF_K, is_equal },
	{ BPF_JMP | BPF_JGT | BPF_K, is_greater },
	{ BPF_JMP | BPF_JGE | BPF_K, is_not_less },
	{ BPF_JMP | BPF_JSET | BPF_K, has_any },
};

#define N_JUMPS (sizeof(jumps) / sizeof(*jumps))

/* Returns whether it is a conditional one. */
static bool jump(struct machine *machine, const struct sock_filter *code)
{
	size_t i = 0;
	bool is_taken;

	while (i < N_JUMPS && jumps[i].code != code->code)
		i++;
	if (i == N_JUMPS)
		return false;
	is_taken = jumps[i].is_taken(machine->accumulator, code->k);
	machine->at += is_taken ? code->jt : code->jf;
	return true;
}

/* Returns whether it is known what that does. */
static bool step(struct machine *machine, const struct sock_filter *code)
{
	machine->at++;
	if (jump(machine, code))
		return true;
	if (code->code == (BPF_JMP | BPF_JA)) {
		machine->at += code->k;
		return true;
	}
	if (code->code == (BPF_ALU | BPF_AND | BPF_K)) {
		machine->accumulator &= code->k;
		return true;
	}
	machine->accumulator =
		code->k == offsetof(struct seccomp_data, nr) ? machine->number : AUDIT_ARCH_X86_64;
	return code->code == (BPF_LD | BPF_W | BPF_ABS) &&
	       (code->k == offsetof(struct seccomp_data, nr) ||
		code->k == offsetof(struct seccomp_data, arch));
}

static bool is_harmless(uint32_t verdict)
{
	uint32_t action = verdict & SECCOMP_RET_ACTION_FULL;

	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG ||
	       action == SECCOMP_RET_ERRNO;
}

/* Ways only lead forwards. */
static bool lets_through(const struct sock_fprog *program, uint32_t number)
{
	struct machine machine = { .number = number };

	while (machine.at < program->len) {
		const struct sock_filter *code = &program->filter[machine.at];

		if (code->code == (BPF_RET | BPF_K))
			return is_harmless(code->k);
		if (!step(&machine, code))
			return false;
	}
	return false;
}

static bool lets_all_through(const struct sock_fprog *program, size_t n, const uint32_t calls[n])
{
	for (size_t i = 0; i < n; i++)
		if (!lets_through(program, calls[i]))
			return false;
	return true;
}

/* What the kernel cannot read it refuses; here it would end the program. */
enum { STEP = 4096 / sizeof(struct sock_filter) };

static bool can_read_filter(const struct sock_fprog *program)
{
	for (size_t i = 0; i < program->len; i += STEP)
		if (!rarog_runtime_is_there(&program->filter[i]))
			return false;
	return rarog_runtime_is_there(&program->filter[program->len - 1]);
}

static bool is_refused(const struct sock_fprog *program)
{
	return program->len == 0 || program->len > BPF_MAXINSNS || !program->filter;
}

static bool may_harm(const struct sock_fprog *program)
{
	if (!rarog_runtime_is_there(program) || !rarog_runtime_is_there(&program->filter))
		return true;
	if (is_refused(program))
		return false;
	return !can_read_filter(program) || !lets_all_through(program, N_OURS, ours);
}

/* Only asks whether there are filters. */
static bool is_nothing(uint64_t number, uint64_t a, uint64_t b, uint64_t c)
{
	if (number == SYS_prctl)
		return a != PR_SET_SECCOMP || (b == SECCOMP_MODE_FILTER && c == 0);
	if (number == SYS_seccomp)
		return a > SECCOMP_SET_MODE_FILTER || (a == SECCOMP_SET_MODE_FILTER && c == 0);
	return number != RAROG_COUNTER_SOME_FILTER;
}

static bool has_program(uint64_t number, uint64_t a, uint64_t b)
{
	return (number == SYS_prctl && b == SECCOMP_MODE_FILTER) ||
	       (number == SYS_seccomp && a == SECCOMP_SET_MODE_FILTER);
}

/* The strict mode has none, and lets nothing through. */
void __rarog_note_filter(uint64_t number, uint64_t a, uint64_t b, uint64_t c)
{
	const struct sock_fprog *program = (const struct sock_fprog *)(uintptr_t)c;
	int saved = errno;

	if (is_nothing(number, a, b, c) || !rarog_runtime_may_call())
		return;
	if (!has_program(number, a, b) || may_harm(program))
		rarog_runtime_call_no_more();
	else if (!is_refused(program) && lets_all_through(program, N_FIRST, first))
		__atomic_fetch_add(&__rarog_filtered, HARMLESS, __ATOMIC_RELAXED);
	errno = saved;
}

void rarog_runtime_call_no_more(void)
{
	__atomic_fetch_or(&__rarog_filtered, NO_CALLS, __ATOMIC_RELAXED);
}

bool rarog_runtime_may_call(void)
{
	return !(__atomic_load_n(&__rarog_filtered, __ATOMIC_RELAXED) & NO_CALLS);
}

int rarog_runtime_harmless_filters(void)
{
	return __atomic_load_n(&__rarog_filtered, __ATOMIC_RELAXED) / HARMLESS;
}
