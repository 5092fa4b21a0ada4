/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread does all ptrace work, since only the thread that attached may: the driver's, which
 * looks when a SIGCHLD has come, and never blocks in waitpid(). The program is attached to with
 * PTRACE_SEIZE before it execs, so job control and signals work as without us; if we die, the
 * kernel lets it go on.
 *
 * What it does when a thread stops is in tracer-stops.c and, for a new program, tracer-exec.c;
 * which processes there are is in tracer-processes.c.
 */
#include "engine/inline/ptrace/tracer.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/ended.h"
#include "engine/inline/ptrace/tracer-state.h"
#include "engine/inline/ptrace/tracer-traps.h"
#include "process/ignored.h"

#define NS_WAITING  1000000   /* until the next look, where an exec waits … */
#define NS_IDLE     100000000 /* … or not */
#define NS_THINNING 5000000   /* where jumps are taken out meanwhile */

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

static long ns_idle(const struct rarog_tracer *t)
{
	const struct rarog_plan *plan = t->modules->plan;

	return plan->overhead > 0 || plan->probing.threshold > 0 ? NS_THINNING : NS_IDLE;
}

long rarog_tracer_look(struct rarog_tracer *t, struct rarog_waiter *ret_waiter)
{
	long held;

	rarog_tracer_attend(t);
	ret_waiter->start_ns = t->started ? t->start_ns : 0;
	ret_waiter->stood_ns = t->stood_ns + rarog_drain_stood_ns(t->drain);
	ret_waiter->has_ended = t->ended;
	ret_waiter->is_over = is_over(t);
	held = rarog_deferred_wants(&t->holding);
	return held ? held : t->waiting.n > 0 ? NS_WAITING : ns_idle(t);
}
