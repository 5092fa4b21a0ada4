/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that stand where they must not be go on by themselves until they are elsewhere: first for
 * moments, then in single steps. After a step a thread gets the SIGTRAP if we are killed, so
 * steps are made only while nothing comes of that signal.
 */
#include "process/thread.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "process/remote.h"

#define MOMENTS_MOST    8 /* in which a thread may leave where it must not be; then steps */
#define SETTLE_LEAST_NS 20000
#define STEPS_MOST      16384

#define PUSHF 0x9c   /* as an instruction */
#define STEP  0x100l /* among the flags */

/* Moments of different lengths, so that a loop in the program does not keep time with us. Not
 * beyond a signal: its handler would run here and now. */
static int run_out(struct rarog_thread *thread, rarog_threads_inside inside, const void *context)
{
	int r = 0;

	for (int i = 1; r == 0 && i <= MOMENTS_MOST && !rarog_thread_signal(thread) &&
			inside(context, thread->regs.rip);
	     i++)
		r = rarog_thread_run(thread, i * SETTLE_LEAST_NS);
	return r;
}

/* --- in steps --- */

#define HELD_MOST 64

struct stepping {
	struct rarog_thread *thread;
	siginfo_t held[HELD_MOST]; /* signals that came meanwhile, and are delivered afterwards */
	int n_held;
	bool steps_itself; /* the program does, by the flag */
};

static bool is_step(const siginfo_t *info)
{
	return info->si_signo == SIGTRAP && info->si_code > 0 && info->si_code != SI_KERNEL;
}

/* Of the old signals only one of a kind ever waits. */
static void hold(struct stepping *s, const siginfo_t *info)
{
	for (int i = 0; i < s->n_held && info->si_signo < SIGRTMIN; i++)
		if (s->held[i].si_signo == info->si_signo)
			return;
	s->held[s->n_held++] = *info;
}

/* Does the SIGTRAP of a step wait? What SIGCONT, SIGSTOP and PTRACE_INTERRUPT stop a thread for
 * goes before it. */
static bool is_step_awaited(pid_t tid)
{
	struct __ptrace_peeksiginfo_args own = { .nr = 1 };
	siginfo_t info;

	for (; ptrace(PTRACE_PEEKSIGINFO, tid, &own, &info) == 1; own.off++)
		if (is_step(&info))
			return true;
	return false;
}

/* The flag that makes a step is among those that PUSHF pushes: POPF would set it again. */
static void unpush_step(const struct rarog_thread *thread, const struct user_regs_struct *before)
{
	const struct user_regs_struct *now = &thread->regs;
	long code, flags;

	if (now->rip != before->rip + 1 || now->rsp != before->rsp - 8)
		return;
	errno = 0;
	code = ptrace(PTRACE_PEEKTEXT, thread->tid, (void *)before->rip, NULL);
	flags = errno == 0 ? ptrace(PTRACE_PEEKDATA, thread->tid, (void *)now->rsp, NULL) : 0;
	if (errno == 0 && (code & 0xff) == PUSHF && flags & STEP)
		ptrace(PTRACE_POKEDATA, thread->tid, (void *)now->rsp, (void *)(flags & ~STEP));
}

/* After a step over POPF the kernel takes the flag for the program's own, and leaves it there. */
static void forget_step(const struct stepping *s, const struct user_regs_struct *before)
{
	struct rarog_thread *thread = s->thread;

	if (s->steps_itself)
		return;
	unpush_step(thread, before);
	if (!(thread->regs.eflags & STEP))
		return;
	thread->regs.eflags &= ~(unsigned long long)STEP;
	ptrace(PTRACE_POKEUSER, thread->tid, (void *)offsetof(struct user, regs.eflags),
	       (void *)thread->regs.eflags);
}

/* An instruction, but none while the SIGTRAP of the one before waits: that must be gone when the
 * thread is. An instruction that sleeps (the agent's, on a futex) ends by itself. */
static int step(struct stepping *s)
{
	struct rarog_thread *thread = s->thread;
	const struct user_regs_struct before = thread->regs;
	bool is_guarded;
	siginfo_t info;

	do {
		if (ptrace(PTRACE_SINGLESTEP, thread->tid, NULL, NULL) < 0 ||
		    rarog_threads_await_stop(thread) < 0)
			return -ESRCH;
	} while (thread->status >> 16 && is_step_awaited(thread->tid));
	is_guarded = rarog_thread_is_guarded(thread);
	if (ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->regs) < 0)
		return -ESRCH;
	forget_step(s, &before);
	if (!is_guarded && thread->status >> 16 == 0 &&
	    ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) == 0 && !is_step(&info))
		hold(s, &info);
	return s->n_held == HELD_MOST ? -EBUSY : 0;
}

