/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run from its start to its stop; what is done in between is in tracer.c. */
#include "engine/inline/ptrace/tracer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/inline/ptrace/tracer-state.h"
#include "process/leave.h"
#include "process/thread.h"

#define STOPS_MOST 8

static int attach(struct rarog_tracer *t)
{
	if (ptrace(PTRACE_SEIZE, t->program, NULL, (void *)rarog_tracer_options(t)) < 0)
		return rarog_fail(-errno,
				  "cannot trace a child process (is ptrace forbidden here?): %s; "
				  "rarog doctor says what to allow",
				  strerror(errno));
	return 0;
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
	t->thinning = options->thinning;
	r = rarog_drain_new(t->recorder, &t->install_lock, options->thinning, &t->drain);
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

void rarog_tracer_tell_counts(struct rarog_tracer *t, const struct rarog_delay_account *account)
{
	rarog_drain_tell_counts(t->drain, account);
}

/* Let go, they go on unmeasured. */
static void note_outliving(struct rarog_tracer *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->processes.n; i++)
		n += t->processes.v[i].image && !rarog_thread_is_dead(t->processes.v[i].pid);
	rarog_recorder_doubt(t->recorder, RAROG_DOUBT_OUTLIVING, n);
}

int rarog_tracer_stop(struct rarog_tracer *t, struct rarog_run_result *run,
		      struct rarog_inline_result *ret_inline)
{
	int drained;

	if (t->attachment && !t->ended)
		rarog_tracer_leave_all(t);
	if (!t->attachment && t->ended)
		note_outliving(t);
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
