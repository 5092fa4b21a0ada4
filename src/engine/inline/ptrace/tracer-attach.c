/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that runs already: attach, follow it as one that was started here, and let it go.
 *
 * Everything that came from it in the meantime is let go, too, process by process, while the others
 * go on and may fork or exec: those that share their memory with another (between vfork and exec)
 * only when they do not any more. If that lasts, all of them keep their probes: to
 * take them out, all threads that run there must be stopped.
 */
#include "base/clock.h"
#include "engine/inline/ptrace/tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/inline/attach/attach.h"
#include "engine/inline/attach/detach.h"
#include "engine/inline/ptrace/tracer-state.h"
#include "engine/inline/ptrace/tracer-traps.h"
#include "process/ignored.h"
#include "process/sharing.h"

#define LEAVE_LIMIT_NS 10000000000ull /* until what cannot be restored is left there */
#define LEAVE_PAUSE_NS 2000000

static void tell(const struct rarog_tracer *t, bool is_end)
{
	if (t->attachment->stopped)
		t->attachment->stopped(t->attachment->user, is_end);
}

/* --- attaching --- */

static void begin(struct rarog_tracer *t, struct rarog_threads *threads)
{
	pid_t pid = t->attachment->pid;

	tell(t, false);
	t->started = true;
	t->result.start_ticks = __rdtsc();
	t->start_ns = rarog_now_ns();
	if (rarog_tracer_wants_none(t, pid)) {
		rarog_tracer_watch_released(t, pid);
		rarog_threads_let_go(threads);
	} else {
		rarog_threads_resume(threads, rarog_tracer_options(t));
	}
}

int rarog_tracer_attach(struct rarog_tracer *t)
{
	struct rarog_threads threads = { 0 };
	struct rarog_image *image = NULL;
	uint64_t start = rarog_now_ns();
	int r;

	snprintf(t->result.no_cpu_time, sizeof(t->result.no_cpu_time),
		 "rarog attached to a program that ran already");
	r = rarog_attach(t->modules, t->recorder, t->attachment->pid, RAROG_CHUNKS_FIRST, &threads,
			 &image);

	t->result.install_ns = rarog_now_ns() - start;
	if (r == 0) {
		t->result.images = 1;
		t->result.avoided = image->avoided;
		rarog_drain_image(t->drain, image);
		rarog_tracer_add(t, t->attachment->pid, RAROG_NONE, image);
		begin(t, &threads);
		t->result.stood_ns[0] = rarog_now_ns() - threads.stopped_ns;
	}
	rarog_threads_release(&threads);
	return r;
}

/* --- letting go --- */

/* A child between vfork() and exec, or its parent. */
static bool shares_memory(const struct rarog_tracer *t, pid_t pid)
{
	RAROG_VEC(pid_t) all = { 0 };
	bool is_shared = true; /* as long as nobody has said that it is not */
	int r = 0;

	for (size_t i = 0; r == 0 && i < t->processes.n; i++)
		r = rarog_vec_push(&all, t->processes.v[i].pid);
	if (r == 0)
		is_shared = rarog_sharing_any(pid, all.n, all.v);
	rarog_vec_release(&all);
	return is_shared;
}

static void say_rest(struct rarog_tracer *t, pid_t pid, const char *why)
{
	t->result.has_rest = true;
	rarog_warn("process %d goes on, but its probes could not be taken out entirely: %s",
		   (int)pid, why);
}

/* What cannot be cleaned now and never will be. */
static int clean_entries(struct rarog_image *image, struct rarog_threads *threads, const char *why)
{
	int r = rarog_detach_entries(image, threads);

	return r < 0 ? r : rarog_fail(-EBUSY, "%s", why);
}

/* Its probes out; its memory is not shared. Return: 0; -EBUSY with message: not now; -ESRCH. */
static int clean_alone(struct rarog_tracer *t, pid_t pid, struct rarog_image *image,
		       struct rarog_threads *threads, bool is_last)
{
	int settled = rarog_detach_settle(image, threads), r;
	char why[512] = "";

