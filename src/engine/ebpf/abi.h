/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the programs in the kernel and rarog agree on: plain numbers and structs, for both sides. */
#ifndef RAROG_ENGINE_EBPF_ABI_H
#define RAROG_ENGINE_EBPF_ABI_H

#include "agent/gate.h"
#include "agent/mark-set.h"
#include "agent/value-set.h"
#include "engine/probed/event.h" /* the ring has these */

#define RAROG_EBPF_RING_BYTES    (64 << 20)
#define RAROG_EBPF_NOTES_BYTES   (1 << 20) /* of a ring that gets no calls */
#define RAROG_EBPF_PROCESSES_MAX 32768     /* at one time */
#define RAROG_EBPF_PIDS_MAX      (1 << 22) /* PID_MAX_LIMIT of the kernel */
#define RAROG_EBPF_SUMS_MAX      (1 << 18) /* functions of threads */
#define RAROG_EBPF_NODES_MAX     (1 << 18) /* contexts, and room for each */
#define RAROG_EBPF_BUCKETS_MAX   (1 << 19)
#define RAROG_EBPF_FRAMES        504 /* open calls of a thread that are summed up */
#define RAROG_EBPF_RETURNS_MAX   64  /* that kernels follow: RAROG_PROBED_DEPTH_MAX */

/* Values of the map "processes": what is known of a process of the run. */
#define RAROG_EBPF_WAITING   1 /* to be started by rarog: its execve() is still to come */
#define RAROG_EBPF_FOLLOWED  2
#define RAROG_EBPF_EVERYBODY 3 /* of process 0, which is none: others may join just now */

/* Constant while the programs are there. */
struct rarog_ebpf_config {
	unsigned int follow; /* children, too */
	unsigned int skips;  /* some functions have not every call recorded, or may not later */
	unsigned int copies_texts; /* the kernel has bpf_copy_from_user_str() */
	unsigned int owned;        /* only programs that have no other rights than these: */
	unsigned int uid, gid;
	unsigned int everybody;   /* processes join that run the file … */
	unsigned int device;      /* … as the kernel numbers it, and … */
	unsigned long long inode; /* 0: not known, they join at their first probe */
};

/* Of a probe's function, or the name of a mark. */
struct rarog_ebpf_function {
	unsigned int every;  /* word of its gate, as agent/gate.h has them; written while it runs */
	unsigned int values; /* number of its set in "value_sets", from 1 on; 0: none */
};

/* Calls of a function by a thread, if not every one is recorded. */
struct rarog_ebpf_skip {
	unsigned long long left;    /* how many are left out until the next one that is recorded */
	unsigned long long skipped; /* that were not */
};

/* A mark whose values are captured. */
struct rarog_ebpf_mark {
	unsigned int number, pad; /* of its name */
	struct rarog_mark_set set;
};

/* A key of two numbers. */
struct rarog_ebpf_pair {
	unsigned int first, second;
};

/* Sums over the calls of a function by a thread; as struct rarog_stats up to square_high. */
struct rarog_ebpf_sum {
	unsigned long long count, sum, total, exclusive;
	unsigned long long min_complement, max;
	unsigned long long square_low, square_high;
	unsigned long long open, unwound;
	unsigned long long untimed; /* calls that are not in count: too deep */
	unsigned int active, pad;   /* open now */
};

/* A context: that of the thread's outermost calls is number 0. */
struct rarog_ebpf_node {
	unsigned int parent;
	unsigned int function; /* plus 1; 0: the number was not used */
	unsigned long long count, exclusive;
	unsigned long long hint; /* child that was found last << 32 | its function + 1 */
};

/* Indices of the map "numbers": the last that was given. */
#define RAROG_EBPF_NUMBER_STRANDS 0
#define RAROG_EBPF_NUMBER_NODES   1
#define RAROG_EBPF_NUMBERS        2

/* Indices of the map "lost": what did not fit into the ring, or into "processes". */
#define RAROG_EBPF_LOST_CALLS     0 /* with their ends */
#define RAROG_EBPF_LOST_ENDS      1 /* of calls that are recorded */
#define RAROG_EBPF_LOST_PROCESSES 2
#define RAROG_EBPF_LOST_NOTES     3 /* of starts and ends of processes */
#define RAROG_EBPF_LOST_MARKS     4
#define RAROG_EBPF_LOST_SUMS      5 /* calls for whose sums there was no memory */
#define RAROG_EBPF_LOST_RETURNS   6 /* of calls that are too deep, summed up in the kernel */
#define RAROG_EBPF_LOST_CONTEXTS  7 /* calls whose context has no node */
#define RAROG_EBPF_LOST_BUCKETS   8 /* durations that are in no histogram */
#define RAROG_EBPF_LOST_FOREIGN   9 /* programs with other rights, see .owned */
#define RAROG_EBPF_LOST_FAULTS    10
#define RAROG_EBPF_LOST_KINDS     11

/*
 * A probe's cookie is its number. That of a mark has more:
 *
 *	63 … 36 signed distance | 35 … 34 kind less RAROG_PROBED_POINT | 33 from rbp | 32 values |
 *	31 … 0 number
 *
 * The function's return address is that far from rsp, or rbp. With values the number is that of a
 * place in the map "marks", where that of its name stands.
 */
#define RAROG_EBPF_COOKIE_VALUES   (1ull << 32)
#define RAROG_EBPF_COOKIE_RBP      (1ull << 33)
#define RAROG_EBPF_COOKIE_KIND     34
#define RAROG_EBPF_COOKIE_DISTANCE 36

#endif
