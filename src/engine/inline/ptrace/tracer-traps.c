/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A changed jump ends in a trap (island-place.c). The thread stops for us before it gets the
 * signal; all threads are stopped, all jumps of that file are taken out, and it goes on in the
 * file's code.
 *
 * Without a hook the program may not have our return addresses on its stacks: an exception would
 * not find its way. So if it is a hook that was changed, everything leaves the process as when it
 * is let go, but for the memory; the thread that met the trap meets it again until that is done.
 */
#include "engine/inline/ptrace/tracer-traps.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/inline/attach/detach.h"
#include "engine/inline/code/turned.h"
#include "engine/inline/coexist/break-traps.h"
#include "engine/inline/coexist/breaks.h"
#include "engine/inline/ptrace/stopped-clock.h"
#include "engine/inline/ring/thinning.h"
#include "process/task.h"
#include "process/threads.h"

#define GIVE_UP_NS 10000000000ull

/* Traps are instructions that there are not, or where a jump leads there is no memory, or not even
 * an address (SI_KERNEL: the jump itself is at fault, or where it led, as processors differ); and
 * the signal has no sender. */
static bool is_fault(pid_t tid, int signal, uint64_t at, siginfo_t *ret_fault)
{
	if ((signal != SIGILL && signal != SIGSEGV) ||
	    ptrace(PTRACE_GETSIGINFO, tid, NULL, ret_fault) < 0 || ret_fault->si_code <= 0)
		return false;
	return signal == SIGILL || ret_fault->si_code == SI_KERNEL ||
	       (uint64_t)ret_fault->si_addr == at;
}

bool rarog_traps_absorb(struct rarog_tracer *t, pid_t tid, int signal)
{
	const size_t at = offsetof(struct user_regs_struct, rip);
	struct user_regs_struct regs;
	struct rarog_image *image;
	bool is_trap;
	uint64_t address;
	siginfo_t fault;
	pid_t pid;

	if ((signal != SIGILL && signal != SIGSEGV) ||
	    ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0 ||
	    !is_fault(tid, signal, regs.rip, &fault))
		return false;
	pid = (pid_t)rarog_process_status(tid, "Tgid:");
	image = pid > 0 ? rarog_drain_image_of(t->drain, pid) : NULL;
	is_trap = image && rarog_breaks_trap(image, pid, tid, &fault, regs.rip, &address);
	if (is_trap && address != regs.rip)
		ptrace(PTRACE_POKEUSER, tid, at, address);
	return is_trap;
}

bool rarog_traps_guard(void *tracer, pid_t tid, int signal)
{
	struct rarog_tracer *t = tracer;

	return rarog_traps_absorb(t, tid, signal) || rarog_deferred_keeps(&t->holding, tid, signal);
}

/* --- what is lost, and all without hooks --- */

static bool is_without_hook(const struct rarog_traced *known)
{
	return __atomic_load_n(&known->image->hook_out, __ATOMIC_SEQ_CST);
}

static bool is_losing(const struct rarog_traced *known)
{
	return __atomic_load_n(&known->image->lost_in, __ATOMIC_SEQ_CST) == known->pid;
}

static bool is_turning(const struct rarog_traced *known)
{
	return rarog_turned_is_due(known->image, known->turns_seen);
}

static struct rarog_traced *due(struct rarog_tracer *t, pid_t pid)
{
	struct rarog_traced *known = rarog_tracer_find(t, pid);
	bool is_ours = known && known->image && !known->is_quiet && known->end < 0;

	return is_ours && (is_without_hook(known) || is_losing(known) || is_turning(known)) ? known
											    : NULL;
}

static bool has_had_time(struct rarog_traced *known)
{
	uint64_t now = rarog_now_ns();

	if (known->due_ns == 0)
		known->due_ns = now;
	return now - known->due_ns > GIVE_UP_NS;
}

