/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program in rarog's process group that does kill(0, SIGUSR1) would end rarog, so all such
 * signals are blocked. Only those are passed on by which people end or interrupt what they have
 * started. The kernel does not say whether one went to rarog alone or to its group: a sender of one
 * to both by kill(2) sends it to the program twice.
 */
#include "process/signal-forwarding.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/remote.h"
#include "process/task.h"

static const int passed[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

void rarog_forwarding_signals(sigset_t *ret_signals)
{
	static const int some[] = { SIGHUP,  SIGINT,    SIGQUIT,   SIGTERM,  SIGUSR1,
				    SIGUSR2, SIGALRM,   SIGVTALRM, SIGPROF,  SIGIO,
				    SIGPWR,  SIGSTKFLT, SIGABRT,   SIGWINCH, SIGURG };

	sigemptyset(ret_signals);
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		sigaddset(ret_signals, some[i]);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		sigaddset(ret_signals, i);
}

void rarog_forwarding_take(sigset_t *ret_taken)
{
	const struct timespec none = { 0 };

	sigemptyset(ret_taken);
	for (size_t i = 0; i < RAROG_COUNT(passed); i++) {
		sigset_t one;
		int signal;

		sigemptyset(&one);
		sigaddset(&one, passed[i]);
		while ((signal = sigtimedwait(&one, NULL, &none)) < 0 && errno == EINTR)
			;
		if (signal > 0)
			sigaddset(ret_taken, signal);
	}
}

void rarog_forwarding_hand_over(struct rarog_forwarding *forwarding, pid_t program,
				const sigset_t *taken)
{
	for (size_t i = 0; i < RAROG_COUNT(passed); i++)
		if (sigismember(taken, passed[i]) == 1) {
			sigaddset(&forwarding->came, passed[i]);
			kill(program, passed[i]);
		}
}

static bool is_passed(int signal)
{
	for (size_t i = 0; i < RAROG_COUNT(passed); i++)
		if (passed[i] == signal)
			return true;
	return false;
}

/* The program is our child. */
static bool descends_from_us(pid_t pid)
{
	while (pid > 1 && pid != getpid())
		pid = (pid_t)rarog_process_status(pid, "PPid:");
	return pid == getpid();
}

void rarog_forwarding_pass(struct rarog_forwarding *forwarding, pid_t program,
			   const siginfo_t *from)
{
	/* The kernel's own are above: the terminal's are the program's, too, but for the hang-up,
	 * of which only the leader of the session hears. */
	bool is_sent = from->si_code <= 0;
	bool is_hang_up = !is_sent && from->si_signo == SIGHUP && getsid(0) == getpid();

	if (!is_passed(from->si_signo) || (is_sent && descends_from_us(from->si_pid)))
		return;
	sigaddset(&forwarding->came, from->si_signo);
	if ((is_sent || is_hang_up) && program)
		kill(program, from->si_signo);
}

void rarog_forwarding_end(struct rarog_forwarding *forwarding, const sigset_t *mask)
{
	for (size_t i = 0; i < RAROG_COUNT(passed); i++)
		if (sigismember(&forwarding->came, passed[i]) == 1 &&
		    sigismember(mask, passed[i]) == 0)
			kill(getpid(), passed[i]);
	*forwarding = (struct rarog_forwarding){ 0 };
}
