/* SPDX-License-Identifier: MIT */
/*
 * The memory that the agent and rarog share, and what the agent keeps for itself. One image (the
 * address space made by one execve, and its forks) has:
 *
 *   code areas   near each patched object: header, agent, stubs. Executable in the program,
 *                writable only in rarog (two mappings of one memfd).
 *   strand area  three arrays of RAROG_STRAND_STRIDE-byte records, one record per strand in each,
 *                at RAROG_WIPED, RAROG_PRIVATE and RAROG_SHARED from the area's start. The %gs base
 *                of a thread points at its strand's record in the first array, so all three are
 *                reached by constant displacements:
 *                  wiped    private, MADV_WIPEONFORK: zero in a forked child, so that the child's
 *                           first probe finds no owner and takes the slow path
 *                  private  copied by fork: the shadow stack pointer and the clock
 *                  shared   memfd: the ring cursor, so that nothing is lost when the program dies
 *   control, chunks, counters   memfd
 *   shadow stacks               private
 *
 * Numbers that assembly needs are macros; C structs are checked against them below.
 */
#ifndef RAROG_AGENT_LAYOUT_H
#define RAROG_AGENT_LAYOUT_H

#define RAROG_STRANDS       4096 /* strands of one image at one time */
#define RAROG_STRAND_STRIDE 128
#define RAROG_STRAND_ARRAY  (RAROG_STRANDS * RAROG_STRAND_STRIDE)

#define RAROG_WIPED   0
#define RAROG_PRIVATE RAROG_STRAND_ARRAY
#define RAROG_SHARED  (2 * RAROG_STRAND_ARRAY)

/* Displacements from %gs. The three records use different offsets, so that stores to one never
 * look like an alias (same low 12 bits) of loads from another. */
#define RAROG_GS_OWNER   (RAROG_WIPED + 0)
#define RAROG_GS_SETTLED (RAROG_WIPED + 24)
#define RAROG_GS_WAITS   (RAROG_WIPED + 32)
#define RAROG_GS_ON      (RAROG_WIPED + 40)
#define RAROG_GS_TOP     (RAROG_PRIVATE + 16)
#define RAROG_GS_LIMIT   (RAROG_PRIVATE + 24)
#define RAROG_GS_BUSY    (RAROG_PRIVATE + 32)
#define RAROG_GS_LAST    (RAROG_PRIVATE + 40)
#define RAROG_GS_WITHIN  (RAROG_PRIVATE + 48)
#define RAROG_GS_COUNTS  (RAROG_PRIVATE + 56)
#define RAROG_GS_INDEX   (RAROG_PRIVATE + 72)
#define RAROG_GS_CURSOR  (RAROG_SHARED + 64)
#define RAROG_GS_END     (RAROG_SHARED + 72)
#define RAROG_GS_TID     (RAROG_SHARED + 8)

/* In struct rarog_control. */
#define RAROG_CONTROL_HELD    44
#define RAROG_CONTROL_HELD_BY 80
#define RAROG_CONTROL_HELD_AT 208

#define RAROG_HELD_MOST 32 /* threads that signals wait for, and that are told so */

/* A shadow stack frame. */
#define RAROG_FRAME_SIZE   32
#define RAROG_FRAME_RETURN 0
#define RAROG_FRAME_SLOT   8
#define RAROG_FRAME_STUB   16

/* Bit 0 of a frame's slot: its exit needs the slow path. */
#define RAROG_SLOT_SLOW 1

/* A region (mark.c) has a frame, too: nothing of the program's is at its slot, which is this far
 * below the return address of the function that it is in. So it lies between that function's frame
 * and those of all that it calls, and is told by bit 1. */
#define RAROG_REGION_BELOW 2
#define RAROG_SLOT_REGION  2

/* A call whose slot is at most this far below its caller's is taken to be on the same stack. */
#define RAROG_NEAR_BYTES 0x40000

/* struct rarog_area.flags */
#define RAROG_AREA_BELOW        1 /* --not-below: what runs inside the root is left out */
#define RAROG_AREA_WITHIN       2 /* --within: only what runs inside the root is recorded */
/* --compensate: a reading of the clock waits for what the program did before it. Stubs are made so;
 * the agent does not ask. */
#define RAROG_AREA_ORDERED      4
/* Addresses of ours may stand where none is looked for when the program is left. */
#define RAROG_AREA_STAYS        8
/* The program may not set the base of %gs by an instruction: the kernel does not keep it. */
#define RAROG_AREA_CALLS_FOR_GS 16

