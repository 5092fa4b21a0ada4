/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that the Valgrind tool counts into, one for each process (doc/design/vex.md has the
 * layout). It is mapped by the process, so what was counted survives however that ends; the reader
 * closes the calls that were open. Numbers only: both sides include this.
 *
 * The file is a row of chunks, each with a head of 64 bytes. Addresses are those of the process.
 */
#ifndef RAROG_VEX_RECORD_H
#define RAROG_VEX_RECORD_H

#include <stdint.h>

#include "agent/value-set.h"

#define RAROG_VEX_MAGIC   UINT32_C(0x58455652) /* "RVEX" */
#define RAROG_VEX_VERSION 4

enum rarog_vex_kind {
	RAROG_VEX_HEAD = 1,  /* struct rarog_vex_head, the first chunk */
	RAROG_VEX_OBJECTS,   /* struct rarog_vex_object */
	RAROG_VEX_FUNCTIONS, /* struct rarog_vex_function */
	RAROG_VEX_BLOCKS,    /* struct rarog_vex_block */
	RAROG_VEX_NODES,     /* struct rarog_vex_node, an array */
	RAROG_VEX_STRANDS,   /* struct rarog_vex_strand, an array */
	RAROG_VEX_FRAMES,    /* struct rarog_vex_frame, an array; those of strand .owner */
	RAROG_VEX_ACCESSES,  /* struct rarog_vex_access */
	RAROG_VEX_CALLS,     /* struct rarog_vex_call */
};

/* Begins each chunk. */
struct rarog_vex_chunk {
	uint32_t magic, kind;
	uint64_t size;  /* bytes, this head included: the next chunk begins after them */
	uint64_t used;  /* bytes of records after this head */
	uint64_t first; /* arrays: index of the first record */
	uint64_t rest[4];
};

/*
 * The strand that runs. It lies in the head because generated code adds to it directly; what its
 * row in the table says is older.
 */
struct rarog_vex_hot {
	uint64_t instructions; /* of this strand … */
	uint64_t branches;  /* … and those that went, or might have gone, elsewhere; counted where
			     * values of calls are wanted */
	uint64_t top_slot;  /* where the return address of the innermost call is; ~0: no call */
	uint64_t called;    /* where the last call of unknown target went */
	uint64_t low, size; /* its stack */
	uint32_t depth, strand;
};

struct rarog_vex_head {
	uint32_t version, pid, parent;
	uint32_t has_lost; /* no room for files: something was counted elsewhere, and is lost */
	uint64_t folded;   /* calls whose context got no node */
	uint64_t unkept;   /* calls whose values found no room */
	struct rarog_vex_hot hot;
	char command[2048]; /* "program arg arg" */
};

/* A mapped program or library. */
struct rarog_vex_object {
	uint32_t length, id; /* of the whole record, a multiple of 8; ids from 1 */
	uint64_t bias;       /* address in the process less address in the file */
	char path[];
};

/* Something that is called: begins at @address. */
struct rarog_vex_function {
	uint32_t length, id; /* ids from 1 */
	uint64_t address;
	uint64_t calls;
	uint32_t object; /* 0: code that no file has */
	uint32_t rest;
	char name[]; /* "" where there is no symbol */
};

/* Instructions that are executed one after another, from the first to the last or not at all. Two
 * may overlap: what both contain ran as often as both together. */
struct rarog_vex_block {
	uint32_t length, object;
	uint64_t count;
	uint64_t address;
	uint32_t n;        /* instructions */
	uint32_t id;       /* from 1 */
	uint32_t accesses; /* a sum over those of its instructions, to tell code that was changed */
	uint64_t next;     /* if it ends at a condition: where control went on … */
	uint64_t went_on; /* … so often, if that was not met or met; the rest went the other way */
	uint8_t sizes[];
};

/* What an instruction does with memory: each time that its block is executed, or as often as it
 * was seen to do so. It may have several such records. */
struct rarog_vex_access {
	uint32_t length, object;
	uint64_t count; /* if it is of no block */
	uint64_t address;
	uint32_t block; /* its id; 0: of none */
	uint32_t loads, stores;
	uint32_t load_bytes, store_bytes;
	uint32_t rest;
};

/* The context tree: node 0 is the root. */
struct rarog_vex_node {
	uint64_t count;     /* calls */
	uint64_t inclusive; /* instructions of the calls that have ended */
	uint64_t unwound;   /* calls that ended without returning */
	uint32_t parent, function;
	uint32_t child; /* the one called last, 0: none */
	uint32_t rest;
};

struct rarog_vex_strand {
	uint64_t instructions, branches;
	uint64_t low, size; /* its stack; 0: not known */
	uint32_t depth, tid;
	uint32_t frames; /* which of the chunks of frames with its number is valid: its .first */
	uint32_t is_free;
};

struct rarog_vex_frame {
	uint64_t slot;     /* where the return address is */
	uint64_t start;    /* instructions of the strand before the call … */
	uint64_t branched; /* … and branches */
	uint32_t node;
	uint32_t is_folded; /* the node is the caller's */
	uint64_t call;      /* the process's address of its record; 0: there is none */
};

/* A call of which values were asked for, in the order in which those of a strand began. */
struct rarog_vex_call {
	uint32_t length, function;
	uint32_t strand, tid;
	uint16_t n_enter, n_leave;
	uint16_t unknown_enter, unknown_leave; /* bits of values that could not be read */
	uint32_t has_ended, is_over;
	uint64_t instructions, branches; /* if it has ended */
	uint64_t set,
		outer; /* the process's own: what is asked for; a call that went on in this one */
	uint64_t values[]; /* those at the entry, then those at the return */
};

/* What the tool is asked for, in a file: functions by address in the file @path. */
struct rarog_vex_request {
	uint64_t address;
	struct rarog_value_set set;
};

struct rarog_vex_requests {
	uint32_t n, rest;
	char path[4096];
	struct rarog_vex_request all[];
};

#endif
