/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the samples of a run add up to: processes, threads, and one tree of contexts in which the
 * children of the root are the threads. Fed with records in the order of time.
 */
#ifndef RAROG_ENGINE_SAMPLE_SAMPLED_H
#define RAROG_ENGINE_SAMPLE_SAMPLED_H

#include "engine/sample/options.h"
#include "engine/sample/places.h"
#include "engine/sample/records.h"
#include "engine/sample/unwind.h"
#include "events/tree.h"

struct rarog_sample_process {
	uint32_t pid, parent;      /* parent: index, RAROG_NONE */
	uint64_t start_ns, end_ns; /* end: of the last thread that ended; 0: none has */
	uint32_t living;           /* threads that have not ended */
	char *command;             /* NULL: not known */
};

/* What a process became, known before its record's turn comes. */
struct rarog_sample_command {
	uint32_t pid;
	uint64_t ns;
	char *command; /* NULL: it was taken */
};

struct rarog_sample_thread {
	uint32_t process, tid; /* process: index */
	uint64_t start_ns, end_ns;
	/* Since when it is on no processor, and in which context; 0: it is on one, or none saw
	 * it leave. */
	uint64_t out_ns;
	uint32_t out_node;
	bool is_preempted;
};

struct rarog_sample_losses {
	uint64_t samples, switches; /* records that had no room, of either ring */
	uint64_t damaged, late;
};

struct rarog_sampled {
	const struct rarog_sample_options *options; /* borrowed */
	struct rarog_spaces spaces;
	struct rarog_images images;
	struct rarog_kernel kernel;
	struct rarog_sample_places places;
	struct rarog_unwinder *unwinder;
	RAROG_VEC(struct rarog_sample_process) processes;
	RAROG_VEC(struct rarog_sample_command) commands;
	RAROG_VEC(struct rarog_sample_thread) threads;
	/* A node's location is its place's number, a thread's below the root; exclusive: the sum
	 * of periods, count: samples in the place itself. */
	struct rarog_tree tree;
	uint64_t samples, cut; /* cut: of these, stacks that are known in part */
	uint64_t period;       /* sum */
	struct rarog_sample_losses losses;
	uint64_t *addresses; /* of the stack at hand */
	uint32_t *frames;
};

/** rarog_sampled_init() - @options: borrowed. 0 or -ENOMEM; release it in any case. */
int rarog_sampled_init(const struct rarog_sample_options *options,
		       struct rarog_sampled *ret_sampled);
void rarog_sampled_release(struct rarog_sampled *sampled);

/** rarog_sampled_look() - for what may be gone when the turn of @record comes: a file that was
 * mapped, the words of a command. 0 or -ENOMEM. */
int rarog_sampled_look(struct rarog_sampled *sampled, const struct rarog_sample_record *record);

/** rarog_sampled_add() - @record, of a sample that tells the time. 0 or -ENOMEM. */
int rarog_sampled_add(struct rarog_sampled *sampled, const struct rarog_sample_record *record);

/** rarog_sampled_add_switch() - @record, of a thread that leaves a processor or gets one. 0 or
 * -ENOMEM. */
int rarog_sampled_add_switch(struct rarog_sampled *sampled,
			     const struct rarog_sample_record *record);

/** rarog_sampled_thread() - index of thread @tid of process @pid, added if it is new; negative. */
long rarog_sampled_thread(struct rarog_sampled *sampled, uint32_t pid, uint32_t tid, uint64_t ns);

/** rarog_sampled_finish() - at @ns: threads that are on no processor have waited until now. 0 or
 * -ENOMEM. */
int rarog_sampled_finish(struct rarog_sampled *sampled, uint64_t ns);

/** rarog_sampled_outliving() - how many processes run on. Numbers are used again: one whose threads
 * have all ended is none of them, whichever process has its number now; nor is the elder of two. */
size_t rarog_sampled_outliving(const struct rarog_sampled *sampled);

#endif
