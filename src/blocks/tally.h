/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile of blocks says, by function. */
#ifndef RAROG_BLOCKS_TALLY_H
#define RAROG_BLOCKS_TALLY_H

#include "base/cleanup.h"
#include "profile/reader.h"

/* Its blocks are tally.blocks[first … first + n), likewise its edges; block 0 is the entry. */
struct rarog_tally_function {
	uint32_t location;
	uint32_t first, n;
	uint32_t first_edge, n_edges;
	uint32_t n_executed; /* blocks that ran */
	uint64_t calls;
	uint64_t executions;   /* of its blocks */
	uint64_t instructions; /* that it executed itself, without what it called */
	/* Of the machine, the same: at least, at most; 0, UINT64_MAX: nothing is known. */
	uint64_t machine_least, machine_most;
	struct rarog_block_accesses accesses; /* of its blocks; .block means nothing */
	uint64_t ticks;                       /* in its blocks */
};

/* Arrays of the profile are borrowed. Edges stand in the order of the block they come from. */
struct rarog_tally {
	size_t n, n_blocks, n_edges;
	struct rarog_tally_function *functions;
	const struct rarog_block_count *blocks;
	const struct rarog_edge_count *edges;
	const struct rarog_block_line *lines; /* n_lines, in the order of their blocks */
	size_t n_lines;
	struct rarog_block_line *own_lines; /* .lines, or NULL: these are the profile's */
	bool *is_elsewhere; /* by block: it has code of another file; NULL: none has */
	const struct rarog_unrolled *unrolled; /* n_unrolled, by block; none: not known */
	size_t n_unrolled;
	const struct rarog_trips *trips;              /* n_trips, by block */
	const struct rarog_trip_bucket *trip_buckets; /* n_trip_bars, by block */
	size_t n_trips, n_trip_buckets;
	const struct rarog_block_origin *origins; /* n_origins, by block */
	const struct rarog_inline_frame *frames;
	size_t n_origins;
	const struct rarog_block_part *parts; /* n_parts, by block; of frames, or other files */
	size_t n_parts;
	const struct rarog_block_accesses *accesses; /* n_accesses, by block; none: not counted */
	size_t n_accesses;
	/* n_machine, of all functions; of code that was counted as it is (rewrite, vex) one for
	 * each block, in their order. */
	const struct rarog_machine_count *machine;
	size_t n_machine;
	const struct rarog_block_time *times; /* n_times, by block; none: not known */
	size_t n_times;
	size_t n_executed; /* blocks … */
	size_t n_called;   /* … and functions, that ran */
	uint64_t calls, executions, instructions, ticks;
};

/** rarog_tally_elsewhere() - where code of @block stands that is in no function that was inlined,
 * but in another file than its function; NULL: nowhere */
const struct rarog_block_part *rarog_tally_elsewhere(const struct rarog_tally *tally,
						     uint32_t block);

/** rarog_tally_has() - was @profile made by counting blocks? Also false if that is damaged. */
bool rarog_tally_has(struct rarog_profile *profile);

/**
 * rarog_tally_read() - of @profile, which outlives it
 *
 * Return: 0, also if there are no blocks; -EBADMSG, -ENOMEM, with message.
 */
int rarog_tally_read(struct rarog_profile *profile, struct rarog_tally *ret_tally);

/** rarog_tally_origin() - what the code of a block was inlined from; NULL: from nothing, as far as
 * is known. */
const struct rarog_block_origin *rarog_tally_origin(const struct rarog_tally *tally,
						    uint32_t block);

/** rarog_tally_accesses() - what a block did with memory; NULL: nothing, or that is not known. */
const struct rarog_block_accesses *rarog_tally_accesses(const struct rarog_tally *tally,
							uint32_t block);

/** rarog_tally_copies() - how often the compiler has unrolled the loop whose header is @block; 1:
 * it has not; 0: not known. */
uint32_t rarog_tally_copies(const struct rarog_tally *tally, uint32_t block);

/** rarog_tally_time() - the time in a block; NULL: it is not known. */
const struct rarog_block_time *rarog_tally_time(const struct rarog_tally *tally, uint32_t block);

void rarog_tally_release(struct rarog_tally *tally); /* fits rarog_cleanup() */

#endif
