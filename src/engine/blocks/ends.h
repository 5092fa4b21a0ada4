/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a process ended, from the files of its program and libraries: only where every thread is
 * known to have been in a call that may end, counts are known to be whole.
 */
#ifndef RAROG_ENGINE_BLOCKS_ENDS_H
#define RAROG_ENGINE_BLOCKS_ENDS_H

#include <stdbool.h>

#include "base/vec.h"
#include "blocks/counters.h"

enum rarog_end {
	RAROG_END_WHOLE,   /* nothing is missing; or it has not ended */
	RAROG_END_UNSAID,  /* by a signal, or by a call out of code that has no counters */
	RAROG_END_HANDLER, /* from a signal's handler, or one was left by a jump */
	RAROG_END_THREADS, /* while another thread ran, or may have run */
	RAROG_ENDS,
};

struct rarog_thread_end {
	uint32_t id;
	uint32_t state;  /* RAROG_COUNTER_RUNS …, the most that any file says */
	uint32_t own;    /* the least that the program's say */
	uint32_t closed; /* what it was in when it closed a library, or ended the process */
};

struct rarog_process_end {
	RAROG_VEC(struct rarog_thread_end) threads; /* each once */
	size_t n_files, n_ended;   /* of its binaries, and which say that it ended */
	size_t n_called;           /* of these, by a call */
	size_t n_own, n_own_ended; /* of these the program's: one, or more if it executed itself */
	uint32_t aborted_by; /* the thread that called abort(), for which SIGABRT had a handler */
	bool is_aborted;     /* set by who knows that SIGABRT has ended the process */
	bool has_jumped, lost_ends, is_running;
};

/** rarog_process_end_add() - another file of it. 0; -ENOMEM with message. */
int rarog_process_end_add(struct rarog_process_end *end, const struct rarog_counters *counters);

enum rarog_end rarog_process_end_judge(const struct rarog_process_end *end);

void rarog_process_end_release(struct rarog_process_end *end);

#endif
