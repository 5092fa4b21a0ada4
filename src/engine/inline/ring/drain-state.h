/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the drain share: drain.c, drain-take.c. Its lock is held in all of these. */
#ifndef RAROG_ENGINE_INLINE_RING_DRAIN_STATE_H
#define RAROG_ENGINE_INLINE_RING_DRAIN_STATE_H

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine/inline/ring/drain.h"
#include "engine/inline/ring/owner.h"
#include "engine/inline/ring/processes.h"
#include "engine/inline/ring/thinning.h"

struct rarog_drain {
	pthread_t thread, pulse;
	pthread_mutex_t lock;
	pthread_cond_t stopping;
	pthread_mutex_t *install_lock;
	struct rarog_recorder *recorder;
	struct rarog_switches *switches; /* NULL: nothing is known of them */
	struct rarog_image *images;
	struct rarog_image *done; /* to be freed by the thread, which may be asleep on one */
	struct rarog_processes processes;
	struct rarog_owner owner;
	pid_t answered; /* whose request is being answered */
	uint32_t answered_is_gone;
	uint32_t is_looking, is_calling; /* at libraries for that; a system call is waited for */
	uint64_t stood_ns; /* how long that took; while it goes on: the clock less that, STANDS */
	/* Guards these two, and changes of images. Taken last. */
	pthread_mutex_t noise_lock;
	bool is_quiet;                   /* no noise is made now */
	uint64_t lapses;                 /* how often noise had ended before we were there again */
	struct rarog_thinning *thinning; /* borrowed */
	bool stop;
	int result; /* first error of the recorder */
	char message[512];
	struct timespec last_sweep;
	size_t next_look;      /* for breakpoints: number of the process … */
	uint64_t next_look_ns; /* … and when, CLOCK_MONOTONIC */
	uint32_t rounds_idle;
};

static inline long rarog_drain_futex(uint32_t *word, int operation, uint32_t value,
				     const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

/** rarog_drain_keep() - remember @r if it is the first error. */
void rarog_drain_keep(struct rarog_drain *d, int r);

/** rarog_drain_take() - take all full chunks of @image. Return: were there any? */
bool rarog_drain_take(struct rarog_drain *d, struct rarog_image *image);

/** rarog_drain_give_more() - more chunks, if threads wait that have all of them. */
void rarog_drain_give_more(struct rarog_image *image);

/** rarog_drain_look() - for breakpoints in our jumps, a hundred times a second or, where that takes
 * long, less often. */
void rarog_drain_look(struct rarog_drain *d);

/** rarog_drain_sweep() - ten times a second, look which threads are gone or have filters. */
void rarog_drain_sweep(struct rarog_drain *d);

/** rarog_drain_end_of() - end the strands of the process that calls itself @inner. */
void rarog_drain_end_of(struct rarog_drain *d, struct rarog_image *image, pid_t inner,
			uint64_t ticks);

/** rarog_drain_close_all() - end what is recorded of all strands; their threads may still run. */
void rarog_drain_close_all(struct rarog_drain *d, struct rarog_image *image, uint64_t ticks);

#endif
