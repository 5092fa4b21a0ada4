/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A new task returns from its parent's system call with its parent's registers, so its own show how
 * it was made. %gs belongs to the thread, whatever else is shared: sent to strand 0, its first
 * probe claims a strand, and the two only compare the same thread pointer with the same owner, each
 * in a record of its own. A vfork child's parent sleeps meanwhile: it stays on the parent's strand.
 */
#include "collect/trace/inline/newborn.h"

#include <errno.h>
#include <linux/sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

/* Flags of the clone() that the task with these registers came from; 0: another system call. */
static uint64_t clone_flags(pid_t pid, const struct user_regs_struct *regs)
{
	long first;

	if (regs->orig_rax == SYS_clone)
		return regs->rdi;
	if (regs->orig_rax != SYS_clone3)
		return 0;
	errno = 0;
	first = ptrace(PTRACE_PEEKDATA, pid, regs->rdi, NULL); /* clone_args.flags */
	return errno ? 0 : (uint64_t)first;
}

static bool shares_thread_pointer(uint64_t flags)
{
	return (flags & (CLONE_VM | CLONE_VFORK | CLONE_SETTLS)) == CLONE_VM;
}

void rarog_newborn_part(pid_t pid, uint64_t strands)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0 ||
	    !shares_thread_pointer(clone_flags(pid, &regs)))
		return;
	regs.gs_base = strands;
	ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}
