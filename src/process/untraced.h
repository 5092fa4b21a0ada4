/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_PROCESS_UNTRACED_H
#define RAROG_PROCESS_UNTRACED_H

#include <stddef.h>

#include "process/running.h"
#include "process/signal-forwarding.h"

/**
 * rarog_run_untraced() - run the program without measuring it (--warmup)
 *
 * Time limit and signals as in a measured run: those are held then (base/signals.h). Return: 0 it
 * ran, whatever its status; else negative with message, @ret_run->launch_error says whether it
 * could not be started.
 */
int rarog_run_untraced(const struct rarog_command_line *command, struct rarog_run_result *ret_run);

/* Of a program that is traced: only its tracer can wait for it, and says so here. */
struct rarog_waiter {
	uint64_t start_ns; /* when it began; 0: not yet, and no time-out runs */
	uint64_t stood_ns; /* since then, for what it loads to be prepared; a stand may go on */
	bool has_ended;    /* it has; what it has started may go on … */
	bool is_over;      /* … and be waited for until now */
};

/* Several that start at the same moment. */
struct rarog_untraced {
	const struct rarog_command_line *command; /* borrowed */
	struct rarog_launch child;
	struct rarog_forwarding forwarding;
	struct rarog_run_result run;
	uint64_t start_ns;
	uint64_t held_main_ns, held_delay_ns; /* of .run's, before it was let go */
	struct rusage held;                   /* faults, switches and memory until then */
	bool is_over;
	/** look() - while it runs, until it is over; NULL: none. Return: ns until the next time at
	 * the latest, 0: no matter when. */
	long (*look)(void *user);
	/** kill() - when its time is over: a signal for all that it has started; NULL: for it
	 * alone.
	 */
	void (*kill)(void *user, int signal);
	void *user;
	const struct rarog_waiter *waiter; /* NULL: it is waited for here. Else look() does */
};

#define RAROG_LOOK_NS 20000000

/** rarog_untraced_hold() - the process is there, with this process's directory, environment and
 * descriptors as they are now, and waits. Signals to be passed on wait as well, until it is let go,
 * and all stay blocked (base/signals.h). 0; negative with message. Go or drop follows. */
int rarog_untraced_hold(const struct rarog_command_line *command,
			struct rarog_untraced *ret_untraced);
void rarog_untraced_drop(struct rarog_untraced *untraced);

/** rarog_untraced_go() - let all run, in this order, until the last has ended. As
 * rarog_run_untraced(); results stand in .run. */
int rarog_untraced_go(size_t n, struct rarog_untraced runs[]);

/**
 * rarog_untraced_wall() - ns from start to end without those in which the program was ready to run
 * and others had the processor: what it would take on a machine of its own
 *
 * Known of a program whose main thread does nine tenths of the work; else all of the time.
 */
uint64_t rarog_untraced_wall(const struct rarog_run_result *run);

#endif
