/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals sent to rarog while a program runs: who ends or interrupts rarog by one means the
 * program. Who sends them to a whole process group, as kill(0, …) does, has sent them to the
 * program already. What came too late for the program is for rarog.
 */
#ifndef RAROG_PROCESS_SIGNAL_FORWARDING_H
#define RAROG_PROCESS_SIGNAL_FORWARDING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rarog_witness;

#define RAROG_RELAY_MOST 4 /* signals that may be passed on */

/** struct rarog_relay - {0}: passes nothing on */
struct rarog_relay {
	struct rarog_witness *witness;
	sigset_t mask; /* that rarog was started with */
	struct {
		bool is_on_its_way;
		pid_t sender;
		int code; /* si_code as it came */
	} sent[_NSIG];    /* the last that was passed on */
	struct {
		pid_t sender;
		uint64_t ns; /* CLOCK_MONOTONIC, 0: never */
	} group[_NSIG];      /* the last to the whole group */
	struct {
		bool has_come;
		uint64_t living_ns; /* when the program was living after that; 0: it was not */
	} met[_NSIG];               /* the last that the program was to get */
	bool is_timed_out, is_over; /* the program */
	sigset_t too_late;          /* that it did not get */
};

/** rarog_relay_signals() - all that would end rarog, without faults, and that of window sizes and
 * urgent data. To be blocked, and waited for. */
void rarog_relay_signals(sigset_t *ret_signals);

/** rarog_relay_begin() - before the program is launched, with the signals blocked; to be ended by
 * rarog_relay_end(). @mask: that rarog was started with. Where there cannot be a witness nothing is
 * passed on. */
void rarog_relay_begin(struct rarog_relay *relay, const sigset_t *mask);

/** rarog_relay_end() - signals that the program did not get wait again, still blocked
 * (base/signals.h), unless they were blocked when rarog was started. */
void rarog_relay_end(struct rarog_relay *relay);

/** rarog_relay_take() - of the signals that may be passed on, those that wait now; their number.
 * Once each: whoever sends on and on holds nobody up. */
size_t rarog_relay_take(siginfo_t ret_infos[RAROG_RELAY_MOST]);

/**
 * rarog_relay_pass() - what sigwaitinfo() said has come: pass it on to @program if that is meant
 *
 * Only SIGHUP, SIGINT, SIGQUIT and SIGTERM, and neither what went to the whole group nor what
 * @program has sent. It is told who sent it; si_code is SI_QUEUE where user space may not say
 * otherwise. To be called once for each that comes.
 */
void rarog_relay_pass(struct rarog_relay *relay, pid_t program, const siginfo_t *from);

/** rarog_relay_hand_over() - the same for @program while it is held (rarog_launch()): it gets what
 * came before, and what went to the group before it was there. */
void rarog_relay_hand_over(struct rarog_relay *relay, pid_t program, const siginfo_t *from);

/** rarog_relay_arrives() - thread @tid has stopped for a signal: if it is the one that was passed
 * on to @program it gets its si_code back. */
void rarog_relay_arrives(struct rarog_relay *relay, pid_t program, pid_t tid, int signal);

/** rarog_relay_time_out() - the program is being ended: what comes from here on it still gets, but
 * it is no matter to it any more, and as what comes too late. */
void rarog_relay_time_out(struct rarog_relay *relay);

/** rarog_relay_settle() - @program is over, and will be waited for behind this; all that waited has
 * been taken and passed. What comes from here on comes too late. */
void rarog_relay_settle(struct rarog_relay *relay, pid_t program);

#endif
