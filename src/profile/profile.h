/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data model of a profile (DESIGN: "The profile"): what writers are given and readers return.
 * doc/design/profile-format.md has the bytes.
 *
 * Time amounts are integers in ticks of the profile's clock (struct rarog_clock), so that nothing
 * is rounded and sums stay exact; engines that measure in nanoseconds use a clock of 1 GHz. Views
 * convert with rarog_clock_ns().
 */
#ifndef RAROG_PROFILE_PROFILE_H
#define RAROG_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/histogram.h"

#define RAROG_NONE UINT32_MAX

struct rarog_clock {
	uint64_t hz;           /* ticks per second */
	uint64_t origin_ticks; /* this tick … */
	uint64_t origin_ns;    /* … was this time, ns since the epoch */
	bool suspect;          /* slope changed by > 200 ppm, stepped back, or machine suspended */
};

/** rarog_clock_ns() - ticks to nanoseconds, rounded to nearest, exact over 64 bits. */
uint64_t rarog_clock_ns(const struct rarog_clock *clock, uint64_t ticks);

struct rarog_profile_binary {
	const char *path, *build_id;
	uint64_t load_bias;
};

enum rarog_location_kind {
	RAROG_LOCATION_FUNCTION = 0,
	RAROG_LOCATION_REGION = 1, /* between two marks of the program's author */
	RAROG_LOCATION_POINT = 2,  /* a mark: it takes no time */
};

struct rarog_location {
	uint32_t kind;          /* enum rarog_location_kind */
	uint32_t binary;        /* index of rarog_profile_binary, RAROG_NONE: unknown */
	uint64_t address, size; /* link-time vaddr */
	const char *name;       /* symbol */
	const char *demangled;  /* NULL: as name */
	const char *file;       /* NULL: unknown */
	uint32_t line;
};

struct rarog_process {
	uint32_t pid, parent; /* parent: index, RAROG_NONE: started by rarog */
	uint64_t start_ticks, end_ticks;
	int32_t wait_status; /* as waitpid(); -1 unknown */
	const char *command; /* argv joined with spaces */
};

/* One machine stack (DESIGN: strand). */
struct rarog_strand {
	uint32_t process; /* index */
	uint32_t tid;
	uint64_t start_ticks, end_ticks;
};

/* What a function is inlined into although it has no calls of its own. */
struct rarog_inlined_into {
	const char *name;
	uint32_t host; /* location */
	const char *file;
	uint32_t line;
};

/* Context tree node; node 0 is the root of everything (location RAROG_NONE). Parents come before
 * their children. Invariant: inclusive = exclusive + sum of the children's inclusive. */
struct rarog_node {
	uint32_t parent, location;
	uint64_t count;                /* calls */
	uint64_t inclusive, exclusive; /* ticks */
};

/** rarog_histogram_low() - smallest value of a bucket; the next bucket's is its end. */
uint64_t rarog_histogram_low(unsigned bucket);

struct rarog_histogram_bucket {
	uint32_t bucket;
	uint64_t count;
};

/* Statistics of one location, over all strands (strand = RAROG_NONE) or of one. */
struct rarog_summary {
	uint32_t location, strand;
	uint64_t count; /* calls */
	uint64_t timed; /* calls whose duration is known (sampled); count = timed unless sampling */
	uint64_t sum;   /* of all durations, recursion counted again; mean = sum / timed */
	uint64_t total; /* of outermost calls only: the time during which it was on the stack */
	uint64_t exclusive; /* sum of durations less the durations of what it called */
	uint64_t min, max;
	uint64_t square_low, square_high; /* 128-bit sum of squared durations */
	uint64_t open;    /* calls that were still open at the end (closed there, marked) */
	uint64_t unwound; /* calls that ended by longjmp or an exception */
	uint32_t n_buckets;
	const struct rarog_histogram_bucket *buckets; /* sorted by bucket; over all strands only */
};

