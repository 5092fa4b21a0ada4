/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program counted: the file that its runtime left. */
#ifndef RAROG_BLOCKS_COUNTERS_H
#define RAROG_BLOCKS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "blocks/counter-file.h"

/* Of a thread at the end of its process, or for as long as it is known. */
struct rarog_counters_thread {
	uint32_t id;
	uint32_t state; /* RAROG_COUNTER_RUNS … */
};

struct rarog_counters {
	uint32_t pid, parent;
	uint32_t pid_space; /* where these are numbers: an inode; 0: not known */
	bool is_shared;     /* threads shared counters: counts may be too low */
	bool lost_children; /* a forked child was not counted */
	bool has_jumped;    /* out of signals' handlers */
	bool lost_ends;     /* threads ended, and it is not known where */
	uint32_t ended_by;  /* the thread that ended the process in an orderly way, 0: none */
	bool is_closed;     /* by that one; if it is a library's, perhaps the process went on */
	bool is_forked;     /* it began as a child, in its parent's program */
	bool tells_threads; /* it is a program's, and: */
	uint32_t n_begun;   /* threads that began as far as its runtime saw, the first one apart */
	size_t n_threads;
	struct rarog_counters_thread *threads; /* some perhaps twice */
	uint32_t n_areas; /* 1 and one for each of the most threads at a time, if the program's */
	char *program;    /* path */
	char *binary;     /* of the program or library whose counters these are, "": unknown */
	char *build_id;   /* of the binary, lower-case hex, "" if none */
	uint64_t bias;    /* address in the process less that in the file */
	uint64_t start;   /* of the counters in the process */
	size_t n;
	uint64_t *values; /* sums over all threads, or the largest (RAROG_COUNTER_EXTREME) */
};

/**
 * rarog_counters_read() - read a file of counters
 * @name: what messages call it
 * @size: bytes that @file has, from where it stands; they may be anything
 *
 * Needs memory for what one thread has, however many there are.
 *
 * Return: 0; -EINVAL: it is none, or cut off; -ENOTSUP: another version's; -ENOMEM. All with a
 * message.
 */
int rarog_counters_read(const char *name, uint64_t size, FILE *file,
			struct rarog_counters **ret_counters);

/** rarog_counters_add() - what two areas, or two processes, counted in one word together. */
uint64_t rarog_counters_add(uint64_t one, uint64_t other);

void rarog_counters_free(struct rarog_counters *counters);
RAROG_DEFINE_FREEP(rarog_counters);

#endif
