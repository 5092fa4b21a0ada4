/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals sent to rarog while a program runs: kill(2) of rarog means the
 * program. What the terminal sends goes to the whole process group, so the program has it already.
 */
#ifndef RAROG_PROCESS_SIGNAL_FORWARDING_H
#define RAROG_PROCESS_SIGNAL_FORWARDING_H

#include <signal.h>
#include <sys/types.h>

/** struct rarog_forwarding - {0}: nothing has come */
struct rarog_forwarding {
	sigset_t came; /* that end a series of runs */
};

/** rarog_forwarding_signals() - all that would end rarog, without faults, and that of window sizes
 * and urgent data. To be blocked, and waited for. */
void rarog_forwarding_signals(sigset_t *ret_signals);

/** rarog_forwarding_take() - those of SIGHUP, SIGINT, SIGQUIT and SIGTERM that wait now; the next
 * ones come anew. */
void rarog_forwarding_take(sigset_t *ret_taken);

/** rarog_forwarding_hand_over() - what was taken while @program was held (rarog_launch()): it gets
 * it before it runs. There it has all blocked: one that it has got already stays one. */
void rarog_forwarding_hand_over(struct rarog_forwarding *forwarding, pid_t program,
				const sigset_t *taken);

/**
 * rarog_forwarding_pass() - what sigwaitinfo() said has come: pass it on to @program if that is
 * meant
 * @program: 0: it is over
 *
 * Only SIGHUP, SIGINT, SIGQUIT and SIGTERM, and nothing that the program or a process that it
 * started has sent: kill(0, ...) of theirs is their own affair.
 */
void rarog_forwarding_pass(struct rarog_forwarding *forwarding, pid_t program,
			   const siginfo_t *from);

/** rarog_forwarding_end() - what has come waits again, still blocked (base/signals.h), unless it is
 * in
 * @mask, which rarog was started with: its sender does not want the next run. */
void rarog_forwarding_end(struct rarog_forwarding *forwarding, const sigset_t *mask);

#endif
