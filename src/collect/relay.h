/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals sent to rarog while a program runs: who ends or interrupts rarog by one means the
 * program. Who sends them to a whole process group, as kill(0, …) does, has sent them to the
 * program already.
 */
#ifndef RAROG_COLLECT_RELAY_H
#define RAROG_COLLECT_RELAY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rarog_witness;

/** struct rarog_relay - {0}: passes nothing on */
struct rarog_relay {
	struct rarog_witness *witness;
	struct {
		bool is_on_its_way;
		pid_t sender;
		int code; /* si_code as it came */
	} sent[_NSIG];    /* the last that was passed on */
	struct {
		pid_t sender;
		uint64_t ns; /* CLOCK_MONOTONIC, 0: never */
	} group[_NSIG];      /* the last to the whole group */
};

/** rarog_relay_signals() - all that would end rarog, without faults, and that of window sizes and
 * urgent data. To be blocked, and waited for. */
void rarog_relay_signals(sigset_t *ret_signals);

/** rarog_relay_begin() - before the program is started, with the signals blocked; to be ended by
 * rarog_relay_end(). Where there cannot be a witness nothing is passed on. */
void rarog_relay_begin(struct rarog_relay *relay);
void rarog_relay_end(struct rarog_relay *relay);

/**
 * rarog_relay_wants() - is what sigwaitinfo() said to be passed on to the programs?
 *
 * Only SIGHUP, SIGINT, SIGQUIT and SIGTERM, and not what went to the whole group. To be asked once
 * for each that comes.
 */
bool rarog_relay_wants(struct rarog_relay *relay, const siginfo_t *from);

/** rarog_relay_send() - pass it on to @program, unless that has sent it. It is told who sent it;
 * si_code is SI_QUEUE where user space may not say otherwise. */
void rarog_relay_send(struct rarog_relay *relay, pid_t program, const siginfo_t *from);

/** rarog_relay_arrives() - thread @tid has stopped for a signal: if it is the one that was passed
 * on to @program it gets its si_code back. */
void rarog_relay_arrives(struct rarog_relay *relay, pid_t program, pid_t tid, int signal);

/** rarog_relay_drop() - forget those that came and were not waited for; still blocked. */
void rarog_relay_drop(void);

#endif