/* All stand still. Return: 0: done, or there is nothing more that could be; -EBUSY: not now. */
static int leave_image(struct rarog_tracer *t, struct rarog_image *image,
		       struct rarog_threads *threads, bool is_last)
{
	int r;

	rarog_drain_quieten(t->drain, true); /* until we attend again */
	r = rarog_detach_settle(image, threads);
	if (r < 0 && !is_last)
		return r == -ESRCH ? 0 : -EBUSY;
	if (pthread_mutex_trylock(&t->install_lock) != 0)
		return -EBUSY;
	if (r == 0)
		r = rarog_detach_quiet(image, threads);
	else
		rarog_detach_entries(image, threads);
	pthread_mutex_unlock(&t->install_lock);
	if (r < 0)
		rarog_warn("process %d: a breakpoint took a hook, and probes could not be taken "
			   "out entirely: %s",
			   (int)threads->pid, rarog_error_message());
	return 0;
}

/* What goes on from here is not watched until its next signal; a child forked meanwhile has probes,
 * too. */
static void look_after(struct rarog_tracer *t, const struct rarog_threads *threads)
{
	for (size_t i = 0; i < threads->v.n; i++) {
		rarog_ignored_end(&t->waits, threads->v.v[i].tid);
		if (threads->v.v[i].born)
			rarog_tracer_born(t, threads->v.v[i].born, threads->pid);
	}
}

static void go_on(struct rarog_tracer *t, struct rarog_threads *threads, int stopped)
{
	if (stopped == -ESRCH && threads->pid == t->program)
		t->run.usage = threads->end_usage;
	if (stopped == -ESRCH)
		rarog_tracer_end(t, threads->pid, threads->end_status);
	else if (stopped == RAROG_THREADS_EXEC && threads->v.n > 0)
		rarog_tracer_exec(t, threads->v.v[0].tid);
	else
		rarog_threads_resume(threads, rarog_tracer_options(t));
}

/* Our own processor time: on a busy machine a stop lasts longer, but then so does all else. */
static uint64_t own_ns(void)
{
	struct timespec now;

	return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? rarog_timespec_ns(now) : 0;
}

/* It stands still for its budget, which pays. */
static void note_stood(const struct rarog_tracer *t, uint64_t since_ns)
{
	if (t->thinning)
		__atomic_fetch_add(&t->thinning->stood_ns, own_ns() - since_ns, __ATOMIC_RELAXED);
}

void rarog_traps_quieten(struct rarog_tracer *t, pid_t pid)
{
	const struct rarog_signal_guard guard = { rarog_traps_guard, t };
	struct rarog_traced *known = due(t, pid);
	struct rarog_threads threads;
	uint64_t start_ns = own_ns();
	bool is_last, turns;
	int stopped;

	if (!known)
		return;
	turns = is_turning(known);
	is_last = is_without_hook(known) && has_had_time(known);
	stopped = rarog_threads_stop(pid, &guard, &threads);
	look_after(t, &threads);
	known = due(t, pid); /* the list may have grown */
	if (stopped == 0 && known && is_without_hook(known)) {
		rarog_recording_off(known->image, threads.anyone);
		known->is_quiet = leave_image(t, known->image, &threads, is_last) == 0;
	} else if ((stopped == 0 || stopped == -EBUSY) && known && is_losing(known)) {
		__atomic_store_n(&known->image->lost_in, 0, __ATOMIC_SEQ_CST);
		rarog_breaks_leave(known->image, threads.anyone);
	} else if ((stopped == 0 || stopped == -EBUSY) && known && is_turning(known)) {
		known->turns_seen =
			rarog_turned_write(known->image, &threads, stopped == 0, known->turns_seen);
	}
	go_on(t, &threads, stopped);
	if (turns)
		note_stood(t, start_ns);
	rarog_threads_release(&threads);
}

void rarog_traps_attend(struct rarog_tracer *t)
{
	for (size_t i = t->processes.n; i-- > 0;)
		if (i < t->processes.n)
			rarog_traps_quieten(t, t->processes.v[i].pid);
}
