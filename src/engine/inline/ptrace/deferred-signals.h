/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that come in the midst of a probe wait until it is over. Their handlers may fork and
 * return, switch stacks, or read where they have come: none of that does harm then.
 */
#ifndef RAROG_ENGINE_INLINE_PTRACE_DEFERRED_SIGNALS_H
#define RAROG_ENGINE_INLINE_PTRACE_DEFERRED_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct rarog_held_signal {
	siginfo_t info;
	bool is_sent; /* once more, so that the thread stops for it */
};

struct rarog_held {
	pid_t tid, pid;
	pid_t inner_tid;   /* in its own name space */
	bool is_paused;    /* by a stop signal of the program's own */
	unsigned stops;    /* for signals, since one was delivered */
	uint64_t pointer;  /* to it, of the program's (%fs) */
	uint64_t since_ns; /* it has gone on; CLOCK_MONOTONIC */
	RAROG_VEC(struct rarog_held_signal) waiting;
};

/* Stands the thread in no probe, or was it brought to where it does? */
typedef bool rarog_held_is_clear(void *context, pid_t tid);

/** struct rarog_holding - {0} but for the first three: none is held */
struct rarog_holding {
	rarog_held_is_clear *is_clear;
	void *context;
	unsigned stops_most; /* for further signals, before one is delivered anywhere; 0: never */
	uint64_t n_held;     /* so far */
	RAROG_VEC(struct rarog_held) threads;
};

/**
 * rarog_held_signal() - thread @tid, which we trace, has stopped for @signal
 *
 * Return: the signal that it gets now, which may be one that came before; 0: none, it goes on
 * without, and gets it later.
 */
int rarog_held_signal(struct rarog_holding *holding, pid_t tid, int signal);

/**
 * rarog_held_keeps() - the same where the thread is being stopped for us anyway
 *
 * Return: does the signal wait? Those that came before do, too. Else it may be delivered.
 */
bool rarog_held_keeps(struct rarog_holding *holding, pid_t tid, int signal);

/**
 * rarog_held_stopped() - thread @tid has stopped, for no signal
 * @is_paused: and will not go on until the program gets SIGCONT
 *
 * Return: was it because of rarog_held_attend()?
 */
bool rarog_held_stopped(struct rarog_holding *holding, pid_t tid, bool is_paused);

/** rarog_held_is_watched() - is thread @tid to stop at its next system call? */
bool rarog_held_is_watched(const struct rarog_holding *holding, pid_t tid);

/** rarog_held_call() - it has, at its beginning or end. If it is the program's, it is made when a
 * signal that waits has come. */
void rarog_held_call(struct rarog_holding *holding, pid_t tid);

/** rarog_held_attend() - stop those threads that have had time to end their probe. */
void rarog_held_attend(struct rarog_holding *holding);

/** rarog_held_wants() - nanoseconds until rarog_held_attend() is to be called; 0: it need not. */
long rarog_held_wants(const struct rarog_holding *holding);

/** rarog_held_threads() - those of which rarog_held_wants() speaks, at most @most: as they call
 * themselves, and their thread pointers. Return: how many. */
size_t rarog_held_threads(const struct rarog_holding *holding, size_t most, uint32_t ret_tids[],
			  uint64_t ret_pointers[]);

/** rarog_held_end() - @tid is no more. */
void rarog_held_end(struct rarog_holding *holding, pid_t tid);

/** rarog_held_release() - who still lives gets what is held. */
void rarog_held_release(struct rarog_holding *holding);

#endif
