/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent ends with instructions that restore registers and return, and while a signal is held
 * a thread that comes there waits (entry.S). They are done here for it: in one step it is where it
 * would be; if we are killed before, it goes on by itself, soon.
 */
#include "engine/inline/code/agent-settle.h"

#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "agent/blob.h"
#include "base/cleanup.h"
#include "engine/inline/code/emit.h"
#include "process/memory.h"

#define MOST  16   /* instructions */
#define EQUAL 0x40 /* flag */

#define RETURN      0xc3
#define RETURN_MORE 0xc2 /* and leave so many bytes */
#define POP         0x58 /* … 0x5f */
#define EXTENDED    0x41
#define IF_EQUAL    0x74
#define IF_NOT      0x75

static const uint8_t to_saved[] = { 0x48, 0x89, 0xec }; /* mov %rbp,%rsp */
static const uint8_t if_not_far[] = { 0x0f, 0x85 };

#define REGISTER(name) offsetof(struct user_regs_struct, name)
static const size_t registers[] = {
	/* as instructions number them */
	REGISTER(rax), REGISTER(rcx), REGISTER(rdx), REGISTER(rbx), REGISTER(rsp), REGISTER(rbp),
	REGISTER(rsi), REGISTER(rdi), REGISTER(r8),  REGISTER(r9),  REGISTER(r10), REGISTER(r11),
	REGISTER(r12), REGISTER(r13), REGISTER(r14), REGISTER(r15),
};

/* A thread whose next instruction is @code, in the agent. */
struct ending {
	pid_t tid;
	const uint8_t *code;
	struct user_regs_struct regs;
	bool has_returned;
};

static bool pop(struct ending *e, void *ret_value)
{
	const struct iovec ours = { ret_value, 8 };
	const struct iovec theirs = { (void *)(uintptr_t)e->regs.rsp, 8 };

	e->regs.rsp += 8;
	return rarog_memory_readv(e->tid, &ours, 1, &theirs) == 8;
}

static bool leave(struct ending *e, size_t more)
{
	e->has_returned = pop(e, &e->regs.rip);
	e->regs.rsp += more;
	return e->has_returned;
}

static bool go_on(struct ending *e, size_t n)
{
	e->code += n;
	return true;
}

static bool pop_register(struct ending *e, unsigned number, size_t n)
{
	return pop(e, (uint8_t *)&e->regs + registers[number]) && go_on(e, n);
}

static bool is_in_agent(const uint8_t *code)
{
	return code >= rarog_agent_blob && code < rarog_agent_blob_end;
}

/* Return: was it one of those that are at the end? */
static bool step(struct ending *e)
{
	const uint8_t *code = e->code;
	bool is_equal = e->regs.eflags & EQUAL;

	if (code[0] == RETURN)
		return leave(e, 0);
	if (code[0] == RETURN_MORE)
		return leave(e, code[1] | (size_t)code[2] << 8);
	if ((code[0] & 0xf8) == POP)
		return pop_register(e, code[0] & 7, 1);
	if (code[0] == EXTENDED && (code[1] & 0xf8) == POP)
		return pop_register(e, 8 + (code[1] & 7), 2);
	if (memcmp(code, to_saved, sizeof(to_saved)) == 0) {
		e->regs.rsp = e->regs.rbp;
		return go_on(e, sizeof(to_saved));
	}
	if (code[0] == IF_EQUAL && is_equal)
		return go_on(e, 2 + (size_t)(int8_t)code[1]); /* or back */
	if (code[0] == IF_NOT && is_equal)
		return go_on(e, 2);
	return memcmp(code, if_not_far, sizeof(if_not_far)) == 0 && is_equal && go_on(e, 6);
}

/* A thread that waits goes on after the call of what it waits in. */
static bool stop_waiting(struct ending *e)
{
	const struct rarog_agent_entries entries = rarog_emit_agent_entries();
	uint64_t at = (uint64_t)(e->code - rarog_agent_blob), from = e->regs.rip;

	if (at < entries.wait || at >= entries.wait_end)
		return true;
	if (!leave(e, 0))
		return false;
	e->code += e->regs.rip - from;
	e->has_returned = false;
	return true;
}

/* Of the system's: the kernel may be about to put it before the instruction again. */
static bool is_in_call(const struct user_regs_struct *regs)
{
	return (long long)regs->orig_rax >= 0;
}

bool rarog_agent_settle(pid_t tid, uint64_t at, struct user_regs_struct *regs)
{
	struct ending e = { .tid = tid, .code = rarog_agent_blob + at, .regs = *regs };

	if (is_in_call(regs) || !stop_waiting(&e))
		return false;
	for (int i = 0; i < MOST && !e.has_returned; i++)
		if (!is_in_agent(e.code) || !step(&e))
			return false;
	if (!e.has_returned || ptrace(PTRACE_SETREGS, tid, NULL, &e.regs) < 0)
		return false;
	*regs = e.regs;
	return true;
}
