/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PTRACE_INTERRUPT wakes a sleeping thread like a signal without a handler. Most system calls go on
 * by themselves afterwards. Those that return EINTR instead (epoll_wait, sockets with a time limit,
 * semop, sigtimedwait) are made to: their result becomes ERESTARTNOHAND, the kernel's own word for
 * "EINTR if a handler runs, else again".
 *
 * New threads are found by listing: when all that are known have stopped and the list shows no
 * other, there is nobody left to make one.
 */
#include "collect/trace/inline/threads.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "collect/trace/inline/remote.h"

#define STOP_LIMIT_NS 1000000000ull /* until a thread that does not stop is given up */
#define YIELDS        100           /* before we sleep while we wait for a stop */

#define MOMENTS_MOST    8 /* in which a thread may leave where it must not be; then steps */
#define MOMENT_LEAST_NS 20000
#define STEPS_MOST      16384

#define ERESTARTNOHAND 514 /* the kernel's, not for programs */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void sleep_ns(long ns)
{
	const struct timespec moment = { .tv_nsec = ns };

	nanosleep(&moment, NULL);
}

/* --- system calls that do not go on by themselves --- */

/* Nothing has happened yet when they return EINTR, so they may be made again. */
static bool ends_early(uint64_t number)
{
	static const uint16_t calls[] = {
		SYS_epoll_wait, SYS_epoll_pwait,    SYS_epoll_pwait2,  SYS_semop,
		SYS_semtimedop, SYS_io_getevents,   SYS_io_pgetevents, SYS_rt_sigtimedwait,
		SYS_accept,     SYS_accept4,        SYS_connect,       SYS_recvfrom,
		SYS_recvmsg,    SYS_recvmmsg,       SYS_sendto,        SYS_sendmsg,
		SYS_sendmmsg,   SYS_read,           SYS_readv,         SYS_write,
		SYS_writev,     SYS_io_uring_enter,
	};

	for (size_t i = 0; i < RAROG_COUNT(calls); i++)
		if (calls[i] == number)
			return true;
	return false;
}

static void call_again(pid_t tid)
{
	const size_t at = offsetof(struct user_regs_struct, rax);
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0 && (int64_t)regs.orig_rax >= 0 &&
	    (int64_t)regs.rax == -EINTR && ends_early(regs.orig_rax))
		ptrace(PTRACE_POKEUSER, tid, at, -(long)ERESTARTNOHAND);
}

/* --- one thread --- */

static bool is_group_stop(int status)
{
	int signal = WSTOPSIG(status);

	return status >> 16 == PTRACE_EVENT_STOP &&
	       (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU);
}

static void interrupt(pid_t tid, int signal)
{
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	ptrace(PTRACE_CONT, tid, NULL, (void *)(intptr_t)signal);
}

/* The signal that a stopped thread gets when it goes on; 0: none. */
static int signal_of(const struct rarog_thread *thread)
{
	int signal = WSTOPSIG(thread->status);

	return thread->status >> 16 || signal == (SIGTRAP | 0x80) ? 0 : signal;
}

/*
 * It has stopped. It shall be in a stop that is ours, or in one for a signal on its way: from these
 * it goes on as if nothing had been if we are killed, and the kernel looks after an interrupted
 * call. Return: 1: it will stop again; 0; -ESRCH.
 */
static int arrived(struct rarog_thread *thread)
{
	int event = thread->status >> 16;

	if (event != PTRACE_EVENT_STOP && event != PTRACE_EVENT_EXEC && !signal_of(thread)) {
		interrupt(thread->tid, 0);
		thread->status = 0;
		return 1;
	}
	call_again(thread->tid);
	thread->is_paused = is_group_stop(thread->status);
	return ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->regs) < 0 ? -ESRCH : 0;
}

/* A look at a thread that runs. Return: 1: it still does; 0: it has stopped; -ESRCH: it is gone. */
static int look_at(struct rarog_thread *thread)
{
	int status;
	pid_t found = waitpid(thread->tid, &status, WNOHANG | __WALL);

	if (found == 0 || (found < 0 && errno == EINTR))
		return 1;
	thread->status = found == thread->tid ? status : -1;
	return found == thread->tid && WIFSTOPPED(status) ? arrived(thread) : -ESRCH;
}

/* Between two looks: how long, and for how long already? */
struct patience {
	uint64_t start;
	int looks;
	long nap;
};

/* Return: 0; -EBUSY: it is enough. */
static int wait_more(struct patience *p)
{
	if (p->looks == 0)
		*p = (struct patience){ .start = now_ns(), .nap = 10000 };
	if (now_ns() - p->start > STOP_LIMIT_NS)
		return -EBUSY;
	if (p->looks++ < YIELDS) {
		sched_yield();
		return 0;
	}
	sleep_ns(p->nap);
	p->nap = p->nap < 1000000 ? p->nap * 2 : p->nap;
	return 0;
}

