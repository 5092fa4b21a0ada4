/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process is let go where it stops by itself, and so is the child whose birth it reports: after
 * its next fork or signal no tracer is between it and the kernel. PTRACE_INTERRUPT would be
 * sooner, but ends a sleeping system call with EINTR in kernels and calls that do not restart.
 */
#include <pthread.h>

#include "process/leave.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

#include "base/error.h"

/* What this thread traces only: @work may start programs of its own. */
#define LOOK (WNOHANG | __WALL | __WNOTHREAD)

struct job {
	int (*work)(void *context);
	void *context;
	int result;
	char message[512];
	pthread_t waiting; /* the thread that traces */
	bool is_done;
};

/* SIGCHLD, which that thread has blocked and waits for, ends its waiting. */
static void *run(void *argument)
{
	struct job *job = argument;

	job->result = job->work(job->context);
	if (job->result < 0)
		snprintf(job->message, sizeof(job->message), "%s", rarog_error_message());
	__atomic_store_n(&job->is_done, true, __ATOMIC_SEQ_CST);
	pthread_kill(job->waiting, SIGCHLD);
	return NULL;
}

static void let_go(pid_t pid, int status)
{
	/* a signal is on its way to the program; a system call (0x80) is none */
	int signal = status >> 16 || WSTOPSIG(status) & 0x80 ? 0 : WSTOPSIG(status);

	ptrace(PTRACE_DETACH, pid, NULL, (void *)(intptr_t)signal);
}

/* Return: is any left? */
static bool let_go_all(void)
{
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, LOOK, NULL)) > 0)
		if (WIFSTOPPED(status))
			let_go(pid, status);
	return pid == 0;
}

static void attend(struct job *job, const sigset_t *signals)
{
	const struct timespec moment = { .tv_nsec = 100000000 };

	while (!__atomic_load_n(&job->is_done, __ATOMIC_SEQ_CST)) {
		let_go_all();
		sigtimedwait(signals, NULL, &moment);
	}
}

int rarog_leave_during(int (*work)(void *context), void *context)
{
	struct job job = { .work = work, .context = context, .waiting = pthread_self() };
	sigset_t signals, old;
	pthread_t thread;

	if (!let_go_all())
		return work(context);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &signals, &old); /* the thread inherits that */
	if (pthread_create(&thread, NULL, run, &job) != 0) {
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		return work(context);
	}
	attend(&job, &signals);
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return job.result < 0 ? rarog_fail(job.result, "%s", job.message) : job.result;
}
