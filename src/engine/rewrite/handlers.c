/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel puts a frame on the stack with the registers that sigreturn() restores. A step with
 * the signal stops at the handler's first instruction, where the frame is: its program counter is
 * made the original's. Before sigreturn() it is made the copy's again, exactly where that was, so
 * that no counter is left out or counted twice; where a handler has changed it, that of the
 * instruction that it wants. In the original itself nobody may go on: other bytes are there by now.
 */
#include "engine/rewrite/handlers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/user.h>
#include <unistd.h>

#include "process/call-stop.h"

/* Of a frame, which begins with the address that the handler returns to. */
#define CONTEXT      8
#define SYSCALL_SIZE 2 /* so far it goes back, to begin a system call again */
#define COUNTER      (CONTEXT + offsetof(ucontext_t, uc_mcontext.gregs) + REG_RIP * sizeof(greg_t))

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

/* Where the processor refused an instruction the handler is told the address of it, too. */
static void tell_original(const struct rarog_rewrite_image *image, pid_t tid, int signal,
			  uint64_t counter)
{
	siginfo_t info;
	uint64_t original = rarog_rewrite_image_original(image, counter);

	if ((signal != SIGFPE && signal != SIGILL) ||
	    ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0 ||
	    (uint64_t)(uintptr_t)info.si_addr != counter)
		return;
	info.si_addr = (void *)(uintptr_t)original;
	ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
}

bool rarog_handlers_signal(struct rarog_rewrite_handlers *h,
			   const struct rarog_rewrite_image *image, pid_t tid, int signal)
{
	struct user_regs_struct regs;

	h->is_coming = image && ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0 &&
		       rarog_rewrite_image_original(image, regs.rip) != 0;
	if (h->is_coming) {
		h->interrupted = regs.rip;
		h->stack = regs.rsp;
		tell_original(image, tid, signal, regs.rip);
	}
	return h->is_coming;
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

static bool enters_sigreturn(pid_t tid, struct user_regs_struct *ret_regs)
{
	struct rarog_call_stop stop;

	return rarog_call_stop(tid, &stop) && stop.is_entry &&
	       ptrace(PTRACE_GETREGS, tid, NULL, ret_regs) == 0 &&
	       ret_regs->orig_rax == SYS_rt_sigreturn;
}

/* Handlers may return in another order than they came: threads that a program makes itself have a
 * stack each. What is in no list any more goes on with the instruction that it was at. */
void rarog_handlers_call(struct rarog_rewrite_handlers *h, const struct rarog_rewrite_image *image,
			 pid_t tid)
{
	struct user_regs_struct regs;
	uint64_t counter, copy = 0;
	uint32_t i = 0;

	if (h->n == 0 || !image || !enters_sigreturn(tid, &regs) ||
	    !read_word(tid, regs.rsp - CONTEXT + COUNTER, &counter))
		return;
	while (i < h->n && h->list[i].frame + CONTEXT != regs.rsp)
		i++;
	if (i < h->n && counter == h->list[i].original)
		copy = h->list[i].copy;
	if (i < h->n)
		forget(h, i);
	if (copy == 0)
		copy = rarog_rewrite_image_copied(image, counter);
	if (copy != counter)
		write_word(tid, regs.rsp - CONTEXT + COUNTER, copy);
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