/*
 * Time that a thread was away from any processor inside calls, which the times of nodes and
 * summaries contain: they less this is CPU time. A thread waited for something, was stopped, or
 * had ended (waited); or could have run and another did (preempted).
 *
 * CPU time is known where there are such rows at all: one with neither location nor strand is there
 * then. What is away nowhere has no row. With neither location nor strand: the sums of the run;
 * without location: of a strand; without strand: over all strands.
 */
struct rarog_off_cpu {
	uint32_t location, strand;
	bool is_unknown;                        /* something of it was not seen: no CPU time */
	uint64_t waited, preempted;             /* ticks, of its exclusive time */
	uint64_t total_waited, total_preempted; /* of its total; of strands and the run: 0 */
};

#define RAROG_ABSENCES_MAX 20000

/* One such time. Of traces that keep calls the longest RAROG_ABSENCES_MAX of the run are there; the
 * sums above have all of them, as far as they lie in calls. */
struct rarog_absence {
	uint32_t strand;
	uint64_t begin, ticks;
	bool is_preempted; /* it could have run */
};

/* Sums as above for a node of the context tree, of its exclusive time. */
struct rarog_node_off_cpu {
	uint32_t node;
	uint64_t waited, preempted;
};

/* Calls: a block of one strand's events, in event order. op 0: return; 1: ended without returning;
 * 2: closed at the end of the run; 3: the strand waited delta ticks for rarog (not the program's
 * time); 4: delta events were lost here; from RAROG_OP_ENTRY: entry into location op -
 * RAROG_OP_ENTRY. delta: ticks since the strand's previous event (ops 0, 1, 2 and entries). */
enum rarog_op {
	RAROG_OP_RETURN = 0,
	RAROG_OP_UNWOUND = 1,
	RAROG_OP_CLOSED = 2,
	RAROG_OP_WAIT = 3,
	RAROG_OP_LOST = 4,
	RAROG_OP_ENTRY = 8,
};

struct rarog_calls {
	uint32_t strand;
	uint64_t start_ticks; /* the strand's clock before the first event */
	size_t n_open;        /* calls open before the first event … */
	const uint32_t *open; /* … their locations, outermost first */
	size_t n;
	const uint32_t *op;
	const uint64_t *delta;
};

/* Amounts that are no time: bytes, samples, what another tool measured. */
struct rarog_quantity {
	uint32_t location;
	const char *what; /* "malloc", "amount" */
	const char *unit; /* "B", "samples" */
	uint64_t count, sum, min, max;
};

/* A text that is kept as it came: what an importer could not say in the tables. Long ones stand in
 * several rows of the same key, which belong one after the other. */
struct rarog_note {
	const char *key; /* "perun" */
	const char *text;
};

/* Source files that were changed after the program was built, each with an end of line. */
#define RAROG_NOTE_STALE_SOURCES "stale-sources"

/*
 * How often a basic block ran. The blocks of a location stand together, in the order in which the
 * compiler had them; the first is where calls enter, so its count is that of the calls.
 */
struct rarog_block_count {
	uint32_t location;
	uint32_t line, column; /* of its first instruction that has a line; 0: not known */
	uint32_t instructions; /* of the compiler's intermediate code */
	uint64_t count;
};

/* What the executions of a block did with memory, all together. Rows follow the order of @block;
 * those that did nothing have none. */
struct rarog_block_accesses {
	uint32_t block; /* struct rarog_block_count */
	uint64_t loads, load_bytes;
	uint64_t stores, store_bytes;
};

/* A further line that has code in a block; rows follow the order of @block. */
struct rarog_block_line {
	uint32_t block; /* struct rarog_block_count */
	uint32_t line;
};

/* A way from one block to another of the same location; what leaves the function has no row. The
 * rows follow the order of @from. */
struct rarog_edge_count {
	uint32_t from, to; /* struct rarog_block_count */
	uint64_t count;
	bool is_unknown; /* on a circle of edges that nobody can count */
};

/* What was inlined where: code of @name, called at @file:@line:@column of what is around it. */
struct rarog_inline_frame {
	uint32_t parent; /* what that is inlined into; RAROG_NONE: a function of the machine code.
			    Stands before it */
	const char *name;
	const char *file; /* NULL, 0: not known */
	uint32_t line, column;
};

