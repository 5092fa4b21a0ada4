/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the compiler plug-in leaves in an object file for each function; see doc/design/blocks.md.
 */
#ifndef RAROG_BLOCKS_RECORD_H
#define RAROG_BLOCKS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocks/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RAROG_BLOCKS_VERSION 4

/* C identifiers, so that linkers define __start_ and __stop_ symbols. */
#define RAROG_BLOCKS_MAP      "rarog_map"
#define RAROG_BLOCKS_COUNTERS "rarog_counters"

/* Records that strip takes away: not loaded, and a name that makes it debug information. */
#define RAROG_BLOCKS_DEBUG_MAP ".debug.rarog"

/* Where the counters that are registers in loops count: pairs of addresses, u64 each, in the file's
 * numbering, of an instruction that adds 1 and of the counter. Stripped with debug information. */
#define RAROG_BLOCKS_SITES ".debug.rarog_sites"

/* Code of blocks as text (ir.h), if asked for; debug information, too. */
#define RAROG_BLOCKS_IR ".debug.rarog_ir"

enum rarog_blocks_placement {
	RAROG_BLOCKS_TREE,  /* complement of a spanning tree */
	RAROG_BLOCKS_EVERY, /* each block */
	RAROG_BLOCKS_BOTH,  /* tree, and after its counters one for each block: to compare them */
	RAROG_BLOCKS_PATTERNS, /* each block whose count does not follow from a pattern */
	RAROG_BLOCKS_N_PLACEMENTS
};

/* How threads share counters. */
enum rarog_blocks_threads {
	RAROG_BLOCKS_GS,      /* each has its own, at the distance that GS holds */
	RAROG_BLOCKS_ATOMIC,  /* one set, locked instructions */
	RAROG_BLOCKS_RELAXED, /* one set: what two threads count at once may be lost */
	RAROG_BLOCKS_SLOT,    /* each has its own, at the distance that its slot holds: libraries */
	RAROG_BLOCKS_N_THREADS
};

/*
 * A record, at any address, little-endian:
 *
 *   0  u32  size of the record
 *   4  i32  where the counters are, less the address of this field
 *   8  u8   version, u8 placement, u8 threads, u8 flags (bit 0: absolute,
 *           1: has loops)
 *  12  u64  only if absolute: where the counters are in the file's numbering; 0: the linker has
 *           dropped the function
 *           varints and texts
 *
 * Texts are their length and their bytes: the linker's name, the source file. Then the line, the
 * number of counters, the number of blocks, and for each block:
 *
 *   flags (bit 0: counted, 1: may be left for the outside, 2: returns, 3: a landing pad),
 * instructions, line of the first (zigzag, from the block before), its column, number of further
 * lines, each (zigzag, from the line before), number of successors, for each successor: 4 * its
 * number + 0 derived, 1 counted, 2 blind
 *
 * With flag 1 then the number of loops whose rounds are counted, and the header of each: a block,
 * less that of the loop before. Their cells (RAROG_TRIPS_CELLS for each) stand behind the counters.
 */
#define RAROG_RECORD_HEAD 12

enum {
	RAROG_RECORD_IS_COUNTED = 1,
	RAROG_RECORD_LEAVES = 2,
	RAROG_RECORD_RETURNS = 4, /* ends with a return, not with something that never comes back */
	RAROG_RECORD_IS_PAD = 8,  /* where an exception lands */
};

enum {
	RAROG_RECORD_IS_ABSOLUTE = 1,
	RAROG_RECORD_HAS_TRIPS = 2,
};

struct rarog_record_block {
	uint32_t flags;
	uint32_t instructions;
	uint32_t line, column;        /* 0: not known */
	uint32_t first_edge, n_edges; /* to its successors, in flow.edges */
	uint32_t first_line, n_lines; /* further ones that have code in it, in lines */
};

struct rarog_record {
	enum rarog_blocks_placement placement;
	enum rarog_blocks_threads threads;
	char *name, *file;
	uint32_t line;
	uint64_t counters;      /* their address in the file's own numbering; 0: not in the file */
	uint32_t n_counters;    /* of both placements */
	struct rarog_flow flow; /* placed */
	struct rarog_record_block *blocks; /* flow.n_blocks */
	uint32_t *lines, n_lines;
	uint32_t *loops, n_loops; /* headers of those whose rounds are counted, ascending */
};

/**
 * rarog_record_read() - one function from the section that the linker made of all
 * @bytes: what is left of the section; may be anything
 * @size: its length
 * @address: of @bytes
 * @ret_record: release it with rarog_record_release()
 *
 * Return: bytes read, or -EINVAL with a message if this is no record, -ENOTSUP if it is of another
 * version of rarog, or -ENOMEM.
 */
long rarog_record_read(const unsigned char *bytes, size_t size, uint64_t address,
		       struct rarog_record *ret_record);

void rarog_record_release(struct rarog_record *record);

/** rarog_record_cells() - how many 8-byte words of the counters' section are the function's. */
uint64_t rarog_record_cells(const struct rarog_record *record);

#ifdef __cplusplus
}
#endif
#endif
