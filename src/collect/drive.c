/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walk through an engine's steps. What is the same for all engines is here alone: the program
 * that is started or found, its time, signals, windows, and what follows a failure. The first thing
 * that goes wrong is what is told.
 */
#include "collect/drive.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "collect/windows.h"
#include "process/watch.h"

struct drive {
	const struct rarog_engine *engine;
	const struct rarog_engine_steps *steps; /* its own */
	const struct rarog_trace_options *options;
	struct rarog_engine_run *run;
	struct rarog_window_keeper windows;
	bool is_steered;
	int result; /* the first failure … */
	char message[1024];
};

/* … and its message, whatever comes after it. */
static void note(struct drive *d, int r)
{
	if (r >= 0 || d->result < 0)
		return;
	d->result = r;
	snprintf(d->message, sizeof(d->message), "%s", rarog_error_message());
}

/* --- while it runs --- */

/* Of two times until something is to be done, of which 0 is never. */
static long sooner(long a, long b)
{
	return b <= 0 || (a > 0 && a < b) ? a : b;
}

static long steer(struct drive *d)
{
	long ns = d->is_steered ? d->options->steer(d->options->steerer, d->engine, d->run) : 0;

	d->is_steered = ns > 0;
	return ns;
}

static long look(void *drive)
{
	struct drive *d = drive;
	long ns = d->steps->drain ? d->steps->drain(d->run) : 0;

	ns = sooner(ns, rarog_windows_keep(&d->windows, d->engine, d->run));
	return sooner(ns, steer(d));
}

static void kill_all(void *drive, int signal)
{
	struct drive *d = drive;

	d->steps->kill(d->run, signal);
}

/* --- the program --- */

static int start(struct drive *d, pid_t pid)
{
	int r = d->steps->start ? d->steps->start(d->run, pid) : 0;

	note(d, r);
	return r;
}

static void stop(struct drive *d)
{
	if (d->steps->stop)
		note(d, d->steps->stop(d->run));
}

static void run_held(struct drive *d, struct rarog_untraced *one)
{
	one->look = look;
	one->kill = d->steps->kill ? kill_all : NULL;
	one->user = d;
	one->waiter = d->steps->traces ? &d->run->waiter : NULL;
	note(d, rarog_untraced_go(1, one));
	d->run->collected.run = one->run;
	d->run->collected.prepared_ns = d->run->waiter.stood_ns;
}

static void run_program(struct drive *d)
{
	struct rarog_untraced one = { .child = RAROG_LAUNCH_NONE };
	int r = rarog_untraced_hold(d->run->command, &one);

	note(d, r);
	if (r < 0)
		return;
	if (start(d, one.child.pid) < 0)
		rarog_untraced_drop(&one);
	else
		run_held(d, &one);
	stop(d);
}

static void watch_running(struct drive *d)
{
	const struct rarog_attachment *attachment = d->options->attachment;
	const struct rarog_watch watch = {
		.pid = attachment->pid,
		.duration_ns = attachment->duration_ns,
		.is_over = attachment->is_over,
		.look = look,
		.user = d,
		.waiter = d->steps->traces ? &d->run->waiter : NULL,
	};
	struct rarog_run_result *run = &d->run->collected.run;
	uint64_t start_ns;
	int r;

	rarog_watch_hold();
	r = start(d, attachment->pid);
	start_ns = rarog_now_ns();
	if (r == 0)
		note(d, rarog_watch(&watch));
	run->wait_status = -1;
	run->wall_ns = rarog_now_ns() - start_ns;
	stop(d);
}

/* --- all of it --- */

static void walk(struct drive *d)
{
	note(d, d->steps->prepare(d->run));
	if (d->result == 0 && d->options->attachment)
		watch_running(d);
	else if (d->result == 0)
		run_program(d);
	if (d->result == 0)
		note(d, d->steps->finish(d->run));
}

int rarog_drive(const struct rarog_engine *engine, const struct rarog_trace_options *options,
		struct rarog_collected *ret_collected)
{
	rarog_cleanup(rarog_freep) struct rarog_engine_run *run = calloc(1, engine->steps->size);
	struct drive d = {
		.engine = engine,
		.steps = engine->steps,
		.options = options,
		.run = run,
		.windows = { .windows = &options->plan->windows },
		.is_steered = options->steer != NULL,
	};

	*ret_collected = (struct rarog_collected){ 0 };
	if (!run)
		return rarog_oom();
	run->options = options;
	run->command = options->command;
	walk(&d);
	*ret_collected = run->collected;
	engine->steps->release(run);
	return d.result < 0 ? rarog_fail(d.result, "%s", d.message) : 0;
}