/* Back into a stop that is ours. The first of the signals is handed over as it came. */
static int end_steps(pid_t pid, struct stepping *s)
{
	struct rarog_thread *thread = s->thread;
	int first = thread->status >> 16 == 0 && s->n_held > 0;

	for (int i = first; i < s->n_held; i++)
		syscall(SYS_tgkill, pid, thread->tid, s->held[i].si_signo);
	if (first)
		ptrace(PTRACE_SETSIGINFO, thread->tid, NULL, &s->held[0]);
	return rarog_thread_deliver(thread, first ? s->held[0].si_signo : 0);
}

/* Our steps end with SIGTRAP. Where that is blocked the kernel would take the block away. */
static int step_out(pid_t pid, struct rarog_thread *thread, rarog_threads_inside inside,
		    const void *context)
{
	const uint64_t trap = UINT64_C(1) << (SIGTRAP - 1);
	struct stepping stepping = { .thread = thread, .steps_itself = thread->regs.eflags & STEP };
	uint64_t mask = 0, open;
	siginfo_t info;
	int r = 0, ended;

	if (rarog_thread_signal(thread) && ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) == 0)
		hold(&stepping, &info);
	if (ptrace(PTRACE_GETSIGMASK, thread->tid, sizeof(mask), &mask) < 0)
		return -ESRCH;
	open = mask & ~trap;
	if (mask & trap)
		ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(open), &open);
	for (int i = 0; r == 0 && i < STEPS_MOST && inside(context, thread->regs.rip); i++)
		r = step(&stepping);
	if (mask & trap)
		ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(mask), &mask);
	ended = r == -ESRCH ? r : end_steps(pid, &stepping);
	return ended < 0 ? ended : inside(context, thread->regs.rip) ? -EBUSY : 0;
}

/* --- all of them --- */

static int run_all_out(struct rarog_threads *threads, rarog_threads_inside inside,
		       const void *context)
{
	for (size_t i = threads->v.n; i-- > 0;) {
		int r = run_out(&threads->v.v[i], inside, context);

		if (r == -ESRCH)
			rarog_threads_forget(threads, i);
		else if (r < 0)
			return r;
	}
	return 0;
}

static int step_all_out(struct rarog_threads *threads, rarog_threads_inside inside,
			const void *context)
{
	for (size_t i = threads->v.n; i-- > 0;) {
		struct rarog_thread *thread = &threads->v.v[i];
		int r = inside(context, thread->regs.rip)
				? step_out(threads->pid, thread, inside, context)
				: 0;

		if (r == -ESRCH)
			rarog_threads_forget(threads, i);
		else if (r < 0)
			return r;
	}
	return 0;
}

static int set_trap(struct rarog_threads *threads, const struct rarog_signal_action *action,
		    struct rarog_signal_action *ret_old)
{
	struct rarog_remote remote;
	int r = rarog_remote_open_running(threads, &remote);

	if (r < 0)
		return r;
	r = rarog_remote_set_trap(&remote, action, ret_old);
	rarog_remote_close(&remote);
	return r;
}

static bool is_any_inside(const struct rarog_threads *threads, rarog_threads_inside inside,
			  const void *context)
{
	for (size_t i = 0; i < threads->v.n; i++)
		if (inside(context, threads->v.v[i].regs.rip))
			return true;
	return false;
}

int rarog_threads_step_out(struct rarog_threads *threads, rarog_threads_inside inside,
			   const void *context)
{
	struct rarog_signal_action old;
	int r, undone;

	if (threads->v.n == 0)
		return -ESRCH;
	if (!is_any_inside(threads, inside, context))
		return 0;
	r = set_trap(threads, NULL, &old);
	if (r < 0)
		return r;
	r = step_all_out(threads, inside, context);
	undone = threads->v.n > 0 ? set_trap(threads, &old, NULL) : -ESRCH;
	if (r == -EBUSY)
		return rarog_fail(r, "a thread does not leave a probe");
	return r < 0 ? r : undone;
}

/* After a step it gets the SIGTRAP if we are killed; so first without steps, and with them
 * only while nothing comes of that signal. */
int rarog_threads_leave(struct rarog_threads *threads, rarog_threads_inside inside,
			const void *context)
{
	int r = run_all_out(threads, inside, context);

	if (r == -EBUSY)
		return rarog_fail(-EBUSY, "a thread does not stop");
	return r < 0 ? r : rarog_threads_step_out(threads, inside, context);
}
