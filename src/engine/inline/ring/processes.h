/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes that the drain knows of, and what they are called where they live.
 */
#ifndef RAROG_ENGINE_INLINE_RING_PROCESSES_H
#define RAROG_ENGINE_INLINE_RING_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct rarog_image;

struct rarog_drained {
	pid_t pid;
	pid_t inner;    /* the same in its own name space: what the agent knows */
	uint32_t index; /* in the profile */
	struct rarog_image *image;
	uint64_t ran_ns; /* on processors, when thinning.c looked last */
};

/* A vector: pushed to and released as one. */
struct rarog_processes {
	struct rarog_drained *v;
	size_t n, capacity;
};

/** rarog_process_inner() - what getpid() says in process @pid. */
pid_t rarog_process_inner(pid_t pid);

struct rarog_drained *rarog_processes_find(const struct rarog_processes *processes, pid_t pid);

/** rarog_processes_inner() - the process of @image that calls itself @inner. Two may, in name
 * spaces of their own. */
struct rarog_drained *rarog_processes_inner(const struct rarog_processes *processes,
					    const struct rarog_image *image, pid_t inner);

/** rarog_processes_foreign() - does a process of @image live in a name space of its own? What its
 * threads and children call themselves says nothing to us. */
bool rarog_processes_foreign(const struct rarog_processes *processes,
			     const struct rarog_image *image);

/** rarog_processes_other() - does a process besides @p run its image? With @inner: one that calls
 * itself as @p does. */
bool rarog_processes_other(const struct rarog_processes *processes, const struct rarog_drained *p,
			   bool inner);

#endif
