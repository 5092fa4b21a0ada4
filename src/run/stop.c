/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/stop.h"

#include <signal.h>
#include <stddef.h>

#include "base/cleanup.h"

static volatile sig_atomic_t came;

static void note(int signal)
{
	if (!came)
		came = signal;
}

void rarog_stop_watch(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction action = { .sa_handler = note }, old;

	for (size_t i = 0; i < RAROG_COUNT(signals); i++) {
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN) /* nohup */
			sigaction(signals[i], &action, NULL);
	}
}

int rarog_stop_signal(void)
{
	return came;
}
