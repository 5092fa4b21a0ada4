/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program in rarog's process group that does kill(0, SIGUSR1) would end rarog, and one that does
 * kill(0, SIGTERM) would get it a second time from us. What a program must never get is a signal
 * twice; so only those are passed on by which people end or interrupt what they have started, and
 * only if the witness says that they went to us alone.
 *
 * Nor may one be lost, since who has sent it waits for its effect. The kernel makes a process a
 * zombie and sends to a group one after the other (tasklist_lock): when a program is over, all that
 * its group got while it lived waits here. So at that moment, and before it is waited for, what
 * waits is taken, and what the program has left says which of it it did not get.
 */
#include "process/signal-forwarding.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/exit-state.h"
#include "process/remote.h"
#include "process/task.h"
#include "process/witness.h"

#define RECENT_NS 1000000000ull

static const int passed[RAROG_RELAY_MOST] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void rarog_relay_signals(sigset_t *ret_signals)
{
	static const int some[] = { SIGHUP,  SIGINT,    SIGQUIT,   SIGTERM,  SIGUSR1,
				    SIGUSR2, SIGALRM,   SIGVTALRM, SIGPROF,  SIGIO,
				    SIGPWR,  SIGSTKFLT, SIGABRT,   SIGWINCH, SIGURG };

	sigemptyset(ret_signals);
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		sigaddset(ret_signals, some[i]);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		sigaddset(ret_signals, i);
}

void rarog_relay_begin(struct rarog_relay *relay, const sigset_t *mask)
{
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < RAROG_COUNT(passed); i++)
		sigaddset(&signals, passed[i]);
	*relay = (struct rarog_relay){ .witness = rarog_witness_new(&signals), .mask = *mask };
}

void rarog_relay_end(struct rarog_relay *relay)
{
	rarog_witness_free(relay->witness);
	for (size_t i = 0; i < RAROG_COUNT(passed); i++)
		if (sigismember(&relay->too_late, passed[i]) == 1 &&
		    sigismember(&relay->mask, passed[i]) == 0)
			kill(getpid(), passed[i]);
	*relay = (struct rarog_relay){ 0 };
}

size_t rarog_relay_take(siginfo_t ret_infos[RAROG_RELAY_MOST])
{
	const struct timespec none = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < RAROG_COUNT(passed); i++) {
		sigset_t one;
		int signal;

		sigemptyset(&one);
		sigaddset(&one, passed[i]);
		while ((signal = sigtimedwait(&one, &ret_infos[n], &none)) < 0 && errno == EINTR)
			;
		n += signal > 0;
	}
	return n;
}

static bool is_passed(int signal)
{
	for (size_t i = 0; i < RAROG_COUNT(passed); i++)
		if (passed[i] == signal)
			return true;
	return false;
}

/* Of several that come at once the witness has one. */
static bool is_one_of_many(const struct rarog_relay *relay, const siginfo_t *from)
{
	uint64_t then = relay->group[from->si_signo].ns;

	return then && relay->group[from->si_signo].sender == from->si_pid &&
	       now_ns() - then < RECENT_NS;
}

/* To be asked once for each. */
static bool is_for_program(struct rarog_relay *relay, const siginfo_t *from)
{
	if (!relay->witness)
		return false;
	if (!rarog_witness_saw(relay->witness, from->si_signo))
		return !is_one_of_many(relay, from);
	relay->group[from->si_signo].sender = from->si_pid;
	relay->group[from->si_signo].ns = now_ns();
	return false;
}

static void send(struct rarog_relay *relay, pid_t program, const siginfo_t *from)
{
	siginfo_t info = *from;

	if (info.si_code >= 0 || info.si_code == SI_TKILL)
		info.si_code = SI_QUEUE;
	relay->sent[from->si_signo].sender = from->si_pid;
	relay->sent[from->si_signo].code = from->si_code;
	relay->sent[from->si_signo].is_on_its_way = true;
	if (syscall(SYS_rt_sigqueueinfo, program, info.si_signo, &info) < 0 && errno == EAGAIN)
		kill(program, info.si_signo);
}

static void meet(struct rarog_relay *relay, int signal, bool is_living)
{
	relay->met[signal].has_come = true;
	relay->met[signal].living_ns = is_living ? now_ns() : 0;
}

void rarog_relay_pass(struct rarog_relay *relay, pid_t program, const siginfo_t *from)
{
	bool is_living;

	if (!is_passed(from->si_signo))
		return;
	if (relay->is_over || (relay->is_timed_out && from->si_pid != program))
		sigaddset(&relay->too_late, from->si_signo);
	if (relay->is_over)
		return;
	is_living = rarog_remains_is_living(program); /* the witness takes its time */
	if (is_for_program(relay, from) && from->si_pid != program) {
		send(relay, program, from);
		is_living = rarog_remains_is_living(program);
	}
	if (from->si_pid != program)
		meet(relay, from->si_signo, is_living);
}

/* It has all blocked: one that it has got already stays one. */
void rarog_relay_hand_over(struct rarog_relay *relay, pid_t program, const siginfo_t *from)
{
	if (!relay->witness || !is_passed(from->si_signo))
		return;
	is_for_program(relay, from); /* the witness forgets it */
	send(relay, program, from);
	meet(relay, from->si_signo, true);
}

static bool is_thread_of(pid_t program, pid_t tid)
{
	return tid == program || rarog_process_status(tid, "Tgid:") == program;
}

void rarog_relay_arrives(struct rarog_relay *relay, pid_t program, pid_t tid, int signal)
{
	siginfo_t info;

	if (signal <= 0 || signal >= _NSIG || !relay->sent[signal].is_on_its_way ||
	    !is_thread_of(program, tid) || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0 ||
	    info.si_code != SI_QUEUE || info.si_pid != relay->sent[signal].sender)
		return;
	info.si_code = relay->sent[signal].code;
	relay->sent[signal].is_on_its_way = false;
	ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
}

void rarog_relay_time_out(struct rarog_relay *relay)
{
	relay->is_timed_out = true;
}

static bool took(const struct rarog_relay *relay, pid_t program, int signal, uint64_t end_ns)
{
	uint64_t living_ns = relay->met[signal].living_ns;
	struct rarog_remains remains;

	if (!relay->met[signal].has_come)
		return true;
	rarog_remains_read(program, &remains);
	return rarog_remains_took(&remains, signal, living_ns ? (int64_t)(end_ns - living_ns) : -1);
}

void rarog_relay_settle(struct rarog_relay *relay, pid_t program)
{
	uint64_t end_ns = now_ns();

	relay->is_over = true;
	for (size_t i = 0; i < RAROG_COUNT(passed); i++)
		if (!took(relay, program, passed[i], end_ns))
			sigaddset(&relay->too_late, passed[i]);
}
