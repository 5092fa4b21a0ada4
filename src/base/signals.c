/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A signal that is blocked and waited for arrives even if it is ignored (POSIX leaves that open,
 * Linux queues it), so a waiter must look.
 */
#include "base/signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "base/cleanup.h"

static void find_ends(sigset_t *ret_ends)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction now;

	sigemptyset(ret_ends);
	for (size_t i = 0; i < RAROG_COUNT(ends); i++)
		if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(ret_ends, ends[i]);
}

void rarog_signals_hold(sigset_t *ret_signals)
{
	find_ends(ret_signals);
	sigprocmask(SIG_BLOCK, ret_signals, NULL);
}

bool rarog_signals_have_come(void)
{
	sigset_t ends, waiting;

	find_ends(&ends);
	sigpending(&waiting);
	sigandset(&waiting, &waiting, &ends);
	return !sigisemptyset(&waiting);
}

int rarog_signals_release(const sigset_t *mask)
{
	const struct timespec none = { 0 };
	sigset_t ends, held;
	int signal, end = 0;

	find_ends(&ends);
	sigprocmask(SIG_SETMASK, NULL, &held);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigismember(mask, i) == 1)
			sigdelset(&held, i);
	while ((signal = sigtimedwait(&held, NULL, &none)) > 0 || errno == EINTR)
		if (signal > 0 && sigismember(&ends, signal) == 1)
			end = signal;
	if (!end)
		sigprocmask(SIG_SETMASK, mask, NULL);
	return end;
}