#define RAROG_CHUNK_SIZE (64 * 1024)
#define RAROG_CHUNK_MARGIN                                                                         \
	128 /* bytes a slow path may write after the cursor passed the end mark */
#define RAROG_CHUNKS 8192

#define RAROG_SHADOW_SIZE      (4 << 20)  /* per strand */
#define RAROG_SHADOW_SIZE_MAIN (32 << 20) /* of strand 1: the main thread's first stack */

/* Strands below this number may be used at once. What belongs to the others (shadow stack, row of
 * counters) is address space without access until the agent opens it, and so are chunks that were
 * not given out at first: a program that locks its memory (mlockall) would fill it all. */
#define RAROG_STRANDS_OPEN 4

/*
 * Zones of a stub: what a probe that stands there has done. In all of them the busy mark may be
 * set, and rcx, rdx and rax of the program are on the stack, below the slot.
 */
#define RAROG_ZONE_ENTER        0 /* entering: nothing that lasts */
#define RAROG_ZONE_ENTER_PUSHED 1 /* … but the frame counts already */
#define RAROG_ZONE_ENTERED      2 /* recorded; %rdx is the time that it has recorded */
#define RAROG_ZONE_LEAVE        3 /* leaving: nothing that lasts */
#define RAROG_ZONE_LEAVE_TIMED  4 /* … but the clock has gone on, by %rax */
#define RAROG_ZONE_LEAVE_POPPED 5 /* … and the frame counts no more */
#define RAROG_ZONE_LEFT         6 /* recorded */
#define RAROG_ZONES             9 /* of a stub */

#ifndef __ASSEMBLER__

#include <stdint.h>

#define RAROG_LANDINGS 3

/* Wiped when the process forks. */
struct rarog_strand_wiped {
	uint64_t owner; /* the thread pointer (%fs:0) of the thread on this strand; 0: none */
	/* Strand that rarog keeps for the thread whose %gs leads here, which has made no call yet;
	 * 0: none. Of a process that was forked: it inherits what is open on this one. */
	uint32_t kept;
	uint32_t wanted; /* of strand 0: one that shall become memory. Written by rarog */
	/* Of one that is kept for a forked process, whose %gs leads here already: strand of the
	 * parent whose open calls are the child's, too. 0: it is the one that %gs leads to. */
	uint32_t inherits;
	/* Of what threads gain, in ticks (gate.h): what this one has paid of control.gained, has
	 * gained itself, or is forgiven; and control.gained + 1 when it began to wait, 0: it did
	 * not, by which of control.woken. */
	uint64_t settled, waits, on;
	/* Where those are going to land that a handler has interrupted after they had said it, and
	 * which has thrown itself; the innermost first, 0: none. */
	uint64_t landings[RAROG_LANDINGS];
};

#define RAROG_STRAND_TAKEN 0x80000000u /* and kept: the thread is about to take it */

/* Copied when the process forks; written by the owner only. */
struct rarog_strand_private {
	uint64_t chunks_open; /* of strand 0: chunks that this process may touch, 0: as at first */
	uint64_t target;      /* stack pointer of the stack that is switched to */
	uint64_t top;         /* next free shadow frame */
	uint64_t limit;       /* end of the shadow stack */
	uint64_t busy;        /* slot of the probe that is running, 0: none */
	uint64_t last;        /* clock of the last event, ticks */
	uint64_t within;      /* frame that recording hangs on (--within, --not-below) */
	uint64_t counts;      /* address of this strand's counters: of stubs and gates (emit.c) */
	uint64_t base;        /* first frame of the shadow stack */
	uint32_t index;       /* of this strand; set before any thread's %gs leads here */
	uint32_t outer;       /* strand that a nested probe came from, 0: none */
	uint32_t nested;      /* strand kept for probes that hit a busy one, 0: none yet */
	uint32_t unhooked;    /* enum rarog_unhooked: return addresses are the true ones … */
	uint64_t unhooked_at; /* … since the unwinder was called with this stack pointer */
	uint64_t landing;     /* where it is going to land, 0: it has not been said */
	uint64_t leaving;     /* slot of the call that switches or has switched stacks, 0: none */
	/* Strand of the other stack, RAROG_STRAND_FRESH: it has none yet. Of strand 0: the
	 * strands that this process has used are below it. */
	uint32_t next;
	uint32_t parked; /* enum rarog_parked */
	union {
		uint32_t filtered; /* enum rarog_filtered, of strand 0: of this process */
		uint32_t inherits; /* as wiped, for a process that is forked before it begins */
	};
	uint32_t open; /* of strand 0: strands below it are memory, 0: as at first */
};

