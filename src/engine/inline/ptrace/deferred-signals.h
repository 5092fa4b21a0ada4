/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that come in the middle of a probe wait until it is over. Their handlers may fork and
 * return, switch stacks, or read where they have come: none of that does harm then.
 */
#ifndef RAROG_ENGINE_INLINE_PTRACE_DEFERRED_SIGNALS_H
#define RAROG_ENGINE_INLINE_PTRACE_DEFERRED_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct rarog_deferred_signal {
	siginfo_t info;
	bool is_sent; /* once more, so that the thread stops for it */
};

struct rarog_deferred {
	pid_t tid, pid;
	pid_t inner_tid;   /* in its own name space */
	bool is_paused;    /* by a stop signal of the program's own */
	unsigned stops;    /* for signals, since one was delivered */
	uint64_t pointer;  /* to it, of the program's (%fs) */
	uint64_t since_ns; /* it has gone on; CLOCK_MONOTONIC */
	RAROG_VEC(struct rarog_deferred_signal) waiting;
};

/* Stands the thread in no probe, or was it brought to where it does? */
typedef bool rarog_deferred_is_clear(void *context, pid_t tid);

/** struct rarog_deferred_signals - {0} but for the first three: none is held */
struct rarog_deferred_signals {
	rarog_deferred_is_clear *is_clear;
	void *context;
	unsigned stops_most; /* for further signals, before one is delivered anywhere; 0: never */
	uint64_t n_held;     /* so far */
	RAROG_VEC(struct rarog_deferred) threads;
};

/**
 * rarog_deferred_signal() - thread @tid, which we trace, has stopped for @signal
 *
 * Return: the signal that it gets now, which may be one that came before; 0: none, it goes on
 * without, and gets it later.
 */
int rarog_deferred_signal(struct rarog_deferred_signals *holding, pid_t tid, int signal);

/**
 * rarog_deferred_keeps() - the same where the thread is being stopped for us anyway
 *
 * Return: does the signal wait? Those that came before do, too. Else it may be delivered.
 */
bool rarog_deferred_keeps(struct rarog_deferred_signals *holding, pid_t tid, int signal);

/**
 * rarog_deferred_stopped() - thread @tid has stopped, for no signal
 * @is_paused: and will not go on until the program gets SIGCONT
 *
 * Return: was it because of rarog_deferred_attend()?
 */
bool rarog_deferred_stopped(struct rarog_deferred_signals *holding, pid_t tid, bool is_paused);

/** rarog_deferred_is_watched() - is thread @tid to stop at its next system call? */
bool rarog_deferred_is_watched(const struct rarog_deferred_signals *holding, pid_t tid);

/** rarog_deferred_call() - it has, at its beginning or end. If it is the program's, it is made when
 * a signal that waits has come. */
void rarog_deferred_call(struct rarog_deferred_signals *holding, pid_t tid);

/** rarog_deferred_attend() - stop those threads that have had time to end their probe. */
void rarog_deferred_attend(struct rarog_deferred_signals *holding);

/** rarog_deferred_wants() - nanoseconds until rarog_deferred_attend() is to be called; 0: it need
 * not. */
long rarog_deferred_wants(const struct rarog_deferred_signals *holding);

/** rarog_deferred_threads() - those of which rarog_deferred_wants() speaks, at most @most: as they
 * call themselves, and their thread pointers. Return: how many. */
size_t rarog_deferred_threads(const struct rarog_deferred_signals *holding, size_t most,
			      uint32_t ret_tids[], uint64_t ret_pointers[]);

/** rarog_deferred_end() - @tid is no more. */
void rarog_deferred_end(struct rarog_deferred_signals *holding, pid_t tid);

/** rarog_deferred_release() - threads that still live get their deferred signals. */
void rarog_deferred_release(struct rarog_deferred_signals *holding);

#endif
