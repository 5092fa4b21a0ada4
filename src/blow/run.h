/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run with noise, from its plan to what it took. */
#ifndef RAROG_BLOW_RUN_H
#define RAROG_BLOW_RUN_H

#include "blow/blow.h"

/* What is to be done, and … */
struct rarog_blow_task {
	const struct rarog_blow_options *options;
	struct rarog_blow_corpus *corpus;         /* gets what was spent where */
	const struct rarog_blow_threads *threads; /* of the traced run */
	struct rarog_blow_births *births;         /* NULL: not asked for */
	enum rarog_blow_what what;
	struct rarog_blow_function *own;        /* of RAROG_BLOW_OWN and RAROG_BLOW_CONTROL */
	const struct rarog_blow_points *points; /* of progress; of the traced run: names */
	uint64_t timeout_ns;                    /* 0: none */
	const char *profile;                    /* path of a file that is written for it */
	const char *output; /* … and of what the program prints; NULL: it is lost */
};

/* … what came of it. */
struct rarog_blow_outcome {
	enum rarog_blow_what what;
	double time_ns; /* without what others had of the processor, where that is known */
	double wall_ns; /* with that; without what it stood still for, while libraries got probes */
	double gained_ns;  /* that other threads were to pause, all together … */
	double paused_ns;  /* … and that they did */
	uint64_t taken_ns; /* until the next could begin */
	double starved;    /* part of the time in which threads could run, and others did; in a
			    * window of a program whose threads share the work */
	uint64_t passes[RAROG_BLOW_POINTS_MOST]; /* of each point */
	int status;                              /* wait status */
	uint64_t output; /* digest of what it printed, if that is compared; else 0 */
	bool timed_out;
	bool is_spoilt; /* rarog was stopped, or had no processor, so noise ended for a while */
	struct rarog_blow_function *hung_by; /* … in a window: by noise in it; NULL: the own one */
	double *thread_ns; /* [task->threads->v.n]: of each thread, NAN: it is not there. NULL: not
			    * asked. The caller frees, as the next, also on failure */
	struct rarog_thread_stacks
		stacks; /* if it is: where its threads stood. The caller releases */
};

/** rarog_blow_trace() - the first run, without noise: which functions there are. Its profile is
 * written. 0; -errno with message. */
int rarog_blow_trace(const struct rarog_blow_task *task, struct rarog_blow_outcome *ret_outcome);

/** rarog_blow_count_passes() - in the profile @path: calls of all functions, or passages of all
 * points, that are called @name. 0; -errno with message. */
int rarog_blow_count_passes(const char *path, const char *name, uint64_t *ret_n);

/** rarog_blow_is_meant() - is the place called @place what --progress=@name asks for? A mark is
 * known by its name alone, too: "done" of "rarog:done". */
bool rarog_blow_is_meant(const char *name, const char *place, bool is_mark);

/** rarog_blow_run() - one with noise, or to compare with. 0; -errno with message. */
int rarog_blow_run(const struct rarog_blow_task *task, struct rarog_blow_outcome *ret_outcome);

#endif
