/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PTRACE_INTERRUPT wakes a sleeping thread like a signal without a handler. Most system calls go on
 * by themselves afterwards. Those that return EINTR instead (epoll_wait, sockets with a time limit,
 * semop, sigtimedwait) are made to: their result becomes ERESTARTNOHAND, the kernel's own word for
 * "EINTR if a handler runs, else again". Where a seccomp filter might forbid restart_syscall(), by
 * which sleeps go on, they are begun again in the same way, and last longer.
 */
#include "process/thread.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "process/calls.h"
#include "process/filters.h"

#define STOP_LIMIT_NS 1000000000ull /* until a thread that does not stop is given up */
#define YIELDS        100           /* before we sleep while we wait for a stop */
#define RUNS_MOST     8             /* until a moment was the thread's */
#define LOOK_EACH_NS  20000
#define DEAD_AFTER_NS 1000000 /* of waiting we look whether it is there */

/* --- timeout --- */

static void sleep_ns(long ns)
{
	const struct timespec moment = { .tv_nsec = ns };

	nanosleep(&moment, NULL);
}

uint64_t rarog_timeout_spent_ns(const struct rarog_timeout *timeout)
{
	return timeout->looks ? rarog_now_ns() - timeout->start_ns : 0;
}

int rarog_timeout_wait(struct rarog_timeout *timeout)
{
	if (timeout->looks == 0)
		*timeout = (struct rarog_timeout){ .start_ns = rarog_now_ns(), .nap_ns = 10000 };
	if (rarog_now_ns() - timeout->start_ns > STOP_LIMIT_NS)
		return -EBUSY;
	if (timeout->looks++ < YIELDS) {
		sched_yield();
		return 0;
	}
	sleep_ns(timeout->nap_ns);
	timeout->nap_ns = timeout->nap_ns < 1000000 ? timeout->nap_ns * 2 : timeout->nap_ns;
	return 0;
}

/* --- one thread --- */

char rarog_thread_state(pid_t tid)
{
	char path[64], text[512], *state;
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	text[n] = '\0';
	state = strrchr(text, ')');
	return state && state[1] == ' ' ? state[2] : 'X';
}

bool rarog_thread_is_dead(pid_t tid)
{
	char state = rarog_thread_state(tid);

	return state == 'Z' || state == 'X';
}

bool rarog_thread_is_silent(pid_t tid, const struct rarog_timeout *timeout)
{
	return rarog_timeout_spent_ns(timeout) > DEAD_AFTER_NS && rarog_thread_is_dead(tid);
}

int rarog_threads_await_stop(struct rarog_thread *thread)
{
	struct rarog_timeout timeout = { 0 };
	pid_t found;

	while ((found = waitpid(thread->tid, &thread->status, WNOHANG | __WALL)) == 0 ||
	       (found < 0 && errno == EINTR)) {
		if (rarog_thread_is_silent(thread->tid, &timeout))
			return -ESRCH;
		if (rarog_timeout_wait(&timeout) < 0)
			timeout = (struct rarog_timeout){ 0 };
	}
	return found == thread->tid && WIFSTOPPED(thread->status) ? 0 : -ESRCH;
}

#define ERESTART_RESTARTBLOCK_ 516 /* the kernel's: go on by restart_syscall() */

static bool is_forbidden_restart(pid_t tid, const struct user_regs_struct *regs)
{
	return (int64_t)regs->orig_rax >= 0 && (int64_t)regs->rax == -ERESTART_RESTARTBLOCK_ &&
	       rarog_filters_has(tid, rarog_filters_inherited());
}

static void call_again(pid_t tid)
{
	const size_t at = offsetof(struct user_regs_struct, rax);
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0 &&
	    (rarog_call_is_cut(&regs) || is_forbidden_restart(tid, &regs)))
		ptrace(PTRACE_POKEUSER, tid, at, -(long)RAROG_ERESTARTNOHAND);
}

bool rarog_thread_is_group_stop(int status)
{
	int signal = WSTOPSIG(status);

	return status >> 16 == PTRACE_EVENT_STOP &&
	       (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU);
}

void rarog_thread_interrupt(pid_t tid, int signal)
{
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	ptrace(PTRACE_CONT, tid, NULL, (void *)(intptr_t)signal);
}

int rarog_thread_signal(const struct rarog_thread *thread)
{
	int signal = WSTOPSIG(thread->status);

	return thread->status >> 16 || signal == (SIGTRAP | 0x80) ? 0 : signal;
}

bool rarog_thread_is_guarded(struct rarog_thread *thread)
{
	int signal = rarog_thread_signal(thread);
	bool is_guarded = signal && thread->guard &&
			  thread->guard->absorb(thread->guard->context, thread->tid, signal);

	thread->n_guarded += is_guarded;
	return is_guarded;
}

