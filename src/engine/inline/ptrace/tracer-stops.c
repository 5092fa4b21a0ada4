/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tracer does when a thread has stopped for it: births, signals, system calls. */
#include "base/clock.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/ptrace/tracer-state.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "engine/inline/attach/agent-await.h"
#include "engine/inline/code/agent-settle.h"
#include "engine/inline/code/emit.h"
#include "engine/inline/code/image-filters.h"
#include "engine/inline/code/probe-settle.h"
#include "engine/inline/ptrace/new-task.h"
#include "engine/inline/ptrace/stopped-clock.h"
#include "engine/inline/ptrace/tracer-traps.h"
#include "process/filters.h"
#include "process/process.h"
#include "process/task.h"
#include "process/thread.h"

/* A thread that we know already as a process is only its first one. */
static void meet(struct rarog_tracer *t, pid_t pid)
{
	struct rarog_traced *known = rarog_tracer_find(t, pid);
	struct rarog_image *image;
	struct rarog_task task;

	if ((known && !known->is_born) || rarog_task_read(pid, &task) < 0)
		return;
	if (known)
		known->is_born = false;
	else if (task.pid == pid)
		rarog_tracer_meet(t, pid, task.parent);
	image = rarog_drain_image_of(t->drain, task.pid);
	if (image)
		rarog_new_task_begins(image, &task);
}

/* @watched: stop at the next system call as well */
static void resume_watched(pid_t pid, int signal, bool watched)
{
	ptrace(watched ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, (void *)(intptr_t)signal);
}

/* Unless something waits for its next system call it is not stopped there. */
static void resume(struct rarog_tracer *t, pid_t pid, int signal)
{
	resume_watched(pid, signal,
		       rarog_ignored_is_watched(&t->waits, pid) ||
			       rarog_deferred_is_watched(&t->holding, pid));
}

static void on_call(struct rarog_tracer *t, pid_t pid)
{
	rarog_deferred_call(&t->holding, pid);
	rarog_ignored_call(&t->waits, pid);
	resume(t, pid, 0);
}

static bool is_stop_signal(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void on_birth(struct rarog_tracer *t, pid_t pid)
{
	const struct rarog_birth_account *births = &t->modules->plan->births;
	unsigned long born;

	if (ptrace(PTRACE_GETEVENTMSG, pid, NULL, &born) < 0)
		return;
	if (births->born)
		births->born(births->user, pid, (pid_t)born);
	rarog_tracer_born(t, (pid_t)born, (pid_t)rarog_process_status(pid, "Tgid:"));
}

/* Agents must know whether a handler may have begun. Of which process a thread is would take longer
 * to find out. */
static void count_signal(struct rarog_tracer *t)
{
	for (size_t i = 0; i < t->processes.n; i++) {
		struct rarog_image *image = t->processes.v[i].image;

		if (image && image->control->signals)
			__atomic_fetch_add(&image->control->signals, 1, __ATOMIC_SEQ_CST);
	}
}

#define LOOK_AGAIN_NS 1000000

/* After it an agent may have to ask for the thread's stack for signals. */
static void look_for_filter(struct rarog_tracer *t, pid_t tid)
{
	uint64_t now = rarog_now_ns();
	struct rarog_image *image;
	struct rarog_task task;

	if (now - t->looked_ns < LOOK_AGAIN_NS)
		return;
	t->looked_ns = now;
	if (rarog_task_read(tid, &task) < 0 || !rarog_filters_of(&task))
		return;
	image = rarog_drain_image_of(t->drain, task.pid);
	if (image)
		rarog_filters_tell(image, task.pid);
}

/* A sender of SIGSEGV often does not wait for what /proc says. */
static bool is_probes_own(struct rarog_tracer *t, pid_t tid, int signal)
{
	struct rarog_image *image;
	siginfo_t info;
	pid_t pid;

	if (signal != SIGSEGV || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0 ||
	    info.si_code != SI_KERNEL)
		return false;
	pid = (pid_t)rarog_process_status(tid, "Tgid:");
	image = pid > 0 ? rarog_drain_image_of(t->drain, pid) : NULL;
	return image && rarog_stopped_clock(image, pid, tid);
}

/* A trap in a jump; into a stop that others can be brought to as well. */
static void meet_again(struct rarog_tracer *t, pid_t tid)
{
	rarog_thread_interrupt(tid, 0);
	rarog_traps_quieten(t, (pid_t)rarog_process_status(tid, "Tgid:"));
}

/* NULL: there are several, or processes that have none. */
static const struct rarog_image *only_image(const struct rarog_tracer *t)
{
	const struct rarog_image *only = t->processes.n > 0 ? t->processes.v[0].image : NULL;

	for (size_t i = 0; i < t->processes.n; i++)
		if (t->processes.v[i].image != only)
			return NULL;
	return only;
}

static bool is_in_any(const struct rarog_tracer *t, uint64_t address)
{
	const struct rarog_image *last = NULL;
	uint64_t at;

	for (size_t i = 0; i < t->processes.n; i++) {
		const struct rarog_image *image = t->processes.v[i].image;

		if (image && image != last &&
		    rarog_known_code_at(image, address, &at) != RAROG_CODE_PROGRAMS)
			return true;
		last = image;
	}
	return false;
}

static const struct rarog_image *image_of(struct rarog_tracer *t, pid_t tid)
{
	pid_t pid = (pid_t)rarog_process_status(tid, "Tgid:");
	const struct rarog_traced *known = rarog_tracer_find(t, pid);

	return known ? known->image : rarog_drain_image_of(t->drain, pid);
}

/* Which code thread @tid is in at @address, and how far from the start of its area. Where one image
 * has that another may have something else; /proc is asked only then, not at each signal. */
static enum rarog_known_code code_at(struct rarog_tracer *t, pid_t tid, uint64_t address,
				     const struct rarog_image **ret_image, uint64_t *ret_at)
{
	const struct rarog_image *image = only_image(t);

	if (!image && is_in_any(t, address))
		image = image_of(t, tid);
	*ret_image = image;
	return image ? rarog_known_code_at(image, address, ret_at) : RAROG_CODE_PROGRAMS;
}

/* A program that was attached to is left one day, perhaps while what a signal has interrupted waits
 * in a context of its own: nothing may lead to a stub then. */
bool rarog_tracer_is_clear(void *tracer, pid_t tid)
{
	struct rarog_tracer *t = tracer;
	const struct rarog_image *image;
	struct user_regs_struct regs;
	enum rarog_known_code code;
	uint64_t at;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0)
		return true;
	code = code_at(t, tid, regs.rip, &image, &at);
	if (code == RAROG_CODE_AGENT && !t->attachment && rarog_agent_settle(tid, at, &regs))
		code = rarog_known_code_at(image, regs.rip, &at);
	if (code == RAROG_CODE_PROGRAMS || code == RAROG_CODE_AGENT || t->attachment)
		return code == RAROG_CODE_PROGRAMS;
	if (code == RAROG_CODE_ISLANDS || t->modules->plan->detail == RAROG_DETAIL_COUNT)
		return true;
	return rarog_probe_settle(tid, &image->header, &regs);
}

