/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a mark's stub (emit-mark.c) does after it has called the agent: numbers that only the agent
 * reads, %rax, the flags, the stack pointer. A thread that the agent has let wait for a signal
 * comes here: where marks are all that it passes, it would wait in the next one if it were not
 * brought out. Each instruction is done as the processor does it, so nothing is wrong if it is
 * another's.
 */
#include "engine/inline/code/mark-settle.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "process/memory.h"

static const uint8_t number[] = { 0xb8 }, pop_rax[] = { 0x58 }, pop_flags[] = { 0x9d };
static const uint8_t to_red_zone[] = { 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0 };

/* In their order. There are one or two numbers, and the thread may stand at any of these. */
static const struct part {
	const uint8_t *code;
	size_t n, size; /* bytes that tell it, and of the whole instruction */
} parts[] = {
	{ number, sizeof(number), 5 },
	{ number, sizeof(number), 5 },
	{ pop_rax, sizeof(pop_rax), sizeof(pop_rax) },
	{ pop_flags, sizeof(pop_flags), sizeof(pop_flags) },
	{ to_red_zone, sizeof(to_red_zone), sizeof(to_red_zone) },
};

#define PARTS      (sizeof(parts) / sizeof(*parts))
#define POP_RAX    2
#define POP_FLAGS  3
#define MOST_BYTES (5 + 5 + 1 + 1 + sizeof(to_red_zone))

/* What is read at @at, as far as memory is there. */
static size_t read_at(pid_t tid, uint64_t at, size_t n, void *ret_bytes)
{
	const struct iovec ours = { ret_bytes, n };
	const struct iovec theirs = { (void *)(uintptr_t)at, n };
	ssize_t got = rarog_memory_readv(tid, &ours, 1, &theirs);

	return got > 0 ? (size_t)got : 0;
}

static bool is_part(const struct part *part, size_t n, const uint8_t code[])
{
	return n >= part->size && memcmp(code, part->code, part->n) == 0;
}

/* Return: the bytes of the end, 0: this is none. @ret_first: the part that comes next */
static size_t find_end(size_t n, const uint8_t code[], size_t *ret_first)
{
	size_t used = 0;

	*ret_first = PARTS;
	for (size_t i = 0; i < PARTS; i++) {
		if (is_part(&parts[i], n - used, code + used)) {
			*ret_first = used ? *ret_first : i;
			used += parts[i].size;
		} else if (used && i >= POP_RAX) {
			return 0;
		}
	}
	return used;
}

bool rarog_mark_settle(pid_t tid, struct user_regs_struct *regs)
{
	struct user_regs_struct after = *regs;
	uint8_t code[MOST_BYTES] = { 0 };
	uint64_t words[2] = { 0 }; /* the last of what is on the stack: %rax, flags */
	size_t first, n = find_end(read_at(tid, regs->rip, sizeof(code), code), code, &first);
	size_t left = first <= POP_RAX ? 2 : first == POP_FLAGS;

	if (n == 0 || read_at(tid, regs->rsp, left * 8, words + 2 - left) != left * 8)
		return false;
	if (left > 1)
		after.rax = words[0];
	if (left > 0)
		after.eflags = words[1];
	after.rsp += left * 8 + 128;
	after.rip += n;
	if (ptrace(PTRACE_SETREGS, tid, NULL, &after) < 0)
		return false;
	*regs = after;
	return true;
}