/* Does a fault wait, for which the thread has not stopped yet? What PTRACE_INTERRUPT stops it for
 * goes before. A thread that is let go then gets its signal when what it was about is gone. What is
 * blocked is no fault, which takes the block away, and would not stop it. */
static bool is_fault_awaited(pid_t tid)
{
	struct __ptrace_peeksiginfo_args own = { .nr = 1 };
	uint64_t blocked = 0;
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGMASK, tid, sizeof(blocked), &blocked) < 0)
		return false;
	for (; ptrace(PTRACE_PEEKSIGINFO, tid, &own, &info) == 1; own.off++)
		if ((info.si_signo == SIGILL || info.si_signo == SIGSEGV) && info.si_code > 0 &&
		    !(blocked >> (info.si_signo - 1) & 1))
			return true;
	return false;
}

/* It has stopped. Return: 1: it will stop again; 0; -ESRCH. */
static int arrived(struct rarog_thread *thread)
{
	int event = thread->status >> 16;
	unsigned long born;

	if ((event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
	     event == PTRACE_EVENT_CLONE) &&
	    ptrace(PTRACE_GETEVENTMSG, thread->tid, NULL, &born) == 0)
		thread->born = (pid_t)born;
	if (event != PTRACE_EVENT_STOP && event != PTRACE_EVENT_EXEC &&
	    (!rarog_thread_signal(thread) || rarog_thread_is_guarded(thread))) {
		rarog_thread_interrupt(thread->tid, 0);
		thread->status = 0;
		return 1;
	}
	if (event == PTRACE_EVENT_STOP)
		thread->is_paused = rarog_thread_is_group_stop(thread->status);
	if (event == PTRACE_EVENT_STOP && thread->guard && is_fault_awaited(thread->tid)) {
		ptrace(PTRACE_CONT, thread->tid, NULL, NULL); /* it stops for the fault */
		thread->status = 0;
		return 1;
	}
	call_again(thread->tid);
	return ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->regs) < 0 ? -ESRCH : 0;
}

int rarog_thread_look(struct rarog_thread *thread)
{
	int status;
	pid_t found = wait4(thread->tid, &status, WNOHANG | __WALL, &thread->usage);

	if (found == 0 || (found < 0 && errno == EINTR))
		return 1;
	thread->status = found == thread->tid ? status : -1;
	return found == thread->tid && WIFSTOPPED(status) ? arrived(thread) : -ESRCH;
}

/* A moment, then as rarog_thread_look(). */
static int look_again(struct rarog_thread *thread, struct rarog_timeout *timeout)
{
	int r;

	if (rarog_timeout_wait(timeout) < 0)
		return -EBUSY;
	r = rarog_thread_look(thread);
	return r == 1 && rarog_thread_is_silent(thread->tid, timeout) ? -ESRCH : r;
}

/* A signal that its guard takes is taken at once: of a fast timer the next one waits soon. Return:
 * as rarog_thread_look(). */
static int look_for(struct rarog_thread *thread, long ns)
{
	const uint64_t n_guarded = thread->n_guarded, end_ns = rarog_now_ns() + (uint64_t)ns;
	int r;

	do {
		sleep_ns(LOOK_EACH_NS);
		r = rarog_thread_look(thread);
	} while (r == 1 && thread->n_guarded == n_guarded && rarog_now_ns() < end_ns);
	return r;
}

/* *ret_is_whole: nothing that was there before has stopped it at once. */
static int run_once(struct rarog_thread *thread, long ns, bool *ret_is_whole)
{
	const uint64_t n_guarded = thread->n_guarded;
	struct rarog_timeout timeout = { 0 };
	int r;

	thread->status = 0;
	if (ptrace(PTRACE_CONT, thread->tid, NULL, NULL) < 0)
		return -ESRCH;
	r = look_for(thread, ns);
	*ret_is_whole = r == 1 && thread->n_guarded == n_guarded;
	if (*ret_is_whole)
		ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
	while (r == 1)
		r = look_again(thread, &timeout);
	return r;
}

/* Of a timer's signals there always is one that waits; and PTRACE_INTERRUPT that comes to a thread
 * that has just stopped stops it again. */
int rarog_thread_run(struct rarog_thread *thread, long ns)
{
	bool is_whole;
	int r;

	for (int i = 0; i < RUNS_MOST; i++) {
		r = run_once(thread, ns, &is_whole);
		if (r < 0 || is_whole || rarog_thread_signal(thread) || thread->is_paused)
			break;
	}
	return r;
}

int rarog_thread_deliver(struct rarog_thread *thread, int signal)
{
	struct rarog_timeout timeout = { 0 };
	int r = 1;

	rarog_thread_interrupt(thread->tid, signal);
	while (r == 1) {
		r = look_again(thread, &timeout);
		if (r == 0 && rarog_thread_signal(thread)) { /* one more */
			rarog_thread_interrupt(thread->tid, rarog_thread_signal(thread));
			r = 1;
		}
	}
	return r;
}