	if (settled < 0)
		snprintf(why, sizeof(why), "%s", rarog_error_message());
	if (settled == -ESRCH || (settled == -EBUSY && !is_last))
		return settled;
	if (pthread_mutex_trylock(&t->install_lock) != 0)
		return rarog_fail(-EBUSY, "a library is opened in another process");
	if (pid == t->attachment->pid)
		tell(t, true);
	r = settled == 0 ? rarog_detach_clean(image, threads) : clean_entries(image, threads, why);
	pthread_mutex_unlock(&t->install_lock);
	if (r < 0)
		say_rest(t, pid, rarog_error_message());
	return 0;
}

/* As clean_alone(). Only while all threads stand still no task comes to share their memory. */
static int clean(struct rarog_tracer *t, pid_t pid, struct rarog_threads *threads, bool is_last)
{
	struct rarog_image *image = rarog_drain_image_of(t->drain, pid);
	pid_t sharer = image ? rarog_sharing_find(pid, threads->anyone) : 0;

	if (!image)
		return 0;
	if (sharer)
		return rarog_fail(-EBUSY, "it shares its memory with process %d", (int)sharer);
	return clean_alone(t, pid, image, threads, is_last);
}

static void let_go(struct rarog_tracer *t, struct rarog_threads *threads)
{
	rarog_threads_let_go(threads);
	if (threads->pid != t->attachment->pid || threads->v.n == 0)
		return;
	t->result.detached = true;
	t->result.stood_ns[1] = rarog_now_ns() - threads->stopped_ns;
}

/* What goes on from here is not watched: a call that lasts begins to be watched at its next signal.
 */
static void forget_waits(struct rarog_tracer *t, const struct rarog_threads *threads)
{
	for (size_t i = 0; i < threads->v.n; i++)
		rarog_ignored_end(&t->waits, threads->v.v[i].tid);
}

/* What was forked while its parent was being stopped has probes, too. */
static void meet_born(struct rarog_tracer *t, const struct rarog_threads *threads)
{
	for (size_t i = 0; i < threads->v.n; i++)
		if (threads->v.v[i].born)
			rarog_tracer_born(t, threads->v.v[i].born, threads->pid);
}

/* Return: 0: let go, or gone; -EBUSY: not now, and it is not the last time. */
static int leave_process(struct rarog_tracer *t, pid_t pid, bool is_last)
{
	const struct rarog_signal_guard guard = { rarog_traps_guard, t };
	struct rarog_threads threads;
	int r = rarog_threads_stop(pid, &guard, &threads);

	forget_waits(t, &threads);
	meet_born(t, &threads);
	if (r == 0)
		r = clean(t, pid, &threads, is_last);
	else if (r == -EBUSY)
		rarog_fail(r, "a thread does not stop (it waits for a disk or for a vfork)");
	else if (r < 0 && r != -ESRCH)
		say_rest(t, pid, strerror(-r));
	if (r == -EBUSY && is_last)
		say_rest(t, pid, rarog_error_message());
	if (r == -EBUSY && !is_last) {
		rarog_threads_resume(&threads, rarog_tracer_options(t));
	} else {
		let_go(t, &threads);
		rarog_tracer_end(t, pid, r == -ESRCH ? threads.end_status : -1);
		r = 0;
	}
	rarog_threads_release(&threads);
	return r;
}

static bool is_late(uint64_t start_ns)
{
	return rarog_now_ns() - start_ns > LEAVE_LIMIT_NS;
}

/* Others go on meanwhile: what has stopped or ended is seen to before each. Return: has anything
 * gone? Whatever is left has when it is late. */
static bool leave_some(struct rarog_tracer *t, uint64_t start_ns)
{
	bool any = false;

	for (size_t i = t->processes.n; i-- > 0;) {
		pid_t pid;

		rarog_tracer_attend(t);
		if (i >= t->processes.n)
			continue;
		pid = t->processes.v[i].pid;
		if (!is_late(start_ns) && shares_memory(t, pid))
			continue;
		any |= leave_process(t, pid, is_late(start_ns)) == 0;
	}
	return any;
}

void rarog_tracer_leave_all(struct rarog_tracer *t)
{
	const struct timespec moment = { .tv_nsec = LEAVE_PAUSE_NS };
	uint64_t start = rarog_now_ns();

	t->leaves = true;
	rarog_tracer_tell_agents(t);
	if (t->modules->plan->delays)
		nanosleep(&moment, NULL); /* in which threads come out of their loops */
	while (t->processes.n > 0)
		if (!leave_some(t, start))
			nanosleep(&moment, NULL);
}
