/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread does all ptrace work, since only the thread that attached may. It sleeps in
 * sigtimedwait() for SIGCHLD and never blocks in waitpid(). The program is attached to with
 * PTRACE_SEIZE before it execs, so job control and signals work as without us; if we die, the
 * kernel lets it go on.
 *
 * What it does when a thread stops is in tracer-stops.c and, for a new program, tracer-exec.c;
 * which processes there are is in tracer-processes.c.
 */
#include "engine/inline/ptrace/tracer.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/ended.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "engine/inline/ptrace/ignored.h"
#include "engine/inline/ptrace/leave.h"
#include "engine/inline/ptrace/tracer-state.h"
#include "engine/inline/ptrace/tracer-traps.h"
#include "process/process.h"

#define STOPS_MOST 8
#define NS_WAITING 1000000   /* until the next look, where an exec waits … */
#define NS_IDLE    100000000 /* … or not */

/* --- ends of processes --- */

/* After a time-out, children that outlive the program are waited for, too: they had the SIGTERM.
 * While all are let go, the others go on for as long as there are some. */
static bool is_over(const struct rarog_tracer *t)
{
	return t->ended && !((t->run.timed_out || t->leaves) && t->processes.n > 0);
}

static void reap(struct rarog_tracer *t)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while (!is_over(t) && (pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0) {
		if (WIFSTOPPED(status)) {
			rarog_tracer_stopped(t, pid, status);
			continue;
		}
		rarog_tracer_forget_exec(t, pid);
		rarog_ignored_end(&t->waits, pid);
		rarog_deferred_end(&t->holding, pid);
		if (pid == t->program) {
			t->run.usage = usage;
			if (!rarog_tracer_find(t, pid)) { /* did not even exec */
				t->run.wait_status = status;
				t->ended = true;
			}
		}
		rarog_tracer_end(t, pid, status);
	}
}

static void look_after_released(struct rarog_tracer *t)
{
	for (size_t i = t->processes.n; i-- > 0;)
		if (t->processes.v[i].end >= 0 && rarog_ended(t->processes.v[i].end))
			rarog_tracer_end(t, t->processes.v[i].pid, -1);
}

/* --- time and signals --- */

void rarog_tracer_kill(struct rarog_tracer *t, int signal)
{
	t->run.timed_out = true;
	for (size_t i = 0; i < t->processes.n; i++)
		kill(t->processes.v[i].pid, signal);
}

static int attach(struct rarog_tracer *t)
{
	if (ptrace(PTRACE_SEIZE, t->program, NULL, (void *)rarog_tracer_options(t)) < 0)
		return rarog_fail(-errno,
				  "cannot trace a child process (is ptrace forbidden here?): %s; "
				  "rarog doctor says what to allow",
				  strerror(errno));
	return 0;
}

void rarog_tracer_attend(struct rarog_tracer *t)
{
	reap(t);
	if (is_over(t))
		return;
	rarog_tracer_try_execs(t);
	rarog_deferred_attend(&t->holding);
	rarog_tracer_tell_agents(t);
	rarog_traps_attend(t);
	look_after_released(t);
	rarog_clock_watch_look(t->watch);
}

long rarog_tracer_look(struct rarog_tracer *t, struct rarog_waiter *ret_waiter)
{
	long held;

	rarog_tracer_attend(t);
	ret_waiter->start_ns = t->started ? t->start_ns : 0;
	ret_waiter->has_ended = t->ended;
	ret_waiter->is_over = is_over(t);
	held = rarog_deferred_wants(&t->holding);
	return held ? held : t->waiting.n > 0 ? NS_WAITING : NS_IDLE;
}

/* Without them there is no CPU time, which the profile says. Counting needs none. */
static int watch_switches(struct rarog_tracer *t)
{
	struct rarog_switch_rings *rings = NULL;
	struct rarog_switches *switches = NULL;
	int r;

	if (t->modules->plan->detail == RAROG_DETAIL_COUNT)
		return 0;
	if (rarog_switch_rings_new(t->program, RAROG_SWITCH_PAGES, &rings) < 0) {
		rarog_debug(RAROG_LOG_INSTALL, "%s", rarog_error_message());
		snprintf(t->result.no_cpu_time, sizeof(t->result.no_cpu_time), "%s",
			 rarog_error_message());
		return 0;
	}
	r = rarog_switches_new(t->recorder, rings, &switches);
	if (r == 0)
		rarog_drain_switches(t->drain, switches);
	return r;
}

static int begin(struct rarog_tracer *t)
{
	int r = attach(t);

	return r < 0 ? r : watch_switches(t);
}

static void count_patches(struct rarog_tracer *t)
{
	for (const struct rarog_module *m = t->modules->first; m; m = m->next) {
		t->result.functions += m->n_wanted;
		t->result.patched += m->probes.n;
		t->result.marks += m->marks.v.n;
	}
}

static void release(struct rarog_tracer *t)
{
	for (size_t i = 0; i < t->processes.n; i++)
		rarog_closep(&t->processes.v[i].end);
	for (size_t i = 0; i < t->told.n; i++)
		free(t->told.v[i]);
	rarog_vec_release(&t->processes);
	rarog_vec_release(&t->waiting);
	rarog_ignored_release(&t->waits);
	rarog_deferred_release(&t->holding);
	rarog_vec_release(&t->told);
}

static int stop_drain(void *drain)
{
	return rarog_drain_stop(drain);
}

/* The program's file, when its name was a script's, is an interpreter that was not asked for. */
static bool is_script(const char *name)
{
	char path[PATH_MAX];

	return rarog_program_find(name, path) == 0 && rarog_program_is_script(path);
}

int rarog_tracer_start(const struct rarog_tracer_options *options, pid_t pid,
		       struct rarog_tracer **ret_tracer)
{
	struct rarog_tracer *t = calloc(1, sizeof(*t));
	int r = t ? 0 : rarog_oom();

	if (r < 0)
		return r;
	*t = (struct rarog_tracer){
		.attachment = options->attachment,
		.modules = options->modules,
		.recorder = options->recorder,
		.watch = options->watch,
		.install_lock = PTHREAD_MUTEX_INITIALIZER,
		.program = pid,
		.is_script = !options->attachment && is_script(options->program),
		/* where a program will be let go nothing may lead to a stub then */
		.holding = { rarog_tracer_is_clear, t, options->attachment ? 0 : STOPS_MOST },
	};
	r = rarog_drain_new(t->recorder, &t->install_lock, &t->drain);
	if (r < 0) {
		free(t);
		return r;
	}
	*ret_tracer = t;
	return t->attachment ? rarog_tracer_attach(t) : begin(t);
}

int rarog_tracer_set_place(struct rarog_tracer *t, const struct rarog_place_change *change)
{
	return rarog_drain_change_gates(t->drain, t->modules, change);
}

int rarog_tracer_stop(struct rarog_tracer *t, struct rarog_run_result *run,
		      struct rarog_inline_result *ret_inline)
{
	int drained;

	if (t->attachment && !t->ended)
		rarog_tracer_leave_all(t);
	rarog_tracer_drop_execs(t);
	drained = rarog_leave_during(stop_drain, t->drain);
	release(t);
	count_patches(t);
	run->wait_status = t->run.wait_status;
	run->wall_ns = t->run.wall_ns;
	run->usage = t->run.usage;
	*ret_inline = t->result;
	return t->error < 0 ? t->error : drained;
}

void rarog_tracer_free(struct rarog_tracer *t)
{
	free(t);
}
