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

#define RAROG_BLOCKS_VERSION 6

/* C identifiers, so that linkers define __start_ and __stop_ symbols. */
#define RAROG_BLOCKS_MAP      "rarog_map"
#define RAROG_BLOCKS_COUNTERS "rarog_counters"

/* Records that strip takes away: not loaded, and a name that makes it debug information. */
#define RAROG_BLOCKS_DEBUG_MAP ".debug.rarog"

/* The texts that those records name, one piece for each object file. */
#define RAROG_BLOCKS_NAMES ".debug.rarog_names"

/* Where the counters that are registers in loops count: the address of an instruction that adds 1,
 * u64 in the file's numbering, and a varint: twice the number of the counter in its function, or 1
 * before the counter's address, u64. Stripped with debug information. */
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
 *   0  u32  size of the record, and the version << 24
 *   4  u32  absolute: where its texts begin in RAROG_BLOCKS_NAMES; else
 *      i32  where the counters are, less the address of this field
 *   8  u8   placement, threads << 2, absolute << 4, loops << 5, paths << 6
 *   9  u64  only if absolute: where the counters are in the file's numbering; 0: the linker has
 *           dropped the function
 *           else: the texts
 *           what rarog_record_code() has written; if there are probes, after its size
 *           (varint), and before them
 *
 * Texts are their size (u32) and what rarog_texts_code() has written.
 *
 * Probes are the number of loops whose rounds are counted, and the header of each: a block, less
 * that of the loop before. Their cells (RAROG_TRIPS_CELLS for each) stand after the counters.
 * Then the number of paths (path-number.h), 0: they are not counted. One cell more than paths
 * stands after those of the loops. Each only if the flags say so.
 */
#define RAROG_RECORD_HEAD 9
#define RAROG_RECORD_MOST (1u << 24) /* bytes of a record, less 1 */

enum {
	RAROG_RECORD_IS_COUNTED = 1,
	RAROG_RECORD_LEAVES = 2,
	RAROG_RECORD_RETURNS = 4, /* ends with a return, not with something that never comes back */
	RAROG_RECORD_IS_PAD = 8,  /* where an exception lands */
	RAROG_RECORD_STOPS = 16, /* a call in it may not return, and more of its code comes after */
};

#define RAROG_RECORD_IS_ABSOLUTE 16u /* in byte 8 */
#define RAROG_RECORD_HAS_TRIPS   32u
#define RAROG_RECORD_HAS_PATHS   64u
#define RAROG_RECORD_HAS_PROBES  (RAROG_RECORD_HAS_TRIPS | RAROG_RECORD_HAS_PATHS)
#define RAROG_RECORD_NONE        UINT32_MAX

/* A call that was inlined. */
struct rarog_record_frame {
	uint32_t parent;       /* that it is inside of, and stands before it; NONE: the function */
	uint32_t name, file;   /* texts: of the function that was called */
	uint32_t line, column; /* where, in the parent's file */
	uint32_t outermost;    /* the frame that it is inside of and that has no parent */
	uint32_t begins;       /* the line at which the function begins, in its file */
};

/* Of a line elsewhere. */
enum {
	RAROG_LINE_IS_MADE = 1, /* the block is a jump there that nobody wrote */
	RAROG_LINE_ENDS = 2,    /* the block ends with a decision there */
};

/* A line that a block has code of elsewhere. */
struct rarog_record_part {
	uint32_t frame; /* that the code is of; NONE: the function's own … */
	uint32_t file;  /* … in this one, a text */
	uint32_t line;
	uint32_t flags; /* RAROG_LINE_… */
};

struct rarog_texts;
struct rarog_name_pool;

struct rarog_record_block {
	uint32_t flags;
	uint32_t instructions;
	uint32_t line, column;        /* 0: not known */
	uint32_t first_edge, n_edges; /* to its successors, in flow.edges */
	/* further ones that have code in it, in lines; 0: some of it is of another file, and if the
	 * column is 0, too, its end is */
	uint32_t first_line, n_lines;
	uint32_t frame; /* that the code at line is of; NONE: the function's own … */
	uint32_t inner_line, inner_column; /* … else where it is in that one's file */
	uint32_t first_part, n_parts;
};

struct rarog_block_record {
	enum rarog_blocks_placement placement;
	enum rarog_blocks_threads threads;
	const struct rarog_texts *texts;
	const char *name, *file;       /* of these texts … */
	uint32_t name_text, file_text; /* … and their numbers */
	uint32_t line;
	uint64_t counters;      /* their address in the file's own numbering; 0: not in the file */
	uint32_t n_counters;    /* of both placements */
	struct rarog_flow flow; /* placed */
	struct rarog_record_block *blocks; /* flow.n_blocks */
	uint32_t *lines, n_lines;
	uint32_t *loops, n_loops; /* headers of those whose rounds are counted, ascending */
	bool has_paths;           /* they were asked for */
	uint64_t n_paths;         /* 0: they are not counted */
	struct rarog_record_frame *frames;
	uint32_t n_frames;
	struct rarog_record_part *parts;
	uint32_t n_parts;
};

/**
 * rarog_record_read() - one function from the section that the linker made of all
 * @bytes: what is left of the section; may be anything
 * @size: its length
 * @address: of @bytes
 * @pool: of the same file; the record's texts are the pool's
 * @ret_record: release it with rarog_record_release()
 *
 * Return: bytes read, or -EINVAL with a message if this is no record, -ENOTSUP if it is of another
 * version of rarog, or -ENOMEM.
 */
long rarog_record_read(const unsigned char *bytes, size_t size, uint64_t address,
		       struct rarog_name_pool *pool, struct rarog_block_record *ret_record);

void rarog_record_release(struct rarog_block_record *record);

/** rarog_record_paths() - the first of the words that count paths; path 0 is the second. */
uint64_t rarog_record_paths(const struct rarog_block_record *record);

/** rarog_record_cells() - how many 8-byte words of the counters' section are the function's. */
uint64_t rarog_record_cells(const struct rarog_block_record *record);

#ifdef __cplusplus
}
#endif
#endif
