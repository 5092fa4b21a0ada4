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

#define STOPS_MOST    8
#define KILL_AFTER_NS 2000000000ull /* after a time-out's SIGTERM */

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
		if (pid == t->launch.pid) {
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

static void kill_all(struct rarog_tracer *t, int signal)
{
	for (size_t i = 0; i < t->processes.n; i++)
		kill(t->processes.v[i].pid, signal);
}

static void watch_time(struct rarog_tracer *t)
{
	uint64_t limit = t->command->timeout_ns, spent;

	if (limit == 0 || !t->started)
		return;
	spent = rarog_now_ns() - t->start_ns;
	if (spent >= limit && !t->term_sent) {
		t->run.timed_out = t->term_sent = true;
		kill_all(t, SIGTERM);
		kill_all(t, SIGCONT);
	} else if (spent >= limit + KILL_AFTER_NS) {
		kill_all(t, SIGKILL);
	}
}

int rarog_tracer_wait(struct rarog_tracer *t, const sigset_t *signals, siginfo_t *ret_info)
{
	bool hurry = t->command->timeout_ns && !t->term_sent;
	long ms = t->waiting.n > 0 ? 1 : hurry ? 10 : 100, held = rarog_deferred_wants(&t->holding);
	struct timespec moment = { .tv_nsec = held ? held : ms * 1000000 };

	return sigtimedwait(signals, ret_info, &moment);
}

static int attach(struct rarog_tracer *t)
{
	if (ptrace(PTRACE_SEIZE, t->launch.pid, NULL, (void *)rarog_tracer_options(t)) < 0)
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

static int supervise(struct rarog_tracer *t, const sigset_t *signals)
{
	while (!is_over(t)) {
		siginfo_t info;

		rarog_tracer_attend(t);
		if (is_over(t))
			break;
		watch_time(t);
		if (rarog_tracer_wait(t, signals, &info) > 0)
			rarog_forwarding_pass(&t->forwarding, t->ended ? 0 : t->launch.pid, &info);
	}
	rarog_tracer_drop_execs(t);
	if (t->error < 0)
		return t->error;
	t->run.launch_error = rarog_launch_failed(&t->launch, t->command->argv[0]);
	return t->run.launch_error;
}

/* Without them there is no CPU time, which the profile says. Counting needs none. */
static int watch_switches(struct rarog_tracer *t)
{
	struct rarog_switch_rings *rings = NULL;
	struct rarog_switches *switches = NULL;
	int r;

	if (t->modules->plan->detail == RAROG_DETAIL_COUNT)
		return 0;
	if (rarog_switch_rings_new(t->launch.pid, RAROG_SWITCH_PAGES, &rings) < 0) {
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

/* What came while it was held. */
static void hand_over(struct rarog_tracer *t)
{
	sigset_t taken;

	rarog_forwarding_take(&taken);
	rarog_forwarding_hand_over(&t->forwarding, t->launch.pid, &taken);
}

static int run_attached(struct rarog_tracer *t, const sigset_t *signals)
{
	int r = rarog_launch(t->command, &t->launch);

	if (r < 0)
		return r;
	r = attach(t);
	if (r == 0)
		r = watch_switches(t);
	if (r < 0) {
		kill(t->launch.pid, SIGKILL);
		waitpid(t->launch.pid, NULL, 0);
	} else {
		hand_over(t);
		rarog_launch_go(&t->launch);
		r = supervise(t, signals);
		rarog_launch_count(&t->launch, &t->run);
	}
	rarog_launch_release(&t->launch);
	return r;
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

int rarog_tracer_init(struct rarog_tracer *t, sigset_t *ret_signals)
{
	int r = rarog_drain_new(t->recorder, &t->install_lock, &t->drain);

	if (r < 0)
		return r;
	if (t->attachment) {
		rarog_signals_hold(ret_signals);
		sigaddset(ret_signals, SIGTERM); /* also when the one in front has ended */
	} else {
		rarog_forwarding_signals(ret_signals);
	}
	sigaddset(ret_signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, ret_signals, NULL);
	/* where a program will be let go nothing may lead to a stub then */
	t->holding = (struct rarog_deferred_signals){ rarog_tracer_is_clear, t,
						      t->attachment ? 0 : STOPS_MOST };
	return 0;
}

int rarog_tracer_finish(struct rarog_tracer *t, int r)
{
	int drained;

	rarog_forwarding_end(&t->forwarding, &t->command->mask);
	drained = rarog_leave_during(stop_drain, t->drain);
	release(t);
	count_patches(t);
	return r < 0 ? r : drained;
}

/* The program's file, when its name was a script's, is an interpreter that was not asked for. */
static bool is_script(const char *name)
{
	char path[PATH_MAX];

	return rarog_program_find(name, path) == 0 && rarog_program_is_script(path);
}

int rarog_inline_run(const struct rarog_command_line *command, struct rarog_modules *modules,
		     struct rarog_recorder *recorder, struct rarog_clock_watch *watch,
		     struct rarog_run_result *ret_run, struct rarog_inline_result *ret_inline)
{
	struct rarog_tracer t = {
		.command = command,
		.modules = modules,
		.recorder = recorder,
		.watch = watch,
		.install_lock = PTHREAD_MUTEX_INITIALIZER,
		.launch = RAROG_LAUNCH_NONE,
		.is_script = is_script(command->argv[0]),
	};
	sigset_t signals;
	int r = rarog_tracer_init(&t, &signals);

	if (r < 0)
		return r;
	r = rarog_tracer_finish(&t, run_attached(&t, &signals));
	*ret_run = t.run;
	*ret_inline = t.result;
	return r;
}
