/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A deferred signal was taken from the kernel's queue, and a thread can be given one only when it
 * has stopped for one. So when its probe is over the signal is sent to it once more, and as it
 * arrives it gets back what was known of the first.
 *
 * Until then it makes no system call of the program's: that might block the signal, change what
 * becomes of it, or end the thread, and natively it would have come before. At the call it gets the
 * signal first, and makes the call afterwards.
 *
 * The thread's own faults are not deferred: they would come again at the same instruction. Nor is
 * what stops a process and lets it go on, which has effects when it is sent.
 */
#include "engine/inline/ptrace/deferred-signals.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "process/call-stop.h"
#include "process/fault.h"
#include "process/remote.h"
#include "process/task.h"

#define SETTLE_NS 40000 /* an agent's work takes a few thousand */

static struct rarog_deferred *find(const struct rarog_deferred_signals *h, pid_t tid)
{
	for (size_t i = 0; i < h->threads.n; i++)
		if (h->threads.v[i].tid == tid)
			return &h->threads.v[i];
	return NULL;
}

static void forget(struct rarog_deferred_signals *h, struct rarog_deferred *held)
{
	rarog_vec_release(&held->waiting);
	*held = h->threads.v[--h->threads.n];
}

/* When one is sent the kernel drops those that wait and would have the opposite effect. */
static bool is_job_control(int signal)
{
	return signal == SIGCONT || signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
	       signal == SIGTTOU;
}

/* One without a thread pointer is in the loader, before any handler, and AWAIT would read it. */
static struct rarog_deferred *add(struct rarog_deferred_signals *h, pid_t tid)
{
	struct user_regs_struct regs;
	struct rarog_task task;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0 || !regs.fs_base ||
	    rarog_task_read(tid, &task) < 0 ||
	    rarog_vec_push(&h->threads, (struct rarog_deferred){ .tid = tid,
								 .pid = task.pid,
								 .inner_tid = task.inner_tid,
								 .pointer = regs.fs_base }) < 0)
		return NULL;
	return &h->threads.v[h->threads.n - 1];
}

/* --- those that wait --- */

static struct rarog_deferred_signal *sent_already(const struct rarog_deferred *held, int signal)
{
	for (size_t i = 0; i < held->waiting.n; i++)
		if (held->waiting.v[i].is_sent && held->waiting.v[i].info.si_signo == signal)
			return &held->waiting.v[i];
	return NULL;
}

/* Of the old signals the kernel has one of a kind: a second comes when the first has. */
static bool can_send(const struct rarog_deferred *held, const struct rarog_deferred_signal *signal)
{
	int number = signal->info.si_signo;

	return !signal->is_sent && (number >= SIGRTMIN || !sent_already(held, number));
}

static struct rarog_deferred_signal *first_unsent(const struct rarog_deferred *held)
{
	for (size_t i = 0; i < held->waiting.n; i++)
		if (can_send(held, &held->waiting.v[i]))
			return &held->waiting.v[i];
	return NULL;
}

static bool send_again(const struct rarog_deferred *held, int signal)
{
	return syscall(SYS_tgkill, held->pid, held->tid, signal) == 0;
}

/* So that the thread stops for it. */
static void send_first(struct rarog_deferred *held)
{
	struct rarog_deferred_signal *first = first_unsent(held);

	if (first)
		first->is_sent = send_again(held, first->info.si_signo);
}

/* @signal in place of what the thread has stopped for. */
static int deliver(struct rarog_deferred_signals *h, struct rarog_deferred *held,
		   struct rarog_deferred_signal *signal)
{
	siginfo_t info = signal->info;
	size_t behind = (size_t)(held->waiting.v + held->waiting.n - (signal + 1));

	ptrace(PTRACE_SETSIGINFO, held->tid, NULL, &info);
	memmove(signal, signal + 1, behind * sizeof(*signal));
	if (--held->waiting.n > 0)
		send_first(held);
	else
		forget(h, held);
	return info.si_signo;
}

/* How long already is counted from the last time that we have stopped it. */
static int go_on_without(struct rarog_deferred *held)
{
	if (held->since_ns == 0)
		held->since_ns = rarog_now_ns();
	held->is_paused = false;
	return 0;
}

/* By send_first(); where the thread cannot see us, senderless. So is what comes without anything
 * known of it, since as many signals wait already as may (RLIMIT_SIGPENDING). */
static bool is_own(const siginfo_t *info)
{
	if (info->si_code == SI_USER)
		return info->si_pid == 0 && info->si_uid == 0;
	return info->si_code == SI_TKILL && (info->si_pid == getpid() || info->si_pid == 0);
}

/* That what the thread has stopped for, @info, is once more; NULL: it is new. */
static struct rarog_deferred_signal *comes_again(const struct rarog_deferred *held,
						 const siginfo_t *info)
{
	return is_own(info) ? sent_already(held, info->si_signo) : NULL;
}