/* Where a signal waits until a thread is out of a probe that is not to be for as long as a pause
 * takes, and at each of our stops that would begin anew. */
static void tell_noise(struct rarog_tracer *t)
{
	bool waits = t->attachment && rarog_deferred_wants(&t->holding) > 0;

	rarog_drain_quieten(t->drain, t->leaves || waits);
}

/* A thread that comes out of the agent must not miss a signal that waits for it. Threads that
 * waited for too long have written that none does. */
void rarog_tracer_tell_agents(struct rarog_tracer *t)
{
	uint32_t tids[RAROG_HELD_MOST];
	uint64_t pointers[RAROG_HELD_MOST];
	size_t n = 0;

	tell_noise(t);
	if (!t->attachment)
		n = rarog_deferred_threads(&t->holding, RAROG_HELD_MOST, tids, pointers);

	if (n == 0 && !t->tells_agents)
		return;
	t->tells_agents = n > 0;
	for (size_t i = 0; i < t->processes.n; i++) {
		struct rarog_image *image = t->processes.v[i].image;

		if (image)
			rarog_agents_hold(image->control, n, tids, pointers);
	}
}

/* It is on its way to a program. */
static void on_signal(struct rarog_tracer *t, pid_t pid, int signal)
{
	if (rarog_traps_absorb(t, pid, signal)) {
		meet_again(t, pid);
		return;
	}
	if (is_probes_own(t, pid, signal)) {
		resume(t, pid, 0);
		return;
	}
	look_for_filter(t, pid);
	signal = rarog_deferred_signal(&t->holding, pid, signal);
	rarog_tracer_tell_agents(t);
	if (!signal) {
		resume(t, pid, 0);
		return;
	}
	count_signal(t);
	rarog_ignored_signal(&t->waits, pid, signal);
	resume(t, pid, signal);
}

void rarog_tracer_stopped(struct rarog_tracer *t, pid_t pid, int status)
{
	int signal = WSTOPSIG(status);

	switch (status >> 16) {
	case PTRACE_EVENT_EXEC:
		rarog_tracer_exec(t, pid);
		return;
	case PTRACE_EVENT_STOP:
		if (!rarog_deferred_stopped(&t->holding, pid, is_stop_signal(signal)))
			meet(t, pid);
		if (is_stop_signal(signal)) {
			ptrace(PTRACE_LISTEN, pid, NULL, NULL);
			return;
		}
		break;
	case 0:
		if (signal == (SIGTRAP | 0x80)) /* a system call */
			on_call(t, pid);
		else
			on_signal(t, pid, signal);
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		on_birth(t, pid);
		break;
	default:
		break;
	}
	resume(t, pid, 0);
}
