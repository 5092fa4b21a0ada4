/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/inner-signals.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST 32 /* SIGCANCEL, SIGSETXID: below SIGRTMIN */
#define N     2

/* As the kernel has it. */
struct action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static struct action found[N];

void rarog_inner_signals_note(void)
{
	for (int i = 0; i < N; i++)
		syscall(SYS_rt_sigaction, FIRST + i, NULL, &found[i], sizeof(found[i].mask));
}

void rarog_inner_signals_restore(void)
{
	for (int i = 0; i < N; i++)
		if (found[i].handler == SIG_IGN)
			syscall(SYS_rt_sigaction, FIRST + i, &found[i], NULL,
				sizeof(found[i].mask));
}
