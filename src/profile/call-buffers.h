/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a strand's calls wait until there are enough for a block. Pieces of any size come in; full
 * blocks go to the press, each with the calls open at its start.
 */
#ifndef RAROG_PROFILE_CALL_BUFFERS_H
#define RAROG_PROFILE_CALL_BUFFERS_H

#include "profile/compressor.h"

struct rarog_call_buffer {
	struct rarog_compressor_calls calls; /* waiting; n = 0: nothing known about the strand */
	RAROG_VEC(uint32_t) stack;           /* open after the waiting calls */
	uint64_t end_ticks;                  /* the strand's clock after them */
};

struct rarog_call_buffers {
	RAROG_VEC(struct rarog_call_buffer) call_buffer; /* by strand */
	struct rarog_compressor_calls spare[4];          /* vectors to be used again */
	size_t held;                  /* events for which call buffers hold memory */
	int (*before)(void *context); /* called before a block goes to the press */
	void *context;
};

/** rarog_call_buffers_add() - append; what is full goes to @compressor. */
int rarog_call_buffers_add(struct rarog_call_buffers *call_buffers,
			   struct rarog_compressor *compressor, const struct rarog_calls *calls);

/** rarog_call_buffers_flush() - everything that waits goes to @compressor, by strand. */
int rarog_call_buffers_flush(struct rarog_call_buffers *call_buffers,
			     struct rarog_compressor *compressor);

void rarog_call_buffers_release(struct rarog_call_buffers *call_buffers);

#endif
