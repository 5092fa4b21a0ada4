/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals sent to rarog while a program runs: who sends them means the program. Who sends them to
 * a whole process group, as kill(0, …) does, has sent them to the program already.
 */
#ifndef RAROG_COLLECT_RELAY_H
#define RAROG_COLLECT_RELAY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** struct rarog_relay - what the program got by itself, for those who see it; {0}: nothing */
struct rarog_relay {
	struct {
		pid_t sender;
		uint64_t ns; /* CLOCK_MONOTONIC, 0: never, or passed on since */
	} seen[_NSIG];
};

/** rarog_relay_signals() - those that are passed on: all that would end rarog, without faults, and
 * that of window sizes and urgent data. To be blocked, and waited for. */
void rarog_relay_signals(sigset_t *ret_signals);

/**
 * rarog_relay_send() - pass on to @program what sigwaitinfo() said
 * @traced: rarog_relay_arrives() is asked before the program gets it
 *
 * Not what @program has sent to its group, nor Ctrl-C of a terminal, which sends to all: without
 * @traced neither SIGINT nor SIGQUIT of others. With it @program is told who sent it, and how.
 */
void rarog_relay_send(pid_t program, const siginfo_t *from, bool traced);

/**
 * rarog_relay_arrives() - a signal is on its way to a thread
 * @program: that signals are passed on to
 * @tid: the thread, of it or of another, that has stopped for that
 *
 * Return: whether it is to be let through; false: it is one of ours, and the program had it from
 * the same sender within the last second, and only once for each.
 */
bool rarog_relay_arrives(struct rarog_relay *relay, pid_t program, pid_t tid, int signal);

/** rarog_relay_drop() - forget those that came and were not waited for; still blocked. */
void rarog_relay_drop(void);

#endif