#define RAROG_STRAND_FRESH 0xffffffff

enum rarog_unhooked {
	RAROG_UNHOOKED_NOT = 0,
	RAROG_UNHOOKED = 1, /* … and an unwinder may be at work since before unhooked_at … */
	RAROG_UNHOOKED_ONCE = 2, /* … or only the one that was called there */
};

enum rarog_filtered {
	RAROG_FILTERED_NOT = 0,
	RAROG_FILTERED_SOON = 1, /* the program has called what may lead to it */
	RAROG_FILTERED = 2,      /* a thread has a seccomp filter. Written by rarog */
};

enum rarog_parked {
	RAROG_PARKED_NOT = 0,  /* a thread is on it, or it is free */
	RAROG_PARKED = 1,      /* its stack was left and will be gone back to */
	RAROG_PARKED_IDLE = 2, /* left for good: for any stack */
	RAROG_PARKED_LAST = 3, /* about to be left, and where it is was not saved */
};

/* A frame that was dropped because its stack seemed to be left for good: should it be returned
 * through after all, here is where to. */
struct rarog_saved_returns_frame {
	uint64_t slot; /* 0: free, 1: being written */
	uint64_t ret, stub;
	uint64_t ticks; /* when it was dropped */
};

#define RAROG_SAVED_RETURNS_BUCKET 8 /* frames that a slot may be among */
#define RAROG_SAVED_RETURNS_FRAMES 16384
#define RAROG_SAVED_RETURNS_SIZE   (RAROG_SAVED_RETURNS_FRAMES * 32)

enum rarog_strand_state {
	RAROG_STRAND_FREE = 0,
	RAROG_STRAND_ACTIVE = 1,
	RAROG_STRAND_ENDED = 2, /* said by the agent itself */
	RAROG_STRAND_KEPT = 3,  /* by rarog, for a thread that has made no call yet */
};

/* In the memfd: rarog reads it at any time, also after the program's death. */
struct rarog_strand_shared {
	uint32_t state;
	uint32_t pid, tid;
	uint32_t parent; /* strand of the process that forked, 0: none */
	uint64_t start_ticks;
	uint64_t generation;  /* distinguishes users of this record */
	uint64_t sequence;    /* of the current chunk, or the next one if there is none */
	uint64_t left_out;    /* calls not recorded because the shadow stack was full */
	uint64_t lost;        /* events dropped because no chunk was free */
	uint32_t chunk;       /* current chunk + 1, 0: none */
	uint32_t switched;    /* it was left for another stack, or gone on with */
	uint64_t cursor, end; /* next event, end mark; addresses in the program */
	/* The thread's stack for signals, as it was last asked for. */
	uint64_t alternate, alternate_size;
	uint32_t outer_pid, outer_tid; /* pid and tid as rarog calls them; 0: it has not said */
	uint64_t signals;  /* control.signals when the thread was surely not on that stack */
	uint64_t unbegun;  /* ends of regions that were not open */
	uint32_t changing; /* a chunk is being taken or given away */
	uint32_t is_torn;  /* of a child that was forked in the middle of a probe; rarog says so */
};

enum rarog_chunk_state { RAROG_CHUNK_FREE = 0, RAROG_CHUNK_OWNED = 1, RAROG_CHUNK_FULL = 2 };

/* One word says whose a chunk is: a thread that is stopped half-way leaves none without owner. */
#define RAROG_CHUNK_OF(strand, state) ((uint32_t)(strand) << 8 | (state))
#define RAROG_CHUNK_STRAND(owner)     ((owner) >> 8)
#define RAROG_CHUNK_STATE(owner)      ((owner)&0xff)

struct rarog_chunk {
	uint32_t owner;                /* RAROG_CHUNK_OF(strand, state) or RAROG_CHUNK_FREE */
	uint32_t used;                 /* bytes; 0: it is not full, nor about to be said so */
	uint64_t sequence, generation; /* of the strand */
};

/*
 * A thread that loaded a library asks rarog to look at it, and meanwhile makes the system calls
 * that rarog needs done inside the program. States go FREE, CLAIMED, POSTED, (CALL, RETURNED)*,
 * DONE.
 */
enum rarog_request_state {
	RAROG_REQUEST_FREE = 0,
	RAROG_REQUEST_CLAIMED,
	RAROG_REQUEST_POSTED,
	RAROG_REQUEST_CALL,     /* rarog: make this call */
	RAROG_REQUEST_RETURNED, /* agent: here is its result */
	RAROG_REQUEST_DONE,     /* rarog: go on */
};

