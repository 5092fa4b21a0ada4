/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions of a function that reach counters, however they came by the address. */
#ifndef RAROG_BLOCKS_MACHINE_WALK_H
#define RAROG_BLOCKS_MACHINE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "binary/flow-graph.h"
#include "blocks/machine-values.h"

enum rarog_use_kind {
	RAROG_USE_ADD,  /* adds factor to the counter */
	RAROG_USE_SITE, /* adds 1 to the register that stands for it in a loop, */
	RAROG_USE_MARK, /* or stands where that would be … */
	RAROG_USE_SUM,  /* … and this adds the sum to it */
	RAROG_USE_READ, /* only reads it */
	RAROG_USE_ODD,  /* something else */
};

struct rarog_native_use {
	uint64_t counter; /* its address, in the file's numbering */
	uint32_t block;   /* of the graph */
	uint8_t kind;     /* enum rarog_use_kind */
	int32_t factor;
};

/* What the walk has to know and to tell. */
struct rarog_walk_notes {
	uint64_t first, end;     /* addresses of counters, in the file's numbering */
	uint64_t enter;          /* address of what asks for a thread's counters; 0: not known */
	rarog_held_owner *owner; /* whose counter is at an address: a number; and @of for it */
	const void *of;

	/* Both are called when all is known, in the order of blocks; 0 or -ENOMEM. */
	int (*use)(void *context, const struct rarog_native_use *use);
	/* Something that may be any counter of @owner (RAROG_HELD_ANY: of all) is used. */
	int (*lost)(void *context, uint32_t owner);
	void *context;
};

/**
 * rarog_native_walk() - all uses of counters in a function
 *
 * Registers and stack slots are followed along all ways of the graph. An address that gets out of
 * sight, and then is used or stored, is told as lost: so without a loss all uses are known.
 * Source: conditional constant propagation without conditions (Kildall 1973).
 *
 * Return: 0, -ENOMEM.
 */
int rarog_native_walk(const struct rarog_binary *binary, const struct rarog_code_graph *graph,
		      const struct rarog_walk_notes *notes);

#endif
