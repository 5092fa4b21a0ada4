/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A new task returns from its parent's system call with its parent's registers, so its own show how
 * it was made. What shares memory is sent to its strand by %gs, which belongs to the thread
 * whatever else is shared; if there is none to be had, to strand 0, so that its first probe claims
 * one. A forked process keeps its %gs, since it inherits what is open on its parent's strand; but
 * where it would have to ask the kernel for it later, it is sent to its own, which says what it
 * inherits. A vfork child's parent sleeps meanwhile: it stays on the parent's strand.
 *
 * Whether it is under a filter is seen here in time: before it runs, and it has its parent's.
 */
#include "engine/inline/ptrace/new-task.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <linux/sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "engine/inline/code/image-filters.h"
#include "engine/inline/ring/kept.h"
#include "process/filters.h"
#include "process/memory.h"

/* Its arguments are in memory, which a parent that shares it may have changed meanwhile, if it is
 * not a vfork() that keeps it waiting. */
static uint64_t clone3_flags(const struct rarog_task *task, uint64_t arguments)
{
	long first;

	if (task->tid != task->pid)
		return CLONE_VM | CLONE_THREAD;
	if (syscall(SYS_kcmp, task->tid, task->parent, KCMP_VM, 0, 0) > 0)
		return 0;
	errno = 0;
	first = ptrace(PTRACE_PEEKDATA, task->tid, arguments, NULL); /* clone_args.flags */
	return CLONE_VM | (errno ? CLONE_VFORK : (uint64_t)first);
}

/* Flags of the clone() that the task with these registers came from; CLONE_VM | CLONE_VFORK: a
 * vfork(), or another system call. */
static uint64_t clone_flags(const struct rarog_task *task, const struct user_regs_struct *regs)
{
	const uint64_t nothing = CLONE_VM | CLONE_VFORK;

	if (regs->rax != 0)
		return nothing;
	if (regs->orig_rax == SYS_fork)
		return 0;
	if (regs->orig_rax == SYS_clone)
		return regs->rdi;
	return regs->orig_rax == SYS_clone3 ? clone3_flags(task, regs->rdi) : nothing;
}

static bool stays_on_strand(uint64_t flags)
{
	return (flags & (CLONE_VM | CLONE_VFORK | CLONE_SETTLS)) == (CLONE_VM | CLONE_VFORK);
}

static uint64_t address_of(const struct rarog_image *image, uint32_t index)
{
	return image->base + (uint64_t)index * RAROG_STRAND_STRIDE;
}

#define RED_ZONE 128
#define ROOM     1024 /* bytes of stack that the agent uses at most */

/* It makes the next strands memory by itself, and goes on where it would have begun: whatever
 * happens to us meanwhile. */
static void send_to_agent(struct rarog_image *image, pid_t tid, struct user_regs_struct *regs)
{
	uint64_t to = regs->rsp - RED_ZONE - sizeof(regs->rip), lowest;
	const struct iovec ours[] = { { &lowest, sizeof(lowest) },
				      { &regs->rip, sizeof(regs->rip) } };
	const struct iovec theirs[] = { { (void *)(uintptr_t)(to - ROOM), sizeof(lowest) },
					{ (void *)(uintptr_t)to, sizeof(regs->rip) } };

	if (rarog_memory_readv(tid, ours, 1, theirs) != sizeof(lowest) ||
	    rarog_memory_writev(tid, ours + 1, 1, theirs + 1) != sizeof(regs->rip))
		return;
	regs->rsp = to;
	regs->rip = image->born;
	regs->orig_rax = (unsigned long long)-1; /* it has returned from its system call */
}

static void begin(struct rarog_image *image, const struct rarog_task *task, bool inherits,
		  struct user_regs_struct *regs)
{
	uint64_t from = (regs->gs_base - image->base) / RAROG_STRAND_STRIDE;
	bool is_filtered = rarog_filters_of(task);
	bool is_there;
	int index;

	if (from >= RAROG_STRANDS)
		return;
	if (is_filtered)
		rarog_filters_tell(image, task->tid);
	index = rarog_kept_new(image, task, (uint32_t)from, inherits, &is_there);
	if (index < 0)
		return;
	if (is_there)
		regs->gs_base = address_of(image, (uint32_t)index);
	if (index > 0 && !is_filtered && rarog_kept_must_open(image, task, (uint32_t)index))
		send_to_agent(image, task->tid, regs);
	ptrace(PTRACE_SETREGS, task->tid, NULL, regs);
}

void rarog_new_task_begins(struct rarog_image *image, const struct rarog_task *task)
{
	struct user_regs_struct regs;
	uint64_t flags;

	if (ptrace(PTRACE_GETREGS, task->tid, NULL, &regs) < 0)
		return;
	flags = clone_flags(task, &regs);
	if (!stays_on_strand(flags))
		begin(image, task, !(flags & CLONE_VM), &regs);
}

void rarog_new_task_first(struct rarog_image *image, pid_t pid)
{
	struct user_regs_struct regs;
	struct rarog_task task;

	if (rarog_task_read(pid, &task) == 0 && ptrace(PTRACE_GETREGS, pid, NULL, &regs) == 0)
		begin(image, &task, false, &regs);
}