struct rarog_request {
	uint32_t state; /* futex of both sides */
	uint32_t pid;
	int64_t number, arguments[6], result;
};

#define RAROG_REQUESTS 64

/* A stack for signals with SS_AUTODISARM: while a handler is on it the kernel says that there is
 * none, since the handler may switch stacks and leave it to the next signal. */
struct rarog_disarmed {
	uint64_t start, size; /* size 0: none */
};

#define RAROG_DISARMED 256 /* of an image; the oldest is forgotten */

#define RAROG_OWNER_DIED 0x40000000 /* FUTEX_OWNER_DIED */

#define RAROG_GONE_CLOSED 1 /* rarog said good-bye */
#define RAROG_GONE_SILENT 2 /* it was waited for in vain: calls from then on are missing */

/* Locks and the like by which threads wake each other: as many as differ in the highest eight bits
 * of their address times this. */
#define RAROG_WOKEN      (1 + 256)
#define RAROG_WOKEN_HASH 0x9e3779b97f4a7c15 /* 2^64 / golden ratio, odd */

struct rarog_control {
	uint32_t abi_version;
	uint32_t beat;        /* rarog's heartbeat: changes at least once a second while it lives */
	uint32_t gone;        /* RAROG_GONE_…: record nothing any more */
	uint32_t drop;        /* 1: a full ring drops events instead of waiting */
	uint32_t freed;       /* futex: counts chunks given back; agents wait on it */
	uint32_t waiters;     /* agents that wait */
	uint32_t filled;      /* futex: counts chunks filled; rarog waits on it */
	uint32_t sleeping;    /* rarog waits */
	uint32_t owner;       /* rarog's thread id; the kernel adds RAROG_OWNER_DIED when it dies;
			       * this alone while there is none yet */
	uint32_t filtered;    /* a thread has a seccomp filter: futex may be forbidden */
	uint32_t off;         /* no call is recorded any more; those that are open still end */
	uint32_t held;        /* threads in held_by: each waits when it is done (AWAIT) */
	uint64_t generations; /* last generation given out */
	uint64_t unasked;     /* calls of threads that began when their process was filtered */
	uint64_t astray;      /* calls that returned though they were taken for over */
	uint64_t signals;     /* that were delivered to any thread, 0: rarog does not count them */
	uint32_t held_by[RAROG_HELD_MOST]; /* threads that a signal waits for, by their own ids … */
	uint64_t held_at[RAROG_HELD_MOST];         /* … and thread pointers (%fs:0) */
	uint64_t strands_free[RAROG_STRANDS / 64]; /* bit set: free */
	uint64_t chunks_free[RAROG_CHUNKS / 64];   /* a bit may be set though the chunk is taken */
	/* Thread pointer of a static program until its libc has made one: points to itself. */
	uint64_t early_thread[16];
	struct rarog_request requests[RAROG_REQUESTS];
	struct rarog_disarmed disarmed[RAROG_DISARMED];
	uint32_t disarmed_n; /* seen so far */
	/* Ticks of the time-stamp counter until which there is noise: rarog keeps it ahead of the
	 * clock as long as it lives and runs. 0: that was over when a thread looked. */
	uint64_t noise_until __attribute__((aligned(64)));
	/* Ticks that threads which called certain functions have gained, and the others owe. */
	uint64_t gained __attribute__((aligned(64)));
	/* gained when a thread was last about to wake another, by the object by which it did: [0]
	 * of those that are not known. Next to gained. */
	uint64_t woken[RAROG_WOKEN];
	uint32_t noise_lock; /* of noise that holds a lock: 1 is held */
	uint8_t noise_lines[4096]
		__attribute__((aligned(64))); /* of noise that is memory traffic */
	struct rarog_chunk chunks[RAROG_CHUNKS];
};

/* In the event word of a region's end: the region was left by an exception or longjmp. */
#define RAROG_STUB_LEFT 0x4000

/* At the start of every code area; written by rarog before the program runs. */
struct rarog_area {
	uint64_t control, strands, chunks, counters, saved_returns, shadow;
	uint64_t counters_stride; /* bytes of counters per strand */
	uint64_t chunks_open;     /* chunks that may be touched from the start */
	uint64_t chunks_max;      /* chunks that there is address space for */
	uint64_t flags;
	uint64_t serial; /* distinguishes the areas of an image */
};