static int run_for_a_moment(struct rarog_thread *thread, long ns)
{
	struct patience patience = { 0 };
	int r = 1;

	thread->status = 0;
	if (ptrace(PTRACE_CONT, thread->tid, NULL, NULL) < 0)
		return -ESRCH;
	sleep_ns(ns);
	ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
	while (r == 1)
		r = wait_more(&patience) < 0 ? -EBUSY : look_at(thread);
	return r;
}

/* Moments of different lengths, so that a loop in the program does not keep time with us. Not
 * beyond a signal: its handler would run here and now. */
static int run_out(struct rarog_thread *thread, rarog_threads_inside inside, const void *context)
{
	int r = 0;

	for (int i = 1;
	     r == 0 && i <= MOMENTS_MOST && !signal_of(thread) && inside(context, thread->regs.rip);
	     i++)
		r = run_for_a_moment(thread, i * MOMENT_LEAST_NS);
	return r;
}

/* --- in steps --- */

#define HELD_MOST 64

struct stepping {
	struct rarog_thread *thread;
	siginfo_t held[HELD_MOST]; /* signals that came meanwhile, and are delivered afterwards */
	int n_held;
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

/* An instruction; one that sleeps (the agent's, on a futex) ends by itself. */
static int step(struct stepping *s)
{
	struct rarog_thread *thread = s->thread;
	siginfo_t info;
	pid_t found;

	if (ptrace(PTRACE_SINGLESTEP, thread->tid, NULL, NULL) < 0)
		return -ESRCH;
	do
		found = waitpid(thread->tid, &thread->status, __WALL);
	while (found < 0 && errno == EINTR);
	if (found != thread->tid || !WIFSTOPPED(thread->status) ||
	    ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->regs) < 0)
		return -ESRCH;
	if (thread->status >> 16 == 0 && ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) == 0 &&
	    !is_step(&info))
		hold(s, &info);
	return s->n_held == HELD_MOST ? -EBUSY : 0;
}

/* Into a stop that is ours; @signal is delivered, and its handler has run no instruction. */
static int deliver(struct rarog_thread *thread, int signal)
{
	struct patience patience = { 0 };
	int r = 1;

	interrupt(thread->tid, signal);
	while (r == 1) {
		r = wait_more(&patience) < 0 ? -EBUSY : look_at(thread);
		if (r == 0 && signal_of(thread)) { /* one more */
			interrupt(thread->tid, signal_of(thread));
			r = 1;
		}
	}
	return r;
}

int rarog_threads_deliver(struct rarog_thread *thread)
{
	return signal_of(thread) ? deliver(thread, signal_of(thread)) : 0;
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
	return deliver(thread, first ? s->held[0].si_signo : 0);
}

/* Our steps end with SIGTRAP. Where that is blocked the kernel would take the block away. */
static int step_out(pid_t pid, struct rarog_thread *thread, rarog_threads_inside inside,
		    const void *context)
{
	const uint64_t trap = UINT64_C(1) << (SIGTRAP - 1);
	struct stepping stepping = { .thread = thread };
	uint64_t mask = 0, open;
	siginfo_t info;
	int r = 0, ended;

	if (signal_of(thread) && ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) == 0)
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

static struct rarog_thread *find(struct rarog_threads *threads, pid_t tid)
{
	for (size_t i = 0; i < threads->v.n; i++)
		if (threads->v.v[i].tid == tid)
			return &threads->v.v[i];
	return NULL;
}

static void forget(struct rarog_threads *threads, size_t i)
{
	threads->v.v[i] = threads->v.v[--threads->v.n];
}

/* The first thread may have ended while others go on. */
static bool is_dead(pid_t tid)
{
	char path[64], text[512], *state;
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	text[n] = '\0';
	state = strrchr(text, ')');
	return !state || state[1] != ' ' || state[2] == 'Z' || state[2] == 'X';
}

/* Return: 1 a new thread, that will stop; 0 none. */
static int meet(struct rarog_threads *threads, pid_t tid)
{
	if (find(threads, tid))
		return 0;
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(intptr_t)PTRACE_O_TRACESYSGOOD) < 0 &&
	    rarog_process_status(tid, "TracerPid:") != getpid())
		return errno == ESRCH || is_dead(tid) ? 0 : -errno;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0)
		return 0;
	if (rarog_vec_push(&threads->v, (struct rarog_thread){ .tid = tid }) < 0)
		return rarog_oom();
	return 1;
}

/* Return: number of new threads. */
static int meet_all(struct rarog_threads *threads)
{
	char path[64];
	struct dirent *entry;
	int met = 0, r = 0;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)threads->pid);
	directory = opendir(path);
	if (!directory)
		return -ESRCH;
	while (r >= 0 && (entry = readdir(directory))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			r = meet(threads, tid);
		met += r > 0;
	}
	closedir(directory);
	return r < 0 ? r : met;
}