/*
 * A basic block of machine code. Those of a location stand together, by address. Only of functions
 * that were called.
 */
struct rarog_machine_count {
	uint32_t location;
	uint64_t address;                /* in the binary's numbering */
	uint32_t size;                   /* bytes */
	uint32_t instructions, counting; /* all; of these, those that count blocks */
	uint32_t frame;                  /* of its first instruction that has a line, RAROG_NONE:
					    nothing inlined … */
	const char *file;                /* … and its place; NULL, 0: not known */
	uint32_t line, column;
	uint64_t least, most; /* executions: known if they are the same; most is UINT64_MAX if
				 nothing is known */
};

/* How many copies of its body the compiler has made of one another in a loop (1: it is as it was
 * written); without a row that is not known. */
struct rarog_unrolled {
	uint32_t block; /* struct rarog_block_count: its header */
	uint32_t copies;
};

/* Rounds of the entries of one loop that ended; what was left without a trace is not among them. */
struct rarog_trips {
	uint32_t block; /* struct rarog_block_count: its header */
	uint64_t entries, rounds;
	uint64_t least, most; /* rounds of an entry; 0: none ended */
};

/* How many of them had 2^log2 to 2^(log2 + 1) - 1 rounds; rows follow the order of @block. */
struct rarog_trip_bucket {
	uint32_t block;
	uint32_t log2; /* at most RAROG_TRIPS_LAST, of which there is no upper end */
	uint64_t entries;
};

#define RAROG_TRIPS_LAST 31

/*
 * A path through a function: blocks that ran one after the other, to the end of the function, or to
 * where it was cut. Only those that were taken; a row whose count is 0 says of the function that
 * its paths were not counted. Rows follow the order of @block.
 */
struct rarog_path {
	uint32_t block;  /* the first, struct rarog_block_count */
	uint32_t n_more; /* the others: as many rows of struct rarog_path_block, after those of the
			    paths before */
	uint32_t next;   /* block where control went on, and another path began; RAROG_NONE: none */
	uint64_t count;
};

struct rarog_path_block {
	uint32_t block; /* of the same function as the path's first */
};

/* A block whose code was inlined: the row of blocks says where it was called, this where it is.
 * Rows follow the order of @block. */
struct rarog_block_origin {
	uint32_t block;   /* struct rarog_block_count */
	uint32_t frame;   /* struct rarog_inline_frame: the innermost */
	const char *file; /* NULL, 0: not known */
	uint32_t line, column;
};

enum {
	RAROG_PART_IS_MADE = 1, /* the block is a jump there that nobody wrote */
	RAROG_PART_ENDS = 2,    /* the block ends with a decision there */
	RAROG_PART_BEGINS = 4,  /* the frame's function begins at this line, code or not */
};

/* A line that a block has code of although it is none of its function: of what was inlined, or in
 * another file. Rows follow the order of @block. */
struct rarog_block_part {
	uint32_t block;   /* struct rarog_block_count */
	uint32_t frame;   /* struct rarog_inline_frame: the innermost; RAROG_NONE: the function's */
	const char *file; /* NULL: not known */
	uint32_t line;
	uint32_t flags;
};

/*
 * A value that was captured with the calls of a function: an argument, what it leads to, or the
 * result. What the 64 bits of a value are `kind` says (enum rarog_value_kind, binary/value-path.h).
 */
struct rarog_argument {
	uint32_t location;
	const char *name; /* as it was asked for: "n", "list->length", "return" */
	const char *type; /* in the source */
	uint32_t kind;    /* RAROG_VALUE_COST: how many instructions, or blocks, were executed in a
			     call and below it, where calls have no durations (engine vex);
			     is_return is set */
	bool is_return;
};

/* Of all of its values; rows follow the order of arguments, those that no call had are not there.
 */
struct rarog_argument_sum {
	uint32_t argument;
	uint64_t count;   /* values that are known … */
	uint64_t unknown; /* … and that could not be read */
	uint64_t min, max;
	uint64_t sum; /* bits of a double */
};

