/* SPDX-License-Identifier: MIT */
/*
 * The file that the counters of a running program are: one for each process and each of its
 * binaries that has counters. Written by llvm/runtime, which is linked into the program; plain
 * numbers, for both sides.
 *
 *   0               struct rarog_counter_file
 *   4096            u32 owners[RAROG_COUNTER_AREAS], the thread that counts in each area, and
 *                   what it does (RAROG_COUNTER_STATE)
 *   8192            area 0, then the others: size bytes each, all counters of the binary
 */
#ifndef RAROG_BLOCKS_COUNTER_FILE_H
#define RAROG_BLOCKS_COUNTER_FILE_H

#include <stdint.h>

#define RAROG_COUNTER_MAGIC   "RAROGCNT"
#define RAROG_COUNTER_VERSION 2
#define RAROG_COUNTER_AREAS   1024
#define RAROG_COUNTER_OWNERS  4096 /* where they begin */
#define RAROG_COUNTER_BODY    8192
#define RAROG_COUNTER_PATH    3072
#define RAROG_COUNTER_BINARY  888

/* Names the folder for the files. Without it programs count, and nothing is read. If the last part
 * of the path is a number and "-…", that is the number of the registry; if it ends in "+" and a
 * number, so many filters of system calls are rarog's own, and taken to let counting through. */
#define RAROG_COUNTER_ENVIRONMENT "RAROG_BLOCKS_DIR"

/* A file in the folder: a process under another filter opens it, as the loader opens
 * libraries, and makes no call that the loader does not make. */
#define RAROG_COUNTER_FILTERED "filtered"

#define RAROG_REGISTRY_MAGIC "RAROGREG"

/*
 * Where those add themselves that cannot have a file: System V shared memory, which takes no inode,
 * room or descriptor, and is there for other users and roots, too. All may write to it.
 */
struct rarog_counter_registry {
	char magic[8];
	uint32_t n_without; /* programs and libraries, by process */
};

enum {
	RAROG_COUNTER_IS_SHARED = 1,  /* two threads, or processes, had to count in one area: counts
				       * may be lost */
	RAROG_COUNTER_LOST_CHILD = 2, /* of a forked child nothing is known */
	RAROG_COUNTER_LOST_END = 4,   /* a thread has ended, it is not known where */
	RAROG_COUNTER_JUMPED = 8,     /* out of a signal's handler: what that interrupted is lost */
	RAROG_COUNTER_CLOSED = 16,    /* ended_by has ended the process, or closed this library */
	RAROG_COUNTER_FORKED = 32,    /* of a child that goes on in its parent's program */
	RAROG_COUNTER_TELLS_THREADS = 64, /* n_begun is all that began, as far as it knows */
};

/*
 * Loops keep counts in registers, and functions in the middle of a block have not counted all of
 * it. Where a thread is at the end of its process tells whether something is missing: nothing if it
 * is in a call of which the counts do not assume that it returns. It says so in its owner's word
 * before such a call that may last or end, and takes it back after it.
 */
#define RAROG_COUNTER_THREAD UINT32_C(0x003fffff) /* its number; */
#define RAROG_COUNTER_STATE  UINT32_C(0x03000000) /* one of these: */
#define RAROG_COUNTER_RUNS   UINT32_C(0x00000000)
#define RAROG_COUNTER_WAITS  UINT32_C(0x01000000) /* in a call that comes back */
#define RAROG_COUNTER_ENDED  UINT32_C(0x02000000) /* in one that does not, or it is no more */
#define RAROG_COUNTER_CUT                                                                          \
	UINT32_C(0x03000000) /* the same in a signal's handler: what that                          \
			      * interrupted is not known */

/* Beside the state, of a thread that waits: it may be in clean-ups already, … */
#define RAROG_COUNTER_CANCELLED UINT32_C(0x00800000) /* cancelled; of runtimes of before */
#define RAROG_COUNTER_LEAVES    UINT32_C(0x00400000) /* since it has called pthread_exit() */

/* What compiled code says before and after calls: __rarog_note(). */
enum rarog_counter_note {
	RAROG_COUNTER_IS_BACK,
	RAROG_COUNTER_MAY_WAIT,
	RAROG_COUNTER_ENDS_PROCESS,
	RAROG_COUNTER_ENDS_THREAD,
	RAROG_COUNTER_JUMPS,
	RAROG_COUNTER_GOES_ON, /* although it said that it ends, or another one did in its place */
	RAROG_COUNTER_THROWS,  /* perhaps out of a handler, or in clean-ups of a thread that ends */
	RAROG_COUNTER_SHARES,  /* with a child of which the runtime does not know */
	RAROG_COUNTER_ABORTS,  /* if SIGABRT has no handler */
	RAROG_COUNTER_LEAVES_THREAD, /* but for its clean-ups */
};

/* No number of a system call: a library sets a filter of system calls, of which nothing is known.
 */
#define RAROG_COUNTER_SOME_FILTER (UINT64_C(1) << 63)

/* A word whose top bit is set is no sum: of several areas' the largest counts (trips-cells.h says
 * which). */
#define RAROG_COUNTER_EXTREME (UINT64_C(1) << 63)

struct rarog_counter_file {
	char magic[8];
	uint32_t version, pid, parent, flags;
	uint64_t start;   /* where the counters are in the process */
	uint64_t bias;    /* that less where the binary's file says */
	uint64_t size;    /* bytes of an area, whole pages */
	uint32_t n_areas; /* 1 and one for each of the most threads at a time */
	uint32_t id_size;
	uint8_t build_id[64];
	char path[RAROG_COUNTER_PATH];     /* of the program … */
	char binary[RAROG_COUNTER_BINARY]; /* … and of what has the counters; "": too long */
	uint32_t n_begun;                  /* threads that got an area since the file began */
	uint32_t reserved;
	uint32_t ended_by;  /* the thread that said that it ends the process; 0: none */
	uint32_t pid_space; /* inode of the name space that pid is of; 0: not known */
};

#endif