/* One look at those from number @first on that run. Return: how many still do. */
static long look(struct rarog_threads *threads, size_t first)
{
	long running = 0;

	for (size_t i = threads->v.n; i-- > first;) {
		struct rarog_thread *thread = &threads->v.v[i];
		int r = thread->status ? 0 : look_at(thread);

		running += r == 1;
		if (r != -ESRCH)
			continue;
		if (thread->tid == threads->pid)
			threads->end_status = thread->status;
		forget(threads, i);
	}
	return running;
}

/* Who stops is dealt with at once: an interrupted call that we have not seen to yet would end early
 * if we were killed. */
static int await_all(struct rarog_threads *threads, size_t first)
{
	struct patience patience = { 0 };

	while (look(threads, first) > 0)
		if (wait_more(&patience) < 0)
			return -EBUSY;
	return 0;
}

static bool is_exec(const struct rarog_threads *threads)
{
	for (size_t i = 0; i < threads->v.n; i++)
		if (threads->v.v[i].status >> 16 == PTRACE_EVENT_EXEC)
			return true;
	return false;
}

static int stop_all(struct rarog_threads *threads)
{
	int met;

	do {
		size_t before = threads->v.n;
		int r;

		met = meet_all(threads);
		if (met < 0)
			return met;
		r = await_all(threads, before);
		if (r < 0)
			return r;
	} while (met > 0);
	if (threads->v.n == 0)
		return -ESRCH;
	return is_exec(threads) ? RAROG_THREADS_EXEC : 0;
}

int rarog_threads_stop(pid_t pid, struct rarog_threads *ret_threads)
{
	int r;

	*ret_threads = (struct rarog_threads){
		.pid = pid,
		.end_status = -1,
		.stopped_ns = now_ns(),
	};
	r = stop_all(ret_threads);
	if (r == -EBUSY) {
		rarog_threads_resume(ret_threads, -1);
		rarog_threads_release(ret_threads);
	}
	return r;
}

static void resume(struct rarog_thread *thread, long options)
{
	if (options >= 0)
		ptrace(PTRACE_SETOPTIONS, thread->tid, NULL, options);
	if (is_group_stop(thread->status))
		ptrace(PTRACE_LISTEN, thread->tid, NULL, NULL);
	else if (thread->is_paused) /* it went on for us only: back to where SIGSTOP holds it */
		interrupt(thread->tid, signal_of(thread));
	else
		ptrace(PTRACE_CONT, thread->tid, NULL, (void *)(intptr_t)signal_of(thread));
}

void rarog_threads_resume(struct rarog_threads *threads, long options)
{
	for (size_t i = 0; i < threads->v.n; i++)
		if (threads->v.v[i].status != 0)
			resume(&threads->v.v[i], options);
}

void rarog_threads_let_go(struct rarog_threads *threads)
{
	for (size_t i = 0; i < threads->v.n; i++)
		ptrace(PTRACE_DETACH, threads->v.v[i].tid, NULL,
		       (void *)(intptr_t)signal_of(&threads->v.v[i]));
}

void rarog_threads_release(struct rarog_threads *threads)
{
	while (threads->v.n > 0)
		forget(threads, threads->v.n - 1);
	rarog_vec_release(&threads->v);
}

/* Return: how many are inside; -errno. */
static long run_all_out(struct rarog_threads *threads, rarog_threads_inside inside,
			const void *context)
{
	long n = 0;

	for (size_t i = threads->v.n; i-- > 0;) {
		int r = run_out(&threads->v.v[i], inside, context);

		if (r == -ESRCH)
			forget(threads, i);
		else if (r < 0)
			return r;
		else
			n += inside(context, threads->v.v[i].regs.rip);
	}
	return n;
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
			forget(threads, i);
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

/* Who has just made a step gets the SIGTRAP if we are killed; so first without steps, and with them
 * only while nothing comes of that signal. */
int rarog_threads_leave(struct rarog_threads *threads, rarog_threads_inside inside,
			const void *context)
{
	struct rarog_signal_action old;
	long n = run_all_out(threads, inside, context);
	int r, undone;

	if (threads->v.n == 0)
		return -ESRCH;
	if (n <= 0)
		return (int)n;
	r = set_trap(threads, NULL, &old);
	if (r < 0)
		return r;
	r = step_all_out(threads, inside, context);
	undone = threads->v.n > 0 ? set_trap(threads, &old, NULL) : -ESRCH;
	return r < 0 ? r : undone;
}

int rarog_threads_set_gs(struct rarog_threads *threads, uint64_t base)
{
	const size_t at = offsetof(struct user_regs_struct, gs_base);

	for (size_t i = 0; i < threads->v.n; i++) {
		struct rarog_thread *thread = &threads->v.v[i];

		if (ptrace(PTRACE_POKEUSER, thread->tid, at, base) < 0 && errno != ESRCH)
			return rarog_fail_errno("thread %d: cannot set registers",
						(int)thread->tid);
		thread->regs.gs_base = base;
	}
	return 0;
}
