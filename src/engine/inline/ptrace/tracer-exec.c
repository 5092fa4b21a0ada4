/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every execve stops with the new image mapped and nothing run: there the image is patched, or left
 * alone when it is not to be measured.
 */
#include "base/clock.h"
#include "engine/inline/ptrace/tracer-state.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <x86intrin.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/inline/ptrace/new-task.h"
#include "plan/conflict.h"
#include "plan/function-match.h"
#include "plan/obstacles.h"
#include "process/leave.h"
#include "process/maps.h"
#include "process/namespaces.h"
#include "process/process.h"

#define CHUNKS_CHILD 32

/* --- exec --- */

static int install(struct rarog_tracer *t, pid_t pid, const char *path,
		   struct rarog_image **ret_image)
{
	uint32_t chunks = t->started ? CHUNKS_CHILD : RAROG_CHUNKS_FIRST;
	struct rarog_remote remote;
	uint64_t start = rarog_now_ns(), spent;
	int r;

	rarog_maps_log(pid);
	r = rarog_image_judge(t->modules, pid, path);
	if (r == 0)
		r = rarog_remote_open_stopped(pid, &remote);
	if (r == 0) {
		r = rarog_image_new(t->modules, t->recorder, &remote, path, chunks, ret_image);
		rarog_remote_close(&remote);
	}
	spent = rarog_now_ns() - start;
	t->result.install_ns += spent;
	t->stood_ns += t->started ? spent : 0;
	t->result.images += r == 0;
	return r;
}

/* A line about a program is said once, however often it is started. */
static bool is_news(struct rarog_tracer *t, const char *path)
{
	char *copy;

	for (size_t i = 0; i < t->told.n; i++)
		if (strcmp(t->told.v[i], path) == 0)
			return false;
	copy = strdup(path);
	if (!copy || rarog_vec_push(&t->told, copy) < 0)
		free(copy);
	t->result.explained = true;
	return true;
}

/* @reason: why the program itself is not measured, NULL: it is */
static void explain(struct rarog_tracer *t, const char *path, const char *reason)
{
	const char *and_more = reason ? ", nor is what it starts" : "";

	if (!reason && !t->leaves_children)
		return;
	if (!is_news(t, path))
		return;
	if (reason)
		rarog_warn("%s is not traced%s: %s", path, t->leaves_children ? and_more : "",
			   reason);
	else
		rarog_warn("what %s starts is not traced: it uses ptrace() itself; trace that "
			   "program without it",
			   path);
}

/* For the message when nothing was measured. */
static void note_other(struct rarog_tracer *t, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *others = t->result.others;
	size_t n = strlen(others), room = sizeof(t->result.others) - n;

	if (!strstr(others, name) && strlen(name) + 3 < room)
		snprintf(others + n, room, "%s%s", n ? ", " : "", name);
}

/* Only SIGKILL takes @pid out of the stop in which we hold it. What it was killed by is known
 * later. */
static bool was_killed(pid_t pid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) < 0 && errno == ESRCH;
}

static void on_exec(struct rarog_tracer *t, pid_t pid)
{
	struct rarog_traced *known = rarog_tracer_find(t, pid);
	uint32_t parent = known ? known->index : RAROG_NONE;
	struct rarog_image *image = NULL;
	char path[PATH_MAX] = "", link[64];
	int r = rarog_process_path(pid, path);
	const char *file = rarog_process_file(pid, path, link);

	if (known) {
		rarog_recorder_end_process(t->recorder, known->index, __rdtsc(), -1);
		rarog_drain_process_gone(t->drain, pid, __rdtsc());
		known->image = NULL; /* it may have been the last */
	}
	t->leaves_children = r == 0 && t->modules->plan->follow && rarog_conflict_ptrace(file);
	if (r == 0 &&
	    rarog_program_is_meant(t->modules->plan, !t->started && !t->is_script, path, file))
		r = install(t, pid, file, &image);
	else
		note_other(t, path);
	if (r < 0 && was_killed(pid))
		; /* as it would have been without us */
	else if (r < 0 && !t->started && !t->is_script)
		t->error = r;
	else
		explain(t, path, r != 0 ? rarog_error_message() : NULL);
	if (rarog_obstacles_rights(file))
		rarog_warn("%s runs without its special rights (set-user-id, capabilities): the "
			   "kernel gives none to what is traced, unless by root",
			   path);
	if (image)
		rarog_drain_image(t->drain, image);
	if (!t->started) {
		t->result.start_ticks = __rdtsc();
		t->start_ns = rarog_now_ns();
		t->started = true;
	}
	rarog_tracer_add(t, pid, parent, image);
}

/* The leak checker of the sanitizers attaches to its own program at the end, debuggers to what they
 * start. */
bool rarog_tracer_wants_none(struct rarog_tracer *t, pid_t pid)
{
	char path[PATH_MAX];

	if (!t->modules->plan->follow || t->leaves_children)
		return true;
	return rarog_process_path(pid, path) == 0 &&
	       (rarog_file_names(path, "__asan_init") || rarog_file_names(path, "__lsan_init"));
}

static void on_exec_stop(struct rarog_tracer *t, pid_t pid)
{
	struct rarog_image *image;

	if (t->leaves) { /* nothing of ours is in it */
		rarog_tracer_end(t, pid, -1);
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
		return;
	}
	on_exec(t, pid);
	if (t->error < 0)
		kill(pid, SIGKILL);
	else if (rarog_tracer_wants_none(t, pid)) {
		rarog_tracer_let_go(t, pid);
		return;
	}
	image = rarog_drain_image_of(t->drain, pid);
	if (image && !t->attachment) /* else they do not come by us when it is let go */
		image->control->signals = 1;
	if (image)
		rarog_new_task_first(image, pid);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
}

/*
 * The drain has the modules while it works in a process that loads a library, with the help of a
 * thread there. That thread may be stopped by a signal, for us to let it go on: what waits for
 * the modules here waits for ever.
 */
static bool try_exec(struct rarog_tracer *t, pid_t pid)
{
	if (pthread_mutex_trylock(&t->install_lock) != 0)
		return false;
	on_exec_stop(t, pid);
	pthread_mutex_unlock(&t->install_lock);
	return true;
}

void rarog_tracer_forget_exec(struct rarog_tracer *t, pid_t pid)
{
	for (size_t i = t->waiting.n; i-- > 0;)
		if (t->waiting.v[i] == pid)
			t->waiting.v[i] = t->waiting.v[--t->waiting.n];
}

void rarog_tracer_try_execs(struct rarog_tracer *t)
{
	for (size_t i = t->waiting.n; i-- > 0;) {
		pid_t pid = t->waiting.v[i];

		if (try_exec(t, pid))
			rarog_tracer_forget_exec(t, pid);
	}
}

void rarog_tracer_exec(struct rarog_tracer *t, pid_t pid)
{
	rarog_deferred_end(&t->holding, pid);
	if (!try_exec(t, pid) && rarog_vec_push(&t->waiting, pid) < 0)
		rarog_tracer_let_go(t, pid); /* unmeasured rather than stopped */
}

void rarog_tracer_drop_execs(struct rarog_tracer *t)
{
	while (t->waiting.n > 0)
		rarog_tracer_let_go(t, t->waiting.v[--t->waiting.n]);
}