struct rarog_agent_zone { /* offsets from the stub's start; @to is after it */
	uint32_t from, to;
	uint32_t kind; /* RAROG_ZONE_… */
};

/* The stub that is copied for every patched function (entry.S), and offsets from its start: where
 * its fast path gives up, where to enter it when that must not be taken, two places for the event
 * word (0x8000 | id << 16), the distances of a call of enter… and of a jump to leave, the distance
 * of the call of the body, which captured values are taken before, of what tells how, and of the
 * gate's word where the agent asks it. */
struct rarog_agent_stub {
	uint32_t start, size, marked, slow;
	uint32_t event_fast, event, enter, leave;
	uint32_t body, value_set, gate;
	struct rarog_agent_zone zones[RAROG_ZONES];
};

/* The agent's entry points, as offsets from the start of the area; at the start of the agent. */
struct rarog_agent_entries {
	uint32_t enter, enter_within, enter_root, enter_below;
	uint32_t enter_within_gated, enter_below_gated, leave, count;
	uint32_t unhook, set_ip, loaded, born;
	uint32_t swap_context, set_context, jump_stack;
	uint32_t tell_first, tell_second, prctl, walked;
	uint32_t mark_point, mark_begin, mark_end;
	uint32_t mark_point_values, mark_begin_values, mark_end_values;
	uint32_t values;         /* takes those that a stub does not */
	uint32_t wait, wait_end; /* where threads are that have done, and that a signal waits for */
	/* From a frame's stub address to what stands in its slot while the call runs. */
	int32_t return_distance;
	struct rarog_agent_stub stubs[2]; /* [1]: RAROG_AREA_ORDERED */
};

#define RAROG_AREA_HEADER 256 /* bytes reserved for struct rarog_area before the agent's code */

_Static_assert(sizeof(struct rarog_area) <= RAROG_AREA_HEADER, "area header");
_Static_assert(sizeof(struct rarog_strand_private) <= RAROG_STRAND_STRIDE, "private record");
_Static_assert(sizeof(struct rarog_strand_shared) <= RAROG_STRAND_STRIDE, "shared record");
_Static_assert(sizeof(struct rarog_saved_returns_frame) == 32, "saved returns");
_Static_assert(__builtin_offsetof(struct rarog_control, held) == RAROG_CONTROL_HELD, "held");
_Static_assert(__builtin_offsetof(struct rarog_control, held_by) == RAROG_CONTROL_HELD_BY, "by");
_Static_assert(__builtin_offsetof(struct rarog_control, held_at) == RAROG_CONTROL_HELD_AT, "at");
#define RAROG_CHECK_OFFSET(record, field, array, number)                                           \
	_Static_assert(__builtin_offsetof(struct rarog_strand_##record, field) + (array) ==        \
			       (number),                                                           \
		       #field)
RAROG_CHECK_OFFSET(wiped, owner, RAROG_WIPED, RAROG_GS_OWNER);
RAROG_CHECK_OFFSET(wiped, settled, RAROG_WIPED, RAROG_GS_SETTLED);
RAROG_CHECK_OFFSET(wiped, waits, RAROG_WIPED, RAROG_GS_WAITS);
RAROG_CHECK_OFFSET(wiped, on, RAROG_WIPED, RAROG_GS_ON);
RAROG_CHECK_OFFSET(private, top, RAROG_PRIVATE, RAROG_GS_TOP);
RAROG_CHECK_OFFSET(private, limit, RAROG_PRIVATE, RAROG_GS_LIMIT);
RAROG_CHECK_OFFSET(private, busy, RAROG_PRIVATE, RAROG_GS_BUSY);
RAROG_CHECK_OFFSET(private, last, RAROG_PRIVATE, RAROG_GS_LAST);
RAROG_CHECK_OFFSET(private, within, RAROG_PRIVATE, RAROG_GS_WITHIN);
RAROG_CHECK_OFFSET(private, counts, RAROG_PRIVATE, RAROG_GS_COUNTS);
RAROG_CHECK_OFFSET(private, index, RAROG_PRIVATE, RAROG_GS_INDEX);
RAROG_CHECK_OFFSET(shared, cursor, RAROG_SHARED, RAROG_GS_CURSOR);
RAROG_CHECK_OFFSET(shared, end, RAROG_SHARED, RAROG_GS_END);
RAROG_CHECK_OFFSET(shared, tid, RAROG_SHARED, RAROG_GS_TID);

#endif /* __ASSEMBLER__ */
#endif
