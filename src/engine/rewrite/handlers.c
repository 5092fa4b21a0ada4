/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel puts a frame on the stack with the registers that sigreturn() restores. A step with
 * the signal stops at the handler's first instruction, where the frame is: its program counter is
 * made the original's. Before sigreturn() it is made the copy's again, exactly where that was, so
 * that no counter is left out or counted twice; where a handler has changed it, that of the
 * instruction that it wants. In the original itself nobody may go on: other bytes are there by now.
 *
 * Between instructions that move the stack pointer no place of the original fits: the thread is
 * stepped to their end first, at most some hundred. Other signals are blocked meanwhile.
 *
 * Handlers may exchange all registers, as threads of a program's own making do. What was
 * interrupted then goes on by another frame, or by setcontext(): it is known by its counter and
 * stack pointer.
 */
#include "engine/rewrite/handlers.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/call-stop.h"
#include "process/fault.h"
#include "process/task.h"

/* Of a frame, which begins with the address that the handler returns to. */
#define CONTEXT      8
#define SYSCALL_SIZE 2 /* so far it goes back, to begin a system call again */
#define STEPS_MOST   4096
#define TRIES        64 /* until one looks whether it lives */

#define REGISTER(n) (offsetof(ucontext_t, uc_mcontext.gregs) + (n) * sizeof(greg_t))
#define COUNTER     (CONTEXT + REGISTER(REG_RIP))

static bool read_word(pid_t tid, uint64_t address, uint64_t *ret_word)
{
	errno = 0;
	*ret_word = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, (void *)(uintptr_t)address, NULL);
	return errno == 0;
}

static void write_word(pid_t tid, uint64_t address, uint64_t word)
{
	ptrace(PTRACE_POKEDATA, tid, (void *)(uintptr_t)address, (void *)(uintptr_t)word);
}

/* Where the processor, or a filter, refused an instruction the handler is told the address, too. */
static void tell_original(const struct rarog_rewrite_image *image, pid_t tid, int signal,
			  uint64_t counter)
{
	siginfo_t info;
	uint64_t original = rarog_rewrite_image_original(image, counter);

	if ((signal != SIGFPE && signal != SIGILL && signal != SIGSYS) ||
	    ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0 ||
	    (uint64_t)(uintptr_t)info.si_addr != counter)
		return;
	info.si_addr = (void *)(uintptr_t)original;
	ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
}

/* --- to the end of what moves the stack pointer --- */

/* Return: 1 it has stopped, 0 not yet, -1 it is gone. The death of a process's first thread is not
 * told before its others are waited for, so nobody may sleep until it comes; nor is it taken here.
 */
static int look_for_stop(pid_t tid, int options, siginfo_t *ret_info)
{
	*ret_info = (siginfo_t){ 0 };
	if (waitid(P_PID, (id_t)tid, ret_info, WSTOPPED | WNOHANG | __WALL | options) < 0)
		return errno == EINTR ? 0 : -1;
	return ret_info->si_pid != 0;
}

/* Return: whether it has made one step. What else has stopped or ended it is still to be seen. */
static bool has_stepped(pid_t tid)
{
	siginfo_t info;
	int r;

	for (unsigned tries = 1; (r = look_for_stop(tid, WNOWAIT, &info)) == 0; tries++) {
		if (tries % TRIES == 0 && rarog_process_status(tid, "VmSize:") < 0)
			return false; /* a zombie has no memory */
		sched_yield();
	}
	return r > 0 && info.si_code == CLD_TRAPPED && info.si_status == SIGTRAP &&
	       look_for_stop(tid, 0, &info) > 0;
}

/* Return: false: it has stopped for something else, or ended. */
static bool step_out(const struct rarog_rewrite_image *image, pid_t tid)
{
	struct user_regs_struct regs;

	for (int i = 0; i < STEPS_MOST; i++) {
		if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0)
			return false;
		if (!rarog_rewrite_image_is_midway(image, regs.rip))
			return true;
		if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL) < 0 || !has_stepped(tid))
			return false;
	}
	return true;
}

