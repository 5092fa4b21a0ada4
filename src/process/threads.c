/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * New threads are found by listing: when all that are known have stopped and the list shows no
 * other, there is none left to make one.
 */
#include "process/threads.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "process/remote.h"
#include "process/task.h"
#include "process/thread.h"

#define STUCK_AFTER_NS 20000000 /* a thread in uninterruptible sleep */

static struct rarog_thread *find(struct rarog_threads *threads, pid_t tid)
{
	for (size_t i = 0; i < threads->v.n; i++)
		if (threads->v.v[i].tid == tid)
			return &threads->v.v[i];
	return NULL;
}

void rarog_threads_forget(struct rarog_threads *threads, size_t i)
{
	pid_t tid = threads->v.v[i].tid;

	threads->v.v[i] = threads->v.v[--threads->v.n];
	if (tid == threads->anyone && threads->v.n > 0)
		threads->anyone = threads->v.v[0].tid;
}

/* Return: 1 a new thread, that will stop; 0 none. */
static int meet(struct rarog_threads *threads, pid_t tid)
{
	int r;

	if (find(threads, tid) || (tid == threads->pid && rarog_thread_is_dead(tid)))
		return 0;
	r = ptrace(PTRACE_SEIZE, tid, NULL, (void *)(intptr_t)PTRACE_O_TRACESYSGOOD) < 0 ? -errno
											 : 0;
	if (r < 0 && rarog_process_status(tid, "TracerPid:") != getpid())
		return r == -ESRCH || rarog_thread_is_dead(tid) ? 0 : r;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0)
		return 0;
	if (rarog_vec_push(&threads->v,
			   (struct rarog_thread){ .tid = tid, .guard = threads->guard }) < 0)
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
		int r = thread->status ? 0 : rarog_thread_look(thread);

		running += r == 1;
		if (r != -ESRCH)
			continue;
		if (thread->tid == threads->pid) {
			threads->end_status = thread->status;
			threads->end_usage = thread->usage;
		}
		rarog_threads_forget(threads, i);
	}
	return running;
}

/* Do all that have not stopped sleep in a way that only what they wait for ends? */
static bool are_stuck(const struct rarog_threads *threads)
{
	for (size_t i = 0; i < threads->v.n; i++)
		if (threads->v.v[i].status == 0 && rarog_thread_state(threads->v.v[i].tid) != 'D')
			return false;
	return true;
}

static void forget_first_if_dead(struct rarog_threads *threads, const struct rarog_timeout *p)
{
	struct rarog_thread *first = find(threads, threads->pid);

	if (first && first->status == 0 && threads->v.n > 1 &&
	    rarog_thread_is_silent(first->tid, p))
		rarog_threads_forget(threads, (size_t)(first - threads->v.v));
}

/* A stop is dealt with at once: an interrupted call that we have not seen to yet would end early
 * if we were killed. */
static int await_all(struct rarog_threads *threads, size_t first)
{
	struct rarog_timeout timeout = { 0 };

	while (look(threads, first) > 0) {
		if (rarog_timeout_wait(&timeout) < 0 ||
		    (rarog_timeout_spent_ns(&timeout) > STUCK_AFTER_NS && are_stuck(threads)))
			return -EBUSY;
		forget_first_if_dead(threads, &timeout);
	}
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
	threads->anyone = find(threads, threads->pid) ? threads->pid : threads->v.v[0].tid;
	return is_exec(threads) ? RAROG_THREADS_EXEC : 0;
}

int rarog_threads_stop(pid_t pid, const struct rarog_signal_guard *guard,
		       struct rarog_threads *ret_threads)
{
	int r;

	*ret_threads = (struct rarog_threads){
		.pid = pid,
		.guard = guard,
		.anyone = pid,
		.end_status = -1,
		.stopped_ns = rarog_now_ns(),
	};
	r = stop_all(ret_threads);
	if (r < 0 && r != -EBUSY)
		await_all(ret_threads, 0); /* only a stopped one can be let go */
	return r;
}

/* Has a thread stopped, or ended, in a way that we have not dealt with yet? */
static bool has_news(pid_t tid)
{
	siginfo_t info = { 0 };
	int r = waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL);

	return r < 0 ? errno != EINTR : info.si_pid != 0;
}

int rarog_threads_await(const struct rarog_threads *threads, uint64_t limit_ns)
{
	const struct timespec moment = { .tv_nsec = 500000 };
	uint64_t start = rarog_now_ns();

	for (;;) {
		for (size_t i = 0; i < threads->v.n; i++)
			if (threads->v.v[i].status == 0 && has_news(threads->v.v[i].tid))
				return 0;
		if (rarog_now_ns() - start >= limit_ns)
			return -EBUSY;
		nanosleep(&moment, NULL);
	}
}

static void resume(struct rarog_thread *thread, long options)
{
	ptrace(PTRACE_SETOPTIONS, thread->tid, NULL, options);
	if (rarog_thread_is_group_stop(thread->status))
		ptrace(PTRACE_LISTEN, thread->tid, NULL, NULL);
	else if (thread->is_paused) /* it went on for us only: back to where SIGSTOP holds it */
		rarog_thread_interrupt(thread->tid, rarog_thread_signal(thread));
	else
		ptrace(PTRACE_CONT, thread->tid, NULL,
		       (void *)(intptr_t)rarog_thread_signal(thread));
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
		       (void *)(intptr_t)rarog_thread_signal(&threads->v.v[i]));
}

void rarog_threads_release(struct rarog_threads *threads)
{
	while (threads->v.n > 0)
		rarog_threads_forget(threads, threads->v.n - 1);
	rarog_vec_release(&threads->v);
}

int rarog_threads_deliver(struct rarog_thread *thread)
{
	return rarog_thread_signal(thread)
		       ? rarog_thread_deliver(thread, rarog_thread_signal(thread))
		       : 0;
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
