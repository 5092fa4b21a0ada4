/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A signal that is ignored never arrives, but at a traced process it does: the tracer is asked
 * first. Most system calls that it interrupts go on by themselves when there was no handler, but
 * those that return EINTR always (epoll_wait, semop, sigtimedwait, sockets with a time-out; see
 * signal(7)) show the program a signal that it never had. So they are told to go on as the others:
 * a result of ERESTARTNOHAND in place of EINTR is what the kernel itself uses for that, and becomes
 * EINTR again should another signal have a handler.
 *
 * A call with a limit of time begins with the whole limit again. Signals that keep coming must not
 * make it endless, so the thread is watched until that call ends: after the limit, counted from the
 * first signal, the next signal ends it as the time would have.
 */
#include "process/ignored.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "process/call-stop.h"
#include "process/calls.h"

/* A set of signals in /proc/TID/status; signal 1 is bit 0. */
static uint64_t signal_set(pid_t tid, const char *field)
{
	char path[64], line[256];
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (rarog_starts_with(line, field))
			return strtoull(line + strlen(field), NULL, 16);
	return 0;
}

static bool is_ignored(pid_t tid, int signal)
{
	uint64_t bit = signal > 0 ? 1ull << (signal - 1) : 0;

	if (signal == 0)
		return true;
	if (signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH)
		return !(signal_set(tid, "SigCgt:") & bit);
	return signal_set(tid, "SigIgn:") & bit;
}

static struct rarog_wait *find(const struct rarog_waits *waits, pid_t tid)
{
	for (size_t i = 0; i < waits->begun.n; i++)
		if (waits->begun.v[i].tid == tid)
			return &waits->begun.v[i];
	return NULL;
}

void rarog_ignored_end(struct rarog_waits *waits, pid_t tid)
{
	struct rarog_wait *known = find(waits, tid);

	if (known)
		*known = waits->begun.v[--waits->begun.n];
}

bool rarog_ignored_is_watched(const struct rarog_waits *waits, pid_t tid)
{
	return find(waits, tid) != NULL;
}

void rarog_ignored_release(struct rarog_waits *waits)
{
	rarog_vec_release(&waits->begun);
}

/* The result that lets a call with this limit go on, or ends it when the limit is over. */
static long limited_result(struct rarog_waits *waits, pid_t tid, uint64_t limit, long timed_out)
{
	struct rarog_wait *known = find(waits, tid);
	struct rarog_wait begun = { tid, rarog_now_ns() + limit };

	if (known)
		return rarog_now_ns() < known->deadline_ns ? -RAROG_ERESTARTNOHAND : timed_out;
	/* unwatched it may wait for ever: then rather interrupted */
	return rarog_vec_push(&waits->begun, begun) < 0 ? -EINTR : -RAROG_ERESTARTNOHAND;
}

static long result_of(struct rarog_waits *waits, pid_t tid, const struct user_regs_struct *regs)
{
	long timed_out;
	uint64_t limit = rarog_call_limit_ns(tid, regs, &timed_out);

	return limit == RAROG_NO_LIMIT ? -RAROG_ERESTARTNOHAND
				       : limited_result(waits, tid, limit, timed_out);
}

bool rarog_ignored_signal(struct rarog_waits *waits, pid_t tid, int signal)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0 && rarog_call_is_cut(&regs) &&
	    is_ignored(tid, signal)) {
		regs.rax = (unsigned long long)result_of(waits, tid, &regs);
		ptrace(PTRACE_SETREGS, tid, NULL, &regs);
	}
	return rarog_ignored_is_watched(waits, tid);
}

bool rarog_ignored_call(struct rarog_waits *waits, pid_t tid)
{
	struct rarog_call_stop stop;

	if (!rarog_call_stop(tid, &stop) || (!stop.is_entry && stop.result != -EINTR))
		rarog_ignored_end(waits, tid);
	return rarog_ignored_is_watched(waits, tid);
}