/* Nobody may send what the kernel says of a child or a timer: it is kept until the signal comes. */
static void send_again(struct rarog_rewrite_handlers *h, pid_t tid, int signal,
		       const siginfo_t *info)
{
	pid_t pid = (pid_t)rarog_process_status(tid, "Tgid:");

	if (syscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, info) == 0)
		return;
	h->kept_signal = signal;
	h->kept = *info;
	syscall(SYS_tgkill, pid, tid, signal);
}

static void restore_kept(struct rarog_rewrite_handlers *h, pid_t tid, int signal)
{
	siginfo_t info;

	if (h->kept_signal != signal || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0 ||
	    info.si_code != SI_TKILL || info.si_pid != getpid())
		return;
	ptrace(PTRACE_SETSIGINFO, tid, NULL, &h->kept);
	h->kept_signal = 0;
}

/* A trap may not be blocked: else the kernel ends the process that gets one. Return: as step_out().
 */
static bool bring_on(struct rarog_rewrite_handlers *h, const struct rarog_rewrite_image *image,
		     pid_t tid, int signal)
{
	uint64_t mask, all = ~(UINT64_C(1) << (SIGTRAP - 1));
	siginfo_t info;
	bool is_out;

	if (rarog_signal_is_fault(tid, signal) || signal == SIGSTOP ||
	    ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0 ||
	    ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, tid, sizeof(all), &all) < 0)
		return true;
	is_out = step_out(image, tid);
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
	if (is_out)
		ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
	else
		send_again(h, tid, signal, &info);
	return is_out;
}

/* --- signals --- */

bool rarog_handlers_signal(struct rarog_rewrite_handlers *h,
			   const struct rarog_rewrite_image *image, pid_t tid, int signal)
{
	struct user_regs_struct regs;

	h->is_coming = false;
	restore_kept(h, tid, signal);
	if (!image || ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0)
		return false;
	if (rarog_rewrite_image_is_midway(image, regs.rip) &&
	    (!bring_on(h, image, tid, signal) || ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0))
		return true;
	h->is_coming = rarog_rewrite_image_original(image, regs.rip) != 0;
	if (!h->is_coming)
		return false;
	h->interrupted = regs.rip;
	h->stack = regs.rsp;
	tell_original(image, tid, signal, regs.rip);
	ptrace(PTRACE_SINGLESTEP, tid, NULL, (void *)(intptr_t)signal);
	return true;
}

static void forget(struct rarog_rewrite_handlers *h, uint32_t i)
{
	memmove(&h->list[i], &h->list[i + 1], (--h->n - i) * sizeof(*h->list));
}

/* A frame where another was: that handler has been left in another way. */
static void add_handler(struct rarog_rewrite_handlers *h, uint64_t frame, uint64_t copy,
			uint64_t original)
{
	for (uint32_t i = 0; i < h->n; i++)
		if (h->list[i].frame == frame) {
			forget(h, i);
			break;
		}
	if (h->n == RAROG_HANDLERS_MOST)
		forget(h, 0);
	h->list[h->n].frame = frame;
	h->list[h->n].stack = h->stack;
	h->list[h->n].copy = copy;
	h->list[h->n++].original = original;
}

bool rarog_handlers_step(struct rarog_rewrite_handlers *h, const struct rarog_rewrite_image *image,
			 pid_t tid)
{
	struct user_regs_struct regs;
	uint64_t counter, original;

	if (!h->is_coming)
		return false;
	h->is_coming = false;
	if (!image || ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0 ||
	    !read_word(tid, regs.rsp + COUNTER, &counter) || regs.rsp == h->stack ||
	    h->interrupted - counter > SYSCALL_SIZE)
		return true; /* there is no handler, and a step was done */
	original = rarog_rewrite_image_original(image, counter);
	if (original == 0)
		return true;
	add_handler(h, regs.rsp, counter, original);
	write_word(tid, regs.rsp + COUNTER, original);
	return true;
}

/* --- where they go on --- */

