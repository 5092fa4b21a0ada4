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
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/user.h>

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

bool rarog_handlers_signal(struct rarog_rewrite_handlers *h,
			   const struct rarog_rewrite_image *image, pid_t tid)
{
	struct user_regs_struct regs;

	h->is_coming = image && h->n < RAROG_HANDLERS_MOST &&
		       ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0 &&
		       rarog_rewrite_image_original(image, regs.rip) != 0;
	if (h->is_coming) {
		h->interrupted = regs.rip;
		h->stack = regs.rsp;
	}
	return h->is_coming;
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
	h->list[h->n].frame = regs.rsp;
	h->list[h->n].copy = counter;
	h->list[h->n].original = original;
	write_word(tid, regs.rsp + COUNTER, original);
	h->n++;
	return true;
}

static bool enters_sigreturn(pid_t tid, struct user_regs_struct *ret_regs)
{
	struct rarog_call_stop stop;

	return rarog_call_stop(tid, &stop) && stop.is_entry &&
	       ptrace(PTRACE_GETREGS, tid, NULL, ret_regs) == 0 &&
	       ret_regs->orig_rax == SYS_rt_sigreturn;
}

/* Handlers that were left otherwise have frames that are not there any more. */
void rarog_handlers_call(struct rarog_rewrite_handlers *h, const struct rarog_rewrite_image *image,
			 pid_t tid)
{
	struct user_regs_struct regs;
	uint64_t counter;

	if (h->n == 0 || !image || !enters_sigreturn(tid, &regs))
		return;
	while (h->n > 0) {
		uint32_t i = --h->n;

		if (h->list[i].frame + CONTEXT != regs.rsp)
			continue;
		if (read_word(tid, h->list[i].frame + COUNTER, &counter))
			write_word(tid, h->list[i].frame + COUNTER,
				   counter == h->list[i].original
					   ? h->list[i].copy
					   : rarog_rewrite_image_copied(image, counter));
		return;
	}
}
