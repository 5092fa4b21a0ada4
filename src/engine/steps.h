/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run is a walk through its steps, which collect/drive.c does for all engines:
 *
 *	prepare ── start ── the program runs ── stop ── finish ── release
 *	                     drain, set_place
 *
 * The driver starts the program or finds the one that runs, passes signals on, and ends what takes
 * too long. A step that fails is not repeated; stop() and release() come all the same.
 */
#ifndef RAROG_ENGINE_STEPS_H
#define RAROG_ENGINE_STEPS_H

#include "engine/place-change.h"
#include "engine/request.h"
#include "process/untraced.h"

/* What an engine has of one run: its own struct begins with it. */
struct rarog_engine_run {
	const struct rarog_trace_options *options; /* borrowed, as … */
	/* … what is to be started: that of the options, unless prepare() puts another here. */
	const struct rarog_command_line *command;
	struct rarog_collected collected;
	struct rarog_waiter waiter; /* kept by drain() of an engine that traces the program */
};

/** rarog_collected_calls() - "what" and "kept" of an engine that records calls; warns of losses. */
void rarog_collected_calls(const struct rarog_recorder_totals *totals,
			   struct rarog_collected *collected);

/** rarog_collected_outliving() - warns of @n processes that run on when the program has ended. */
void rarog_collected_outliving(uint64_t n);

struct rarog_engine_steps {
	size_t size; /* of the engine's own struct of a run; zeroed before prepare() */
	bool traces; /* it traces the program, and so waits for it: run->waiter */

	/**
	 * prepare() - everything that needs no process: read, judge, load, open the profile
	 *
	 * Says in one line what it cannot do. A program that cannot be found or executed is noted
	 * in run->collected.run.launch_error, if that is found out here. Return: 0; -errno with
	 * message.
	 */
	int (*prepare)(struct rarog_engine_run *run);

	/**
	 * start() - from here on calls of @pid are recorded
	 * @pid: held before its execve(), or that of options->attachment, which goes on meanwhile;
	 * 0: of all processes of options->attachment->file
	 *
	 * NULL: prepare() has done all. Return: 0; -errno with message: the program that is held
	 * does not run then.
	 */
	int (*start)(struct rarog_engine_run *run, pid_t pid);

	/**
	 * set_place() - while it runs, what becomes of calls of one place, or of all
	 *
	 * For calls that begin from now on; those that are open end as they began. NULL:
	 * RAROG_ENGINE_SWITCHES is not among its abilities. Return: 0; -ENOTSUP: it cannot do that
	 * there; -ENOENT: there is no such place; with message. What was set stays as it was then.
	 */
	int (*set_place)(struct rarog_engine_run *run, const struct rarog_place_change *change);

	/**
	 * tell_counts() - while it runs, what has been counted so far at each place, thread by
	 * thread
	 *
	 * Of a plan with delays. Threads that have ended were told by the plan's account. NULL:
	 * it cannot.
	 */
	void (*tell_counts)(struct rarog_engine_run *run,
			    const struct rarog_delay_account *account);

	/**
	 * drain() - while it runs, by the thread that has called start(): see to what has happened,
	 * deliver what has come
	 *
	 * What goes wrong is remembered for stop(): the program runs on. NULL: there is nothing to
	 * do. Return: ns until the next time at the latest, 0: no matter when.
	 */
	long (*drain)(struct rarog_engine_run *run);

	/** kill() - @signal to all that the program has started; NULL: it goes to the program. */
	void (*kill)(struct rarog_engine_run *run, int signal);

	/**
	 * stop() - it is over, or is let go: nothing is recorded any more, all that was is
	 * delivered
	 *
	 * Follows every start(), also one that has failed. run->collected.run says how the program
	 * went, as far as the driver knows; the rest is filled in here. NULL: there is nothing to
	 * do. Return: 0; the first thing that went wrong since start(), with message.
	 */
	int (*stop)(struct rarog_engine_run *run);

	/** finish() - write the profile, fill in run->collected; only after success of all before.
	 * Warns of what was lost, which the profile says as well. 0; -errno with message. */
	int (*finish)(struct rarog_engine_run *run);

	/** release() - after anything, also after a prepare() that has failed: leaves no process,
	 * probe, file or memory. */
	void (*release)(struct rarog_engine_run *run);
};

#endif
