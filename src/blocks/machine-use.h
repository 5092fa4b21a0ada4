/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which instructions of a binary use which counters. */
#ifndef RAROG_BLOCKS_MACHINE_USE_H
#define RAROG_BLOCKS_MACHINE_USE_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "binary/flow-graph.h"
#include "blocks/machine-walk.h"
#include "blocks/map.h"

/* How the counter's value follows from what instructions of one function ran. */
enum rarog_use_rule {
	RAROG_RULE_NONE,  /* it cannot be told */
	RAROG_RULE_SUM,   /* it is the sum of executions of those that add to it */
	RAROG_RULE_BOUND, /* they ran at most so often: others add to it, too */
};

/* Of all functions of a binary. */
struct rarog_native_uses;

/** rarog_native_uses_new() - @binary, @graphs and @map outlive it; @may_leave as for the graphs
 * that blocks are numbered in. 0, -ENOMEM with message. */
int rarog_native_uses_new(const struct rarog_binary *binary, const struct rarog_code_graphs *graphs,
			  const struct rarog_map *map, bool may_leave,
			  struct rarog_native_uses **ret_uses);
void rarog_native_uses_free(struct rarog_native_uses *uses);
RAROG_DEFINE_FREEP(rarog_native_uses);

/** rarog_native_uses_of() - those of a function, by counter and block; borrowed. */
const struct rarog_native_use *rarog_native_uses_of(const struct rarog_native_uses *uses,
						    size_t function, size_t *ret_n);

/** rarog_native_uses_rule() - for the counter at an address. */
enum rarog_use_rule rarog_native_uses_rule(const struct rarog_native_uses *uses, uint64_t counter);

#endif
