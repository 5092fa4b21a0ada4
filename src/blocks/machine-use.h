/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which instructions of a function use its counters. */
#ifndef RAROG_BLOCKS_MACHINE_USE_H
#define RAROG_BLOCKS_MACHINE_USE_H

#include "base/vec.h"
#include "binary/flow-graph.h"
#include "blocks/map.h"

enum rarog_use_kind {
	RAROG_USE_ADD,  /* adds factor to it */
	RAROG_USE_SITE, /* adds 1 to the register that stands for it in a loop … */
	RAROG_USE_SUM,  /* … which is added to it here */
	RAROG_USE_LOAD, /* without optimisation: reads it, to write it back with 1 more */
	RAROG_USE_ODD,  /* something else */
};

struct rarog_native_use {
	uint32_t counter; /* of the function's */
	uint32_t block;   /* of the graph */
	enum rarog_use_kind kind;
	int32_t factor;
};

struct rarog_native_uses {
	RAROG_VEC(struct rarog_native_use) list; /* by counter */
	uint32_t *counting;                      /* by block: how many of its instructions count */
};

/** rarog_native_uses_find() - 0, -ENOMEM. */
int rarog_native_uses_find(const struct rarog_binary *binary, const struct rarog_map *map,
			   const struct rarog_record *record, const struct rarog_code_graph *graph,
			   struct rarog_native_uses *ret_uses);
void rarog_native_uses_release(struct rarog_native_uses *uses); /* fits rarog_cleanup() */

#endif
