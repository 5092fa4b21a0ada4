/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads of a run, and which of them is which of the traced run: by where they were created,
 * by start routine, by how often each called which function, and by order among those that are
 * alike.
 */
#ifndef RAROG_BLOW_THREADS_H
#define RAROG_BLOW_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "blow/creators.h"
#include "profile/reader.h"

struct rarog_blow_corpus;
struct rarog_blow_place;

/* Where a thread began: the outermost function of the program in it. */
struct rarog_blow_start {
	char *path, *name;
	uint64_t address; /* in the file */
};

/* Calls are by place: first the functions of the corpus, then the starts. */
struct rarog_blow_thread {
	uint32_t tid;
	uint64_t start_ns; /* after the first thread */
	uint64_t time_ns;  /* from there to its end */
	size_t start;      /* place; of the traced run only */
	uint64_t site;     /* of the call that created it, in the program's file; 0: unknown */
	uint64_t *calls;
	/* Of the traced run: in how many runs it was found again, or not. */
	size_t matched, unmatched;
};

/* Zeroed: none. */
struct rarog_blow_threads {
	size_t n_places;
	RAROG_VEC(struct rarog_blow_start) starts; /* of the traced run only */
	RAROG_VEC(struct rarog_blow_thread) v;     /* in the order in which they began */
	size_t left_out; /* there were more than RAROG_BLOW_THREADS_MOST */
};

#define RAROG_BLOW_THREADS_MOST 64 /* more are not told apart */

/** rarog_blow_threads_trace() - those of the traced run. 0; -ENOMEM; -EBADMSG. */
int rarog_blow_threads_trace(struct rarog_blow_threads *threads, struct rarog_profile *profile,
			     const struct rarog_blow_corpus *corpus);

/** rarog_blow_threads_place() - number of @place, SIZE_MAX: it is none. */
size_t rarog_blow_threads_place(const struct rarog_blow_threads *traced,
				const struct rarog_blow_corpus *corpus,
				const struct rarog_blow_place *place);

/** rarog_blow_threads_note() - thread @tid of a run called @place. 0; -ENOMEM. */
int rarog_blow_threads_note(struct rarog_blow_threads *run, uint32_t tid, size_t place,
			    uint64_t calls);

/** rarog_blow_threads_times() - when they began and how long they were there, from the profile of
 * the run. 0; -ENOMEM; -EBADMSG. */
int rarog_blow_threads_times(struct rarog_blow_threads *run, struct rarog_profile *profile);

/** rarog_blow_threads_created() - where each was, as far as @births tells. */
void rarog_blow_threads_created(struct rarog_blow_threads *run,
				const struct rarog_blow_births *births);

/**
 * rarog_blow_threads_match() - which is which
 * @ret_of: [traced->v.n]: index in @run->v, SIZE_MAX: none is like it
 *
 * Return: 0; -ENOMEM.
 */
int rarog_blow_threads_match(const struct rarog_blow_threads *traced,
			     const struct rarog_blow_threads *run, size_t ret_of[]);

void rarog_blow_threads_release(struct rarog_blow_threads *threads);

/** rarog_blow_start_name() - where @thread of the traced run began. */
const char *rarog_blow_start_name(const struct rarog_blow_threads *traced,
				  const struct rarog_blow_corpus *corpus,
				  const struct rarog_blow_thread *thread);

#endif
