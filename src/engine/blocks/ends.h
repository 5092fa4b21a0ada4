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

struct rarog_thread_end {
	uint32_t id;
	bool is_own;     /* the program's files tell of it; else: */
	uint32_t state;  /* RAROG_COUNTER_RUNS …, the most that any library's says */
	uint32_t closed; /* what it was in when it closed a library, or ended the process */
};

struct rarog_process_end {
	RAROG_VEC(struct rarog_thread_end) threads; /* each once */
	size_t n_files, n_ended;   /* of its binaries, and which say that it ended */
	size_t n_own, n_own_ended; /* of these the program's: one, or more if it executed itself */
	bool is_cut;               /* the program's files, or what was noted in others, say so */
	bool is_running;
};

/** rarog_process_end_add() - another file of it. 0; -ENOMEM with message. */
int rarog_process_end_add(struct rarog_process_end *end, const struct rarog_counters *counters);

/** rarog_process_end_is_whole() - is nothing missing? So it is taken to be while it runs. */
bool rarog_process_end_is_whole(const struct rarog_process_end *end);

void rarog_process_end_release(struct rarog_process_end *end);

#endif
