/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the program, puts the agent into every program image that is to be measured before its first
 * instruction, and follows the process tree until the program has ended.
 */
#ifndef RAROG_ENGINE_INLINE_PTRACE_TRACER_H
#define RAROG_ENGINE_INLINE_PTRACE_TRACER_H

#include "engine/inline/code/module.h"
#include "engine/request.h"
#include "events/recorder.h"
#include "process/clock.h"
#include "process/untraced.h"

#define RAROG_CHUNKS_FIRST 128 /* of the program: 8 MiB of ring */

struct rarog_inline_result {
	uint64_t start_ticks, end_ticks; /* of the program */
	uint64_t install_ns;             /* reading, judging and patching, all images */
	uint64_t functions, patched;     /* wanted and patched, all modules */
	uint64_t marks;                  /* places of USDT probes, all modules */
	uint32_t images;                 /* program images measured */
	char others[256];                /* programs not measured, names: "sh, ls" */
	char no_cpu_time[256];           /* why it is not known, "": it is */
	bool explained;                  /* a warning said already why one is not measured */
	/* Of an attachment: */
	bool detached;        /* the program goes on */
	bool has_rest;        /* something was left in it, a warning said what */
	uint64_t stood_ns[2]; /* how long it stood still, for attaching and for detaching */
	uint32_t avoided;     /* functions that could not be patched just then */
};

struct rarog_tracer;
struct rarog_thinning;

struct rarog_tracer_options {
	const struct rarog_attachment *attachment; /* NULL: the program is to be started */
	const char *program;                       /* its name */
	struct rarog_modules
		*modules; /* gets every binary touched; for source lines after the run */
	struct rarog_recorder *recorder;
	struct rarog_thinning *thinning; /* begun; read after the run */
	struct rarog_clock_watch *watch; /* looked at while the program runs */
};

/**
 * rarog_tracer_start() - trace @pid, which waits for its execve(), or attach to it and put probes
 * in
 *
 * Signals that are waited for, and SIGCHLD, are blocked already. Return: 0; -errno with message:
 * rarog_tracer_stop() is due all the same if there is a tracer.
 */
int rarog_tracer_start(const struct rarog_tracer_options *options, pid_t pid,
		       struct rarog_tracer **ret_tracer);

/** rarog_tracer_look() - deal with everything that has stopped or ended meanwhile; by the thread
 * that has started it, as all of these. Return: ns until the next look at the latest. */
long rarog_tracer_look(struct rarog_tracer *tracer, struct rarog_waiter *ret_waiter);

/** rarog_tracer_tell_counts() - as tell_counts() of the engine. */
void rarog_tracer_tell_counts(struct rarog_tracer *tracer,
			      const struct rarog_delay_account *account);

/** rarog_tracer_set_place() - as set_place() of the engine. */
int rarog_tracer_set_place(struct rarog_tracer *tracer, const struct rarog_place_change *change);

/** rarog_tracer_kill() - a signal for all that is traced: the time is over. What outlives the
 * program is waited for from here on. */
void rarog_tracer_kill(struct rarog_tracer *tracer, int signal);

/**
 * rarog_tracer_stop() - the program has ended, or is let go and becomes what it was
 * @run: gets how it ended and what it used
 *
 * Return: 0; the first error while it ran, with message.
 */
int rarog_tracer_stop(struct rarog_tracer *tracer, struct rarog_run_result *run,
		      struct rarog_inline_result *ret_inline);

/** rarog_tracer_free() - after that. */
void rarog_tracer_free(struct rarog_tracer *tracer);

#endif
