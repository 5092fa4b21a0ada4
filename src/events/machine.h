/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack machine of one strand: words in, calls into a batch, amounts into statistics and tree.
 */
#ifndef RAROG_EVENTS_MACHINE_H
#define RAROG_EVENTS_MACHINE_H

#include "events/batch.h"
#include "events/epochs.h"
#include "events/off-cpu.h"
#include "events/stats.h"
#include "events/stream.h"
#include "events/tree.h"

#define RAROG_MACHINE_FUNCTIONS_MAX (UINT32_C(1) << 29)

/* An open call. tag: node | function << 32 | three flags. */
struct rarog_open_call {
	uint64_t entry;    /* program clock at entry */
	uint64_t children; /* ticks of what it called */
	uint64_t tag;
	uint64_t calls; /* machine's calls at entry; kept when compensating */
};

/* Node and function statistics are not both to be counted: see machine-call.h. */
#define RAROG_FRAME_FOREIGN   RAROG_TREE_FOREIGN
#define RAROG_FRAME_INHERITED (UINT64_C(1) << 62)
#define RAROG_FRAME_OFF_CPU   (UINT64_C(1) << 61) /* it was off-CPU: machine-off-cpu.c */

/* What a call's beginning needs to know of its function. */
struct rarog_strand_machine_function {
	uint32_t location;
	uint32_t active; /* open calls of it in this strand */
	uint32_t *row;   /* histogram, NULL until a call has ended */
};

struct rarog_value_table;

/* A call that has values at its return. */
struct rarog_machine_open_value {
	size_t depth;
	uint64_t entry; /* program clock */
	uint64_t number;
};

struct rarog_machine_values {
	RAROG_VEC(struct rarog_machine_open_value) open; /* outermost first; some may have ended */
	RAROG_VEC(struct rarog_call_value) rows;         /* not yet given on */
};

/* What the strands of an assembler have in common. */
struct rarog_strand_machine_shared {
	struct rarog_tree tree;
	struct rarog_histograms histograms;
	struct rarog_value_table *values; /* what is captured with calls; NULL: nothing */
	struct rarog_epochs *epochs;      /* NULL: weights do not change */
	uint64_t compensate, compensate_self;
	uint64_t clamped;      /* calls whose compensated duration was cut to what it called */
	bool is_out_of_memory; /* a histogram could not be made */
	uint32_t *seen;        /* seen[n_seen] by location: the announcement it was last in */
	size_t n_seen;
	uint32_t announcement;
};

struct rarog_strand_machine {
	struct rarog_strand_machine_shared *shared;
	struct rarog_batch batch;
	bool is_started, is_keeping, is_compensating;

	/* The program clock: the strand's clock less its waits. It never runs backwards. */
	uint64_t now;
	uint64_t last;   /* program clock of the last operation, less the waits since */
	uint64_t waits;  /* strand's clock = now + waits */
	uint64_t anchor; /* value of last after the last wait … */
	uint64_t gap;    /* … and the waits since the operation before it */

	struct rarog_open_call *frames; /* frames[0] is a sentinel */
	size_t depth, n_frames;

	size_t n_functions;
	struct rarog_strand_machine_function *functions;
	struct rarog_stats *stats;
	struct rarog_stats_ends *ends; /* NULL: none yet */

	uint64_t off_cpu_from; /* program clock at which the next off-CPU span begins */
	struct rarog_machine_off_cpu off_cpu;
	struct rarog_machine_values values;

	uint64_t calls, inherited, lost_events, open, unwound;
};

void rarog_strand_machine_shared_release(struct rarog_strand_machine_shared *shared);

int rarog_strand_machine_init(struct rarog_strand_machine *machine,
			      struct rarog_strand_machine_shared *shared,
			      const struct rarog_assembler_sink *sink, uint32_t strand);
void rarog_strand_machine_release(struct rarog_strand_machine *machine);

/** rarog_strand_machine_functions() - the map from function ids to locations; the first
 * machine->n_functions are as they were. 0, -EINVAL, -ENOMEM. */
int rarog_strand_machine_functions(struct rarog_strand_machine *machine, size_t n,
				   const uint32_t *locations);

/**
 * rarog_strand_machine_run() - take the records that begin in words[0 … n-1]
 * @n: the last of these records may reach beyond words[n]; it must be there as a whole
 * @ret_used: words taken; on -EBADMSG where the bad record begins
 *
 * Return: 0, -EBADMSG with the reason as message, other errors of the sink.
 */
int rarog_strand_machine_run(struct rarog_strand_machine *machine, size_t n, const uint16_t *words,
			     size_t *ret_used);

/** rarog_strand_machine_off_cpu() - the next off-CPU spans, in order, none after words whose
 * time lies beyond it. 0 or -ENOMEM. */
int rarog_strand_machine_off_cpu(struct rarog_strand_machine *machine, size_t n,
				 const struct rarog_off_cpu_span spans[n]);

/** rarog_strand_machine_close() - close all open calls at @end_ticks and hand the last block over.
 */
int rarog_strand_machine_close(struct rarog_strand_machine *machine, uint64_t end_ticks);

/** rarog_strand_machine_stop_calls() - write no more calls from here on. */
int rarog_strand_machine_stop_calls(struct rarog_strand_machine *machine);

#endif