/* Of the old signals the kernel keeps no second of a kind while a first waits. NULL: there is none,
 * or more may wait. */
static struct rarog_deferred_signal *same_kind(const struct rarog_deferred *held, int signal)
{
	for (size_t i = 0; signal < SIGRTMIN && i < held->waiting.n; i++)
		if (held->waiting.v[i].info.si_signo == signal)
			return &held->waiting.v[i];
	return NULL;
}

/* Of a timer the kernel has one signal, whichever it is, and counts what comes meanwhile. */
static struct rarog_deferred_signal *same_timer(const struct rarog_deferred *held,
						const siginfo_t *info)
{
	for (size_t i = 0; info->si_code == SI_TIMER && i < held->waiting.n; i++) {
		siginfo_t *known = &held->waiting.v[i].info;

		if (known->si_code == SI_TIMER && known->si_signo == info->si_signo &&
		    known->si_timerid == info->si_timerid) {
			known->si_overrun += info->si_overrun + 1;
			return &held->waiting.v[i];
		}
	}
	return NULL;
}

/* By its thread. */
static bool is_blocked(uint64_t blocked, const struct rarog_deferred_signal *signal)
{
	return blocked >> (signal->info.si_signo - 1) & 1;
}

static uint64_t blocked_by(pid_t tid)
{
	uint64_t blocked = 0;

	ptrace(PTRACE_GETSIGMASK, tid, sizeof(blocked), &blocked);
	return blocked;
}

/* Does one come at once that was sent once more, and goes before what is new? */
static bool comes_one(const struct rarog_deferred *held, uint64_t blocked)
{
	for (size_t i = 0; i < held->waiting.n; i++)
		if (held->waiting.v[i].is_sent && !is_blocked(blocked, &held->waiting.v[i]))
			return true;
	return false;
}

/* The first that is not blocked. What a handler blocks that got its signal meanwhile comes when
 * that is over. @last is not blocked: the thread has stopped for it. */
static struct rarog_deferred_signal *first_open(struct rarog_deferred *held, uint64_t blocked,
						struct rarog_deferred_signal *last)
{
	for (struct rarog_deferred_signal *s = held->waiting.v; s < last; s++) {
		if (!can_send(held, s))
			continue;
		if (!is_blocked(blocked, s))
			return s;
		s->is_sent = send_again(held, s->info.si_signo);
	}
	return last;
}

/* Has @tid, which may have some already, stopped for one that is to wait? NULL: not. */
static struct rarog_deferred *stopped_for(struct rarog_deferred_signals *h, pid_t tid, int signal,
					  siginfo_t *ret_info)
{
	struct rarog_deferred *held = find(h, tid);

	if (rarog_signal_is_fault(tid, signal) || (!held && h->is_clear(h->context, tid)) ||
	    is_job_control(signal) || ptrace(PTRACE_GETSIGINFO, tid, NULL, ret_info) < 0)
		return NULL;
	return held ? held : add(h, tid);
}

/* Return: that which waits for what the thread has stopped for; NULL: there is no memory.
 * *ret_is_again: it was sent once more. One of the old signals that the kernel did not add when it
 * was sent, since one waited already, has come as that one. */
static struct rarog_deferred_signal *take_in(struct rarog_deferred_signals *h,
					     struct rarog_deferred *held, const siginfo_t *info,
					     bool *ret_is_again)
{
	struct rarog_deferred_signal *known = comes_again(held, info), *one;

	*ret_is_again = known;
	if (!known && info->si_signo >= SIGRTMIN && (one = same_timer(held, info)))
		return one; /* if that was sent again it still comes */
	if (!known)
		known = same_kind(held, info->si_signo);
	if (known) {
		known->is_sent = false;
		return known;
	}
	if (rarog_vec_push(&held->waiting, (struct rarog_deferred_signal){ .info = *info }) < 0)
		return NULL;
	h->n_held++;
	return &held->waiting.v[held->waiting.n - 1];
}

/* Signals may come faster than a thread that stops for each gets on. */
static bool may_deliver(struct rarog_deferred_signals *h, struct rarog_deferred *held)
{
	return h->is_clear(h->context, held->tid) ||
	       (h->stops_most && ++held->stops > h->stops_most);
}

int rarog_deferred_signal(struct rarog_deferred_signals *h, pid_t tid, int signal)
{
	siginfo_t info;
	struct rarog_deferred *held = stopped_for(h, tid, signal, &info);
	struct rarog_deferred_signal *here;
	uint64_t blocked;
	bool is_again;

	here = held ? take_in(h, held, &info, &is_again) : NULL;
	if (!here)
		return signal;
	blocked = blocked_by(tid);
	if ((!is_again && comes_one(held, blocked)) || !may_deliver(h, held))
		return go_on_without(held);
	held->stops = 0;
	return deliver(h, held, first_open(held, blocked, here));
}

