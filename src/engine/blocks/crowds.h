/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many threads began in the processes of a program, as the kernel tells, less those that the
 * program's runtime saw: what is left counted in the counters of whoever made it.
 */
#ifndef RAROG_ENGINE_BLOCKS_CROWDS_H
#define RAROG_ENGINE_BLOCKS_CROWDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "blocks/counters.h"

/* Of one image: a process from when it became a program, or was forked, on. */
struct rarog_crowd {
	uint32_t pid, program; /* the caller's number of it */
	uint64_t n;            /* but the first */
	bool is_known;         /* a file tells what the runtime saw */
};

struct rarog_crowds {
	RAROG_VEC(struct rarog_crowd) all;
};

/** rarog_crowds_begin() - @ret_number: of a crowd of nobody. 0; -ENOMEM with message. */
int rarog_crowds_begin(struct rarog_crowds *crowds, uint32_t pid, uint32_t program,
		       size_t *ret_number);

/** rarog_crowds_left() - @counters are @program's own, of a process with our numbers. Files of one
 * number and program may be of several images: only all together matter. */
void rarog_crowds_left(struct rarog_crowds *crowds, uint32_t program,
		       const struct rarog_counters *counters);

/** rarog_crowds_unseen() - how many images had threads that their runtime did not see? Not those
 * that are told of otherwise: that left no file, or say themselves that threads shared counters. */
uint64_t rarog_crowds_unseen(const struct rarog_crowds *crowds);

void rarog_crowds_release(struct rarog_crowds *crowds);

#endif
