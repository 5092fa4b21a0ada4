/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random functions that count, as a compiler might write them.
 *
 * A register or stack slot that lives from block to block has the same meaning on all ways to a
 * block, or none there; blocks get it ready for those that may come next. An address of one owner's
 * counter is used for that owner's only.
 */
#ifndef RAROG_TEST_RANDOM_CODE_H
#define RAROG_TEST_RANDOM_CODE_H

#include <stdint.h>

enum {
	COUNTERS = 16,
	OWN = 4, /* counters of each owner */
	BLOCKS = 10,
	WAYS = 4,
	HOMES = 20, /* registers, and stack slots */
	ARENA = 8192,
	TABLES = 4096,
};

enum meaning { JUNK, NUMBER, COUNTER, OWNED, DISTANCE };

/* An address is at bytes after the first counter; a thread's own is one more by its slot. */
struct content {
	enum meaning meaning;
	int at;
};

struct block {
	int end, n_ways, ways[WAYS];
	struct content homes[HOMES]; /* at its beginning */
	uint32_t first;              /* byte in the arena */
};

struct world {
	uint64_t seed;
	uint8_t *arena, *tables, *counters, *tally, *sink, *helper; /* in memory */
	int32_t slot;                                               /* from FS */
	struct block blocks[BLOCKS];
	int n_blocks;
	struct content homes[HOMES]; /* now */
	uint8_t code[ARENA];
	uint32_t n, table;      /* bytes written, entries */
	uint32_t jumps[BLOCKS]; /* where a block's displacement is; 0: it has none */
	int32_t entries[TABLES / 4];
};

uint32_t random_code_pick(struct world *w, uint32_t n);

/* Writes code and entries; every block begins with one more in its word of the tally. The function
 * takes its decisions from the bits of its argument. */
void random_code_make(struct world *w);

#endif