bool rarog_deferred_keeps(struct rarog_deferred_signals *h, pid_t tid, int signal)
{
	siginfo_t info;
	struct rarog_deferred *held = stopped_for(h, tid, signal, &info);
	bool is_again;

	if (!held || !take_in(h, held, &info, &is_again))
		return false;
	go_on_without(held);
	return true;
}

bool rarog_deferred_stopped(struct rarog_deferred_signals *h, pid_t tid, bool is_paused)
{
	struct rarog_deferred *held = find(h, tid);

	if (!held)
		return false;
	held->since_ns = rarog_now_ns();
	held->is_paused = is_paused;
	if (!is_paused && first_unsent(held) && h->is_clear(h->context, tid))
		send_first(held);
	return true;
}

/* --- system calls --- */

#define CALL_SIZE 2 /* of the instruction */

/* The thread is about to make a system call, and stands before the instruction again. In one step:
 * whenever we are killed it makes the call, and once. Filters would be asked about the call that
 * it makes now, which is none; there the signal comes with the call. */
static void before_call(pid_t tid)
{
	struct rarog_call_stop stop;
	struct user_regs_struct regs;

	if (!rarog_call_stop(tid, &stop) || !stop.is_entry ||
	    rarog_process_status(tid, "Seccomp:") != 0 ||
	    ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0)
		return;
	regs.rip -= CALL_SIZE;
	regs.rax = regs.orig_rax;
	regs.orig_rax = (unsigned long long)-1;
	ptrace(PTRACE_SETREGS, tid, NULL, &regs);
}

void rarog_deferred_call(struct rarog_deferred_signals *h, pid_t tid)
{
	struct rarog_deferred *held = find(h, tid);

	if (!held || !first_unsent(held) || !h->is_clear(h->context, tid))
		return;
	before_call(tid);
	send_first(held);
}

bool rarog_deferred_is_watched(const struct rarog_deferred_signals *h, pid_t tid)
{
	const struct rarog_deferred *held = find(h, tid);

	return held && first_unsent(held);
}

/* --- in time --- */

/* To a thread that we do not trace any more. Only the kernel may name the sender. */
static void hand_over(const struct rarog_deferred *held)
{
	for (size_t i = 0; i < held->waiting.n; i++) {
		siginfo_t info = held->waiting.v[i].info;

		if (!held->waiting.v[i].is_sent &&
		    syscall(SYS_rt_tgsigqueueinfo, held->pid, held->tid, info.si_signo, &info) < 0)
			send_again(held, info.si_signo);
	}
}

/* Is it in the middle of a probe, as far as we know, and runs? */
static bool is_awaited(const struct rarog_deferred *held)
{
	return !held->is_paused && first_unsent(held);
}

void rarog_deferred_attend(struct rarog_deferred_signals *h)
{
	uint64_t now = h->threads.n > 0 ? rarog_now_ns() : 0;

	for (size_t i = h->threads.n; i-- > 0;) {
		struct rarog_deferred *held = &h->threads.v[i];

		if (!is_awaited(held) || now - held->since_ns < SETTLE_NS)
			continue;
		if (ptrace(PTRACE_INTERRUPT, held->tid, NULL, NULL) == 0) {
			held->since_ns = now;
			continue;
		}
		hand_over(held);
		forget(h, held);
	}
}

long rarog_deferred_wants(const struct rarog_deferred_signals *h)
{
	for (size_t i = 0; i < h->threads.n; i++)
		if (is_awaited(&h->threads.v[i]))
			return SETTLE_NS;
	return 0;
}

size_t rarog_deferred_threads(const struct rarog_deferred_signals *h, size_t most,
			      uint32_t ret_tids[], uint64_t ret_pointers[])
{
	size_t n = 0;

	for (size_t i = 0; n < most && i < h->threads.n; i++)
		if (is_awaited(&h->threads.v[i])) {
			ret_tids[n] = (uint32_t)h->threads.v[i].inner_tid;
			ret_pointers[n++] = h->threads.v[i].pointer;
		}
	return n;
}

void rarog_deferred_end(struct rarog_deferred_signals *h, pid_t tid)
{
	struct rarog_deferred *held = find(h, tid);

	if (held)
		forget(h, held);
}

void rarog_deferred_release(struct rarog_deferred_signals *h)
{
	while (h->threads.n > 0) {
		hand_over(&h->threads.v[0]);
		forget(h, &h->threads.v[0]);
	}
	rarog_debug(RAROG_LOG_DRAIN, "%llu signals waited for the end of a probe",
		    (unsigned long long)h->n_held);
	rarog_vec_release(&h->threads);
}
