/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A signal that is blocked and waited for arrives even if it is ignored (POSIX leaves that open,
 * Linux queues it), so who waits for it must look.
 */
#include "base/signals.h"

#include <stddef.h>

void rarog_signals_add(sigset_t *set, int n, const int signals[])
{
	struct sigaction now;

	for (int i = 0; i < n; i++)
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(set, signals[i]);
}