static bool enters_call(pid_t tid, struct user_regs_struct *ret_regs)
{
	struct rarog_call_stop stop;

	return rarog_call_stop(tid, &stop) && stop.is_entry &&
	       ptrace(PTRACE_GETREGS, tid, NULL, ret_regs) == 0;
}

/* The frame of @context is used up. What was interrupted may go on later, where others do now. */
static void use_frame(struct rarog_rewrite_handlers *h, uint64_t context, uint64_t counter,
		      uint64_t stack)
{
	for (uint32_t i = 0; i < h->n; i++) {
		if (h->list[i].frame + CONTEXT != context)
			continue;
		if (stack != h->list[i].stack)
			h->list[i].frame = 0;
		else if (counter != h->list[i].original)
			forget(h, i);
		return;
	}
}

/* Exactly where it was in the copy; 0: it is in no list, or elsewhere. */
static uint64_t take_copy(struct rarog_rewrite_handlers *h, uint64_t counter, uint64_t stack)
{
	for (uint32_t i = h->n; i-- > 0;)
		if (h->list[i].original == counter && h->list[i].stack == stack) {
			uint64_t copy = h->list[i].copy;

			forget(h, i);
			return copy;
		}
	return 0;
}

/* The registers in @context are those with which the thread goes on at once. */
static void go_on(struct rarog_rewrite_handlers *h, const struct rarog_rewrite_image *image,
		  pid_t tid, uint64_t context)
{
	uint64_t counter, stack, copy;

	if (!read_word(tid, context + REGISTER(REG_RIP), &counter) ||
	    !read_word(tid, context + REGISTER(REG_RSP), &stack))
		return;
	use_frame(h, context, counter, stack);
	copy = take_copy(h, counter, stack);
	if (copy == 0)
		copy = rarog_rewrite_image_copied(image, counter);
	if (copy != counter)
		write_word(tid, context + REGISTER(REG_RIP), copy);
}

/* glibc's setcontext() and swapcontext() change the mask of signals and then load what is beside
 * it. They keep where that is on the stack, or in a register beside the context where their own
 * caller is saved. 0: it is another call. */
static uint64_t context_set(pid_t tid, const struct user_regs_struct *regs)
{
	uint64_t context = regs->rsi - offsetof(ucontext_t, uc_sigmask);
	uint64_t saved = regs->rdx - offsetof(ucontext_t, uc_sigmask), top, caller;

	if (regs->orig_rax != SYS_rt_sigprocmask || regs->rdi != SIG_SETMASK || regs->rsi == 0 ||
	    !read_word(tid, regs->rsp, &top))
		return 0;
	if (regs->rdx == 0)
		return top == context ? context : 0;
	return regs->r12 == context && read_word(tid, saved + REGISTER(REG_RIP), &caller) &&
			       caller == top
		       ? context
		       : 0;
}

/* Handlers may return in another order than they came: threads that a program makes itself have a
 * stack each. What is in no list any more goes on with the instruction that it was at. */
void rarog_handlers_call(struct rarog_rewrite_handlers *h, const struct rarog_rewrite_image *image,
			 pid_t tid)
{
	struct user_regs_struct regs;
	uint64_t context;

	if (h->n == 0 || !image || !enters_call(tid, &regs))
		return;
	context = regs.orig_rax == SYS_rt_sigreturn ? regs.rsp : context_set(tid, &regs);
	if (context)
		go_on(h, image, tid, context);
}

void rarog_handlers_leave(struct rarog_rewrite_handlers *h, pid_t tid)
{
	char path[64];
	int fd;

	if (h->n == 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)tid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	for (; fd >= 0 && h->n > 0; h->n--) {
		uint64_t counter, at = h->list[h->n - 1].frame + COUNTER;

		if (pread(fd, &counter, sizeof(counter), (off_t)at) == sizeof(counter) &&
		    counter == h->list[h->n - 1].original &&
		    pwrite(fd, &h->list[h->n - 1].copy, sizeof(counter), (off_t)at) < 0)
			break; /* it has ended */
	}
	if (fd >= 0)
		close(fd);
}
