/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which places of a program that runs already are counted, and what has been counted so far. */
#ifndef RAROG_BLOW_LIVE_COUNTS_H
#define RAROG_BLOW_LIVE_COUNTS_H

#include <pthread.h>

#include "blow/run.h"

struct rarog_engine;
struct rarog_engine_run;

struct rarog_blow_counted {
	uint64_t calls, amount;
};

/* Since the program was attached to. */
struct rarog_blow_readings {
	/* The functions of the corpus, then points of progress. */
	RAROG_VEC(struct rarog_blow_counted) v;
	uint64_t lapses; /* of noise: run.h, is_spoilt */
};

/* A place of a point: several functions may be called as it is. */
struct rarog_blow_progress_place {
	struct rarog_blow_place place; /* owned */
	size_t point;
};

struct rarog_blow_counts {
	const struct rarog_blow_task *task; /* corpus, points, options */
	RAROG_VEC(struct rarog_blow_progress_place) places;
	struct rarog_blow_readings ended; /* of threads that have ended … */
	uint64_t n_ended;                 /* … and how often something was added … */
	pthread_mutex_t lock;             /* … by another thread */
};

/** rarog_blow_counts_init() - 0; -ENOMEM with message; release in any case. */
int rarog_blow_counts_init(struct rarog_blow_counts *counts, const struct rarog_blow_task *task);
void rarog_blow_counts_release(struct rarog_blow_counts *counts);

/** rarog_blow_counts_plan() - what is patched, and what is told of it, into @plan. */
void rarog_blow_counts_plan(struct rarog_blow_counts *counts, struct rarog_plan *plan);

/** rarog_blow_readings_init() - all 0. 0; -ENOMEM with message; release in any case. */
int rarog_blow_readings_init(const struct rarog_blow_counts *counts,
			     struct rarog_blow_readings *readings);
void rarog_blow_readings_release(struct rarog_blow_readings *readings);

/** rarog_blow_counts_read() - while the program runs. 0; -errno with message. */
int rarog_blow_counts_read(struct rarog_blow_counts *counts, const struct rarog_engine *engine,
			   struct rarog_engine_run *run, struct rarog_blow_readings *to);

#endif
