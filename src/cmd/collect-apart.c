/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process that is killed with SIGKILL cleans nothing up, and the kernel's way to let a traced
 * program go is not good enough for us: a system call that we have just interrupted ends with
 * EINTR, and our probes stay. So the process that people see and kill only waits. When it is gone,
 * the kernel sends the one that traces a SIGTERM (prctl(2), PR_SET_PDEATHSIG), which is what ends a
 * measurement in an orderly way. Its own session and name keep away what is meant for the group, or
 * for all that are called rarog.
 */
#include "cmd/collect-apart.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/signals.h"
#include "cmd/commands.h"

struct before {
	sigset_t mask;
	struct sigaction child; /* a process that ignores SIGCHLD is not told how a child ends */
};

static void prepare(struct before *before, sigset_t *ret_signals)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };

	sigprocmask(SIG_SETMASK, NULL, &before->mask);
	rarog_signals_hold(ret_signals);
	sigaddset(ret_signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, ret_signals, NULL);
	sigaction(SIGCHLD, &usual, &before->child);
}

static void undo(const struct before *before)
{
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

static void begin(pid_t front, const struct before *before)
{
	setsid();
	prctl(PR_SET_NAME, "rarog-tracer");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != front)
		_exit(RAROG_EXIT_RAROG);
	undo(before);
}

static int status_of(int wait_status, const sigset_t *signals, const struct before *before)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;

	undo(before);
	if (signal && sigismember(signals, signal) == 1) {
		sigaction(signal, &usual, NULL);
		raise(signal);
	}
	if (signal)
		return rarog_fail(-EINTR,
				  "the process that measured was killed by signal %d; nothing was "
				  "saved",
				  signal);
	return WEXITSTATUS(wait_status);
}

static int wait_for(pid_t child, const sigset_t *signals, const struct before *before)
{
	int wait_status = 0, signal;

	while (waitpid(child, &wait_status, WNOHANG) != child) {
		signal = sigwaitinfo(signals, NULL);
		if (signal > 0 && signal != SIGCHLD)
			kill(child, signal);
	}
	return status_of(wait_status, signals, before);
}

bool rarog_collect_apart(int *ret_status)
{
	struct before before;
	sigset_t signals;
	pid_t front = getpid(), child;

	prepare(&before, &signals);
	child = fork();
	if (child == 0)
		begin(front, &before);
	else if (child < 0)
		undo(&before);
	else
		*ret_status = wait_for(child, &signals, &before);
	return child <= 0;
}