/* The value of one call; unknown ones have no row. */
struct rarog_call_value {
	uint32_t argument, strand;
	uint64_t number; /* of the call among those of its function and strand, from 1 */
	uint64_t value;
};

/* Time in the executions of one block, without what it calls. Either @block or @machine is set. */
struct rarog_block_time {
	uint32_t block;    /* struct rarog_block_count */
	uint32_t machine;  /* struct rarog_machine_count */
	bool is_estimated; /* from counts and exclusive times, not measured; never mixed */
	uint64_t count;    /* executions that are timed */
	uint64_t sum;      /* ticks */
	uint64_t min;      /* of one; estimated: of one, at least … */
	uint64_t max;      /* … and at most */
};

/* Memory that one call site asked for. */
struct rarog_allocation {
	uint32_t location; /* the function that holds the call */
	uint64_t site;     /* return address in the binary's numbering; 0: not known */
	uint64_t count;    /* allocations */
	uint64_t bytes;    /* of all of them */
	uint64_t live;     /* bytes not freed at the end */
	uint64_t peak;     /* most bytes at once */
};

/* What an amount is known to lie between, and why. */
struct rarog_bound {
	uint32_t location;
	const char *what; /* "calls", "time" */
	const char *unit;
	uint64_t least;
	uint64_t most; /* UINT64_MAX: no bound is known */
	const char *reason;
};

/* A span of lines with a name, and what was spent in it. */
struct rarog_region {
	uint32_t location;
	const char *name; /* features of one region are separated by commas */
	const char *file; /* NULL, 0: not known */
	uint32_t line;
	uint32_t last_line;
	uint64_t count;     /* entries */
	uint64_t exclusive; /* ticks */
	uint64_t inclusive; /* ticks */
};

/* A place was made slower or virtually faster: what became of the whole. */
struct rarog_experiment {
	uint32_t location;
	uint32_t line;    /* 0: the whole location */
	const char *kind; /* "busy", "speed-up" */
	uint64_t amount;  /* ticks a call */
	uint64_t runs;
	uint64_t effect; /* bits of a double, as … */
	uint64_t low;    /* … the ends of … */
	uint64_t high;   /* … its interval */
};

/* One run that an experiment is made of: what was put into the place, and what the run took. */
struct rarog_trial {
	uint32_t location;
	uint32_t line;     /* as of the experiment */
	uint32_t strand;   /* whose time it is; RAROG_NONE: the whole run's */
	uint64_t number;   /* of the run, from 1 in the order of time */
	uint64_t amount;   /* ticks a call, as asked */
	uint64_t injected; /* ticks, all together, as measured; 0: a run to compare with */
	uint64_t time;     /* ticks */
};

/* What an amount was at one time. */
struct rarog_snapshot {
	uint64_t ticks;    /* of the profile's clock */
	uint32_t location; /* RAROG_NONE: of the run */
	const char *what;  /* "live" */
	const char *unit;
	uint64_t value;
};

enum rarog_how {
	RAROG_HOW_RECORDED = 0, /* each time */
	RAROG_HOW_COUNTED = 1,  /* how often, no times */
	RAROG_HOW_SAMPLED = 2,  /* every n-th time */
	RAROG_HOW_OFF = 3,      /* nothing is known: nobody asked for it, or it could not be had */
	RAROG_HOW_PRUNED = 4,   /* nothing is known: it was found not worth its cost */
};

/*
 * How a place was measured. What has no row was recorded, each time. A row without location tells
 * of all functions of a binary that are no locations; where there is none these do not exist.
 */
struct rarog_measured {
	uint32_t location;  /* RAROG_NONE: the rest of … */
	uint32_t binary;    /* … this one; else RAROG_NONE */
	uint32_t how;       /* enum rarog_how */
	uint64_t every;     /* SAMPLED: n; else 0 */
	const char *reason; /* a word or two; NULL: none is known */
};

struct rarog_loss {
	const char *what; /* "events", "calls below a full shadow stack", … */
	uint64_t count;
};

#endif
